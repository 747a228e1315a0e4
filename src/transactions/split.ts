import { apportion, portionHalfEven } from '../values/apportion.ts';
import { type Cents, cents } from '../values/cents.ts';

/** `gross`: of the amount sold. `net`: of the amount less the operator's fee. */
export const SPLIT_KINDS = ['gross', 'net'] as const;
export type SplitKind = (typeof SPLIT_KINDS)[number];

export type SplitEntry = {
  /** CPF or CNPJ, without mask. */
  readonly beneficiary: string;
  /** Hundredths of a percent, 0 to 10,000. */
  readonly portion: number;
};

/** All portions together are at most 10,000. The remainder is the merchant's. */
export type Split = { readonly kind: SplitKind; readonly entries: readonly SplitEntry[] };

/** Recorded with the sale. `feePortion` is the fee of its moment, in hundredths of a percent. */
export type RecordedSplit = Split & { readonly feePortion: number };

/** Undefined if the value is not a recorded split. */
export function readSplit(kept: unknown): RecordedSplit | undefined {
  const { kind, entries, feePortion } = (kept ?? {}) as Partial<RecordedSplit>;
  const isSplit =
    SPLIT_KINDS.some((known) => known === kind) &&
    Number.isSafeInteger(feePortion) &&
    Array.isArray(entries) &&
    entries.every((entry) => typeof entry.beneficiary === 'string' && Number.isSafeInteger(entry.portion));
  return isSplit ? (kept as RecordedSplit) : undefined;
}

export type Share = {
  readonly installmentNumber: number;
  /** The beneficiary's place in the split, from 1. */
  readonly position: number;
  readonly beneficiary: string;
  readonly amount: Cents;
  readonly canceledAmount: Cents;
};

/**
 * Shares on one page, which has whole beneficiaries: 99 installments with 100 beneficiaries have 9,900
 * shares, over half a megabyte.
 */
export const MOST_SHARES_SHOWN = 1_000;

export function beneficiariesOfPage(installments: number): number {
  return Math.max(1, Math.floor(MOST_SHARES_SHOWN / installments));
}

export type ShareTotal = Pick<Share, 'position' | 'amount' | 'canceledAmount'>;

const WHOLE = 10_000;

/**
 * Rounded once on the total, in the split's order: rounding each installment would let cents pile up.
 * `feePortion` is the operator's, in hundredths of a percent; the merchant bears the fee.
 */
export function beneficiaryShares(amount: Cents, split: Split, feePortion: number): Cents[] {
  const portions = split.entries.map(({ portion }) => portion);
  const rest = WHOLE - portions.reduce((sum, portion) => sum + portion, 0);
  if (rest < 0) throw new RangeError('the portions of a split are more than the whole');
  const base = split.kind === 'gross' ? amount : amountLessFee(amount, feePortion);
  return apportion(base, [...portions, rest]).slice(0, -1);
}

/** `feePortion` in hundredths of a percent. */
export function amountLessFee(amount: Cents, feePortion: number): Cents {
  return cents(amount - portionHalfEven(amount, feePortion));
}

/**
 * result[k][i] is what beneficiary i gets of installment k. After each installment every beneficiary has the
 * whole cents due by then, as nearly as its cents allow. Over all installments each gets its share exactly,
 * and no part is negative. The rest is the merchant's. The shares must not exceed the sum of the
 * installments.
 */
export function sharesByInstallment(shares: readonly Cents[], installments: readonly Cents[]): Cents[][] {
  const total = installments.reduce((sum, part) => sum + BigInt(part), 0n);
  const merchants = total - shares.reduce((sum, share) => sum + BigInt(share), 0n);
  if (merchants < 0n) throw new RangeError('the shares are more than the sale');
  const owed = [...shares.map((share) => BigInt(share)), merchants];
  const given = owed.map(() => 0n);
  let soldSoFar = 0n;
  return installments.map((installment) => {
    soldSoFar += BigInt(installment);
    const parts = partsOfInstallment(BigInt(installment), owed, given, soldSoFar, total);
    for (const [index, part] of parts.entries()) given[index] = (given[index] as bigint) + part;
    return parts.slice(0, -1).map((part) => cents(Number(part)));
  });
}

/** Empty without a split or without an approval. */
export function recordedShares(
  amount: Cents,
  split: RecordedSplit | null,
  installments: readonly Cents[],
): Share[] {
  if (split === null || installments.length === 0) return [];
  const shares = beneficiaryShares(amount, split, split.feePortion);
  return sharesByInstallment(shares, installments).flatMap((parts, installment) =>
    parts.map((part, index) => ({
      installmentNumber: installment + 1,
      position: index + 1,
      beneficiary: (split.entries[index] as SplitEntry).beneficiary,
      amount: part,
      canceledAmount: cents(0),
    })),
  );
}

/**
 * Divides an installment among all parties, the merchant last: whole cents due first, then by the largest
 * fractions.
 */
function partsOfInstallment(
  installment: bigint,
  owed: readonly bigint[],
  given: readonly bigint[],
  soldSoFar: bigint,
  total: bigint,
): bigint[] {
  const parties = owed.map((share, index) => {
    const due = share * soldSoFar;
    const lacking = due / total - (given[index] as bigint);
    const part = lacking > 0n ? lacking : 0n;
    return { index, part, open: due - ((given[index] as bigint) + part) * total };
  });
  let left = installment - parties.reduce((sum, { part }) => sum + part, 0n);
  const byNeed = parties.toSorted((one, other) => compare(other.open, one.open));
  // Some party was ahead by a fraction, so too much was given. Those with the smallest open fraction give
  // back, and wait for the next installment.
  for (const party of byNeed.toReversed()) {
    const lacking = left < 0n ? -left : 0n;
    const back = party.part < lacking ? party.part : lacking;
    party.part -= back;
    left += back;
  }
  // At most one cent each, because only the parties' fractions are left.
  for (const party of byNeed) {
    const unused = (owed[party.index] as bigint) - (given[party.index] as bigint) - party.part;
    if (left === 0n || unused === 0n) continue;
    party.part += 1n;
    left -= 1n;
  }
  if (left !== 0n) throw new RangeError('an installment was not divided to the cent');
  return parties.map(({ part }) => part);
}

function compare(one: bigint, other: bigint): number {
  return one === other ? 0 : one > other ? 1 : -1;
}
