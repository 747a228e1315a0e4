import { type Cents, cents } from '../../values/cents.ts';

/** An amount as it was sold, and how much of it was given back since. */
export type Reduced = { readonly amount: Cents; readonly canceledAmount: Cents };

/** An installment with the share of each beneficiary in it; the remainder is the merchant's. */
export type InstallmentRest = Reduced & { readonly number: number; readonly shares: readonly Reduced[] };

export type CanceledPart = {
  readonly number: number;
  readonly amount: Cents;
  readonly shares: readonly Cents[];
};

/**
 * Divides a cancel over the installments: it comes off the last ones first, so that the buyer's
 * next bills stay as agreed, and each beneficiary gives back in proportion to the share sold. The
 * parts add up to the amount; null when more is requested than is left.
 */
export function canceledParts(rests: readonly InstallmentRest[], amount: Cents): CanceledPart[] | null {
  let left: number = amount;
  const parts: CanceledPart[] = [];
  for (const rest of rests.toSorted((one, other) => other.number - one.number)) {
    const taken = Math.min(left, rest.amount - rest.canceledAmount);
    if (taken === 0) continue;
    left -= taken;
    parts.push({ number: rest.number, amount: cents(taken), shares: sharesGivenBack(rest, taken) });
  }
  return left === 0 ? parts : null;
}

/** A party that gives back: the share sold, what it gave before, and what it gives now. */
type Party = { readonly share: bigint; readonly canceled: bigint; part: bigint };

/**
 * What each beneficiary gives back of `taken` cents of an installment. It is reckoned from what was
 * sold and not from what is left, so that the roundings of many cancels even out: after each cancel
 * every party has given back the exact proportion of all cancels so far, to less than a cent, and
 * never more than its share.
 *
 * First the whole cents that are due; the others one each to the parties whose next cent falls due
 * first (earliest deadline first, as tasks of fixed rates are scheduled). In that order no later
 * cancel lacks a cent that a party gave too early, as it would with an apportionment by largest
 * fractions.
 */
function sharesGivenBack({ amount, canceledAmount, shares }: InstallmentRest, taken: number): Cents[] {
  const whole = BigInt(amount);
  const canceled = BigInt(canceledAmount) + BigInt(taken);
  const parties = partiesOf({ amount, canceledAmount, shares });
  for (const party of parties) {
    const lacking = (party.share * canceled) / whole - party.canceled;
    party.part = lacking > 0n ? lacking : 0n;
  }
  let left = BigInt(taken) - parties.reduce((sum, { part }) => sum + part, 0n);
  const byDeadline = parties
    .filter((party) => (party.canceled + party.part) * whole < party.share * canceled)
    .toSorted(byNextCent);
  for (const party of byDeadline) {
    if (left <= 0n) break;
    party.part += 1n;
    left -= 1n;
  }
  if (left !== 0n) throw new RangeError('a cancel was not divided to the cent');
  return parties.slice(0, -1).map(({ part }) => cents(Number(part)));
}

function partiesOf({ amount, canceledAmount, shares }: Reduced & Pick<InstallmentRest, 'shares'>): Party[] {
  const parties = shares.map((share) => ({
    share: BigInt(share.amount),
    canceled: BigInt(share.canceledAmount),
    part: 0n,
  }));
  const merchants = parties.reduce(
    (rest, party) => ({ share: rest.share - party.share, canceled: rest.canceled - party.canceled }),
    { share: BigInt(amount), canceled: BigInt(canceledAmount) },
  );
  if (merchants.share < 0n) throw new RangeError('the shares are more than their installment');
  return [...parties, { ...merchants, part: 0n }];
}

/**
 * The k-th cent of a share is due in full when k/share of the installment is canceled. Only parties
 * with a share come here.
 */
function byNextCent(one: Party, other: Party): number {
  const difference =
    (one.canceled + one.part + 1n) * other.share - (other.canceled + other.part + 1n) * one.share;
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}
