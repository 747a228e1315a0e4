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

/** The remainder is the merchant's. All portions together are at most 10,000. */
export type Split = { readonly kind: SplitKind; readonly entries: readonly SplitEntry[] };

/** A split as it is kept with the sale: with the fee of that day, in hundredths of a percent. */
export type RecordedSplit = Split & { readonly feePortion: number };

/** As it was kept; undefined: it is none. */
export function readSplit(kept: unknown): RecordedSplit | undefined {
  const { kind, entries, feePortion } = (kept ?? {}) as Partial<RecordedSplit>;
  const isSplit =
    SPLIT_KINDS.some((known) => known === kind) &&
    Number.isSafeInteger(feePortion) &&
    Array.isArray(entries) &&
    entries.every((entry) => typeof entry.beneficiary === 'string' && Number.isSafeInteger(entry.portion));
  return isSplit ? (kept as RecordedSplit) : undefined;
}

/** A beneficiary's share of an installment. */
export type Share = {
  readonly installmentNumber: number;
  /** Place of the beneficiary in the split, from 1. */
  readonly position: number;
  readonly beneficiary: string;
  readonly amount: Cents;
  readonly canceledAmount: Cents;
};

/**
 * A split is shown in pages of whole beneficiaries: 99 installments of 100 beneficiaries have 9,900
 * shares, an answer of more than half a megabyte.
 */
export const MOST_SHARES_SHOWN = 1_000;

export function beneficiariesOfPage(installments: number): number {
  return Math.max(1, Math.floor(MOST_SHARES_SHOWN / installments));
}

/** A beneficiary's share of a whole sale. */
export type ShareTotal = Pick<Share, 'position' | 'amount' | 'canceledAmount'>;

const WHOLE = 10_000;

/**
 * The share of each beneficiary, in order, rounded once on the total: rounding installment by
 * installment would let cents pile up. `feePortion` is the operator's, in hundredths of a percent;
 * the merchant bears the fee.
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
 * Spreads shares over the installments of a sale: result[k][i] is what beneficiary i gets of
 * installment k. After each installment every beneficiary has the whole cents that are due by then,
 * as nearly as the installment has cents to give; over all installments each has its share exactly,
 * and never less than nothing. The rest of an installment is the merchant's. The shares are
 * together at most the sum of the installments.
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
 * One installment among all parties, the merchant last: first what is due in whole cents, then the
 * largest fractions.
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
  // A party was a fraction ahead: those who need it least wait for the next installment.
  for (const party of byNeed.toReversed()) {
    const lacking = left < 0n ? -left : 0n;
    const back = party.part < lacking ? party.part : lacking;
    party.part -= back;
    left += back;
  }
  // At most a cent for each: the rest are the fractions of all.
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
