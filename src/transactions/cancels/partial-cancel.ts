import { type Cents, cents } from '../../values/cents.ts';

/** An amount as sold, and how much of it was given back after the sale. */
export type Reduced = { readonly amount: Cents; readonly canceledAmount: Cents };

/** `shares` are the beneficiaries'; the remainder is the merchant's. */
export type InstallmentRest = Reduced & { readonly number: number; readonly shares: readonly Reduced[] };

export type CanceledPart = {
  readonly number: number;
  readonly amount: Cents;
  readonly shares: readonly Cents[];
};

/**
 * Takes a cancel off the last installments first, so that the buyer's next bills stay as agreed. Each
 * beneficiary gives back in proportion to the share sold. The parts add up to the amount. Null if it is more
 * than is left.
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

/** `canceled` was given back before, `part` is given back now. */
type Party = { readonly share: bigint; readonly canceled: bigint; part: bigint };

/**
 * What each beneficiary gives back of `taken` cents of an installment. It is computed from what was sold, not
 * from what is left, so that the roundings of many cancels even out: after each cancel every party has given
 * back the exact proportion of all cancels so far, to less than a cent, and never more than its share. The
 * whole cents that are due come first. The others go one each to the parties whose next cent is due first
 * (earliest deadline first, as fixed-rate tasks are scheduled). In this order no later cancel lacks a cent
 * that a party gave too early, as could happen with largest fractions.
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

/** The k-th cent of a share is due when k/share of the installment is canceled. No share here is 0. */
function byNextCent(one: Party, other: Party): number {
  const difference =
    (one.canceled + one.part + 1n) * other.share - (other.canceled + other.part + 1n) * one.share;
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}
