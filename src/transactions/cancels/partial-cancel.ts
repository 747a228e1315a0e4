import { apportion } from '../../values/apportion.ts';
import { type Cents, cents } from '../../values/cents.ts';

/** What is left of an installment: its rest, and of that the share of each beneficiary. */
export type InstallmentRest = {
  readonly number: number;
  readonly rest: Cents;
  readonly shares: readonly Cents[];
};

/** What a cancel takes from one installment, and from the share of each beneficiary in it. */
export type CanceledPart = {
  readonly number: number;
  readonly amount: Cents;
  readonly shares: readonly Cents[];
};

/**
 * Divides a cancel over the installments: it comes off the last ones first, so that the buyer's next bills stay as they were
 * agreed, and each beneficiary gives back in proportion to the share held. The parts add up to the amount; null when more is
 * asked for than is left.
 */
export function canceledParts(rests: readonly InstallmentRest[], amount: Cents): CanceledPart[] | null {
  let left: number = amount;
  const parts: CanceledPart[] = [];
  for (const { number, rest, shares } of rests.toSorted((one, other) => other.number - one.number)) {
    const taken = Math.min(left, rest);
    if (taken === 0) continue;
    left -= taken;
    parts.push({ number, amount: cents(taken), shares: sharesGivenBack(rest, shares, taken) });
  }
  return left === 0 ? parts : null;
}

/** What stays is divided anew in proportion, and the difference given back: so nobody ever gives back more than the share. */
function sharesGivenBack(rest: Cents, shares: readonly Cents[], taken: number): Cents[] {
  const merchants = rest - shares.reduce((sum, share) => sum + share, 0);
  const kept = apportion(cents(rest - taken), [...shares, merchants]);
  return shares.map((share, index) => cents(share - (kept[index] as number)));
}
