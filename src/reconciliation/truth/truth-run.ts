import { addDays, type Day } from '../../values/instant.ts';
import type { ExceptionClass } from '../exceptions/exception.ts';
import type { Summed } from './kept-sums.ts';
import type { ComparedInstallment, Comparison, TruthClass, TruthDifference } from './truth.ts';

/**
 * A run compares payouts of so many days: older ones were compared in many nights. Open installments are
 * compared at any age.
 */
const DAYS_OF_RUN = 60;

export type ComparedPlace = {
  readonly paymentOn: Day;
  readonly transactionId: string;
  readonly installmentNumber: number;
};

/** `soldAt` is PostgreSQL's text, to the microsecond. */
export type ChargePlace = { readonly soldAt: string; readonly transactionId: string };

export type DifferenceClass = ExceptionClass | TruthClass;
export type CountedDifferences = Partial<
  Record<DifferenceClass, { readonly count: number; readonly cents: number }>
>;

/** What a run has compared so far: counts, and amounts in cents. */
export type TruthTally = {
  readonly charges: number;
  readonly receivables: number;
  readonly standing: number;
  /**
   * `settled`: how many installments books, feed and files call paid; the next three: their gross amount in
   * each.
   */
  readonly settled: number;
  readonly settledByBooks: number;
  readonly settledByFeed: number;
  readonly settledByFiles: number;
  /** Cents by which files differ from books, explained by a rule. */
  readonly explained: number;
  readonly onlyInFeed: number;
  readonly onlyInFiles: number;
  readonly asked: number;
  readonly isCutShort: boolean;
  /** Receivables of sales too old for the acquirer to find. */
  readonly beyondLookUp: number;
  /** Sales that differ and were not asked for: no budget was left, or no answer came. */
  readonly leftOut: number;
  readonly days: number;
  readonly daysLeftOut: number;
  readonly differences: CountedDifferences;
};

export type TruthRun = {
  readonly merchantId: string;
  readonly runNumber: number;
  readonly day: Day;
  readonly fromOn: Day;
  readonly after: ComparedPlace;
  readonly afterCharge: ChargePlace;
  readonly afterDays: Readonly<Record<Summed, Day>>;
  readonly fence: number;
  readonly tally: TruthTally;
};

export const NOTHING_COMPARED: TruthTally = {
  charges: 0,
  receivables: 0,
  standing: 0,
  settled: 0,
  settledByBooks: 0,
  settledByFeed: 0,
  settledByFiles: 0,
  explained: 0,
  onlyInFeed: 0,
  onlyInFiles: 0,
  asked: 0,
  isCutShort: false,
  beyondLookUp: 0,
  leftOut: 0,
  days: 0,
  daysLeftOut: 0,
  differences: {},
};

export function firstDayOf(day: Day): Day {
  return addDays(day, 0 - DAYS_OF_RUN);
}

export type Outcome = { readonly compared: ComparedInstallment; readonly comparison: Comparison };

export function withCompared(tally: TruthTally, outcomes: readonly Outcome[]): TruthTally {
  let sums = tally;
  for (const { compared, comparison } of outcomes) {
    sums = withDifferences(withInstallment(sums, compared, comparison), [
      ...comparison.differences,
      ...comparison.exceptions,
    ]);
  }
  return sums;
}

function withInstallment(
  tally: TruthTally,
  { carried, books, reported }: ComparedInstallment,
  { differences, exceptions }: Comparison,
): TruthTally {
  const { filed, expectedFee, expectedNet, paidOn } = carried;
  const byFiles = filed.net === null ? null : filed.net + (filed.fee ?? 0) + (filed.anticipation ?? 0);
  const byFeed =
    reported === null || reported.net === null
      ? null
      : reported.net + (reported.fee ?? 0) + (filed.anticipation ?? 0);
  const seen = {
    ...tally,
    receivables: tally.receivables + 1,
    standing: tally.standing + books.gross - books.canceled,
  };
  if (paidOn === null || byFiles === null || byFeed === null) {
    return {
      ...seen,
      onlyInFeed: tally.onlyInFeed + (byFeed !== null && byFiles === null ? 1 : 0),
      onlyInFiles: tally.onlyInFiles + (byFiles !== null && byFeed === null ? 1 : 0),
    };
  }
  const byBooks = expectedFee + expectedNet;
  const isKnown = differences.length === 0 && exceptions.length === 0;
  return {
    ...seen,
    settled: tally.settled + 1,
    settledByBooks: tally.settledByBooks + byBooks,
    settledByFeed: tally.settledByFeed + byFeed,
    settledByFiles: tally.settledByFiles + byFiles,
    explained: tally.explained + (isKnown ? byFiles - byBooks : 0),
  };
}

/** Cents are added without their sign: differences must not cancel each other. */
export function withDifferences(
  tally: TruthTally,
  found: readonly { readonly class: DifferenceClass; readonly amount: number }[],
): TruthTally {
  const differences = { ...tally.differences };
  for (const { class: name, amount } of found) {
    const before = differences[name] ?? { count: 0, cents: 0 };
    differences[name] = { count: before.count + 1, cents: sumOf(before.cents, Math.abs(amount)) };
  }
  return { ...tally, differences };
}

function sumOf(one: number, other: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, one + other);
}

export function withTally(one: TruthTally, other: TruthTally): TruthTally {
  const differences: CountedDifferences = { ...one.differences };
  for (const [name, { count, cents }] of Object.entries(other.differences)) {
    const before = differences[name as DifferenceClass] ?? { count: 0, cents: 0 };
    differences[name as DifferenceClass] = {
      count: before.count + count,
      cents: sumOf(before.cents, cents),
    };
  }
  return {
    charges: one.charges + other.charges,
    receivables: one.receivables + other.receivables,
    standing: one.standing + other.standing,
    settled: one.settled + other.settled,
    settledByBooks: one.settledByBooks + other.settledByBooks,
    settledByFeed: one.settledByFeed + other.settledByFeed,
    settledByFiles: one.settledByFiles + other.settledByFiles,
    explained: one.explained + other.explained,
    onlyInFeed: one.onlyInFeed + other.onlyInFeed,
    onlyInFiles: one.onlyInFiles + other.onlyInFiles,
    asked: one.asked + other.asked,
    isCutShort: one.isCutShort || other.isCutShort,
    beyondLookUp: one.beyondLookUp + other.beyondLookUp,
    leftOut: one.leftOut + other.leftOut,
    days: one.days + other.days,
    daysLeftOut: one.daysLeftOut + other.daysLeftOut,
    differences,
  };
}

export const RUN_CAUSES = ['night', 'asked'] as const;

export type EndedRun = TruthTally & {
  readonly merchantId: string;
  readonly day: Day;
  readonly cause: (typeof RUN_CAUSES)[number];
  readonly beganAt: number;
  readonly endedAt: number;
};

export function isAtOne({ differences }: Pick<TruthTally, 'differences'>): boolean {
  return Object.keys(differences).length === 0;
}

export type KeptDifference = TruthDifference & {
  readonly transactionId: string;
  readonly installmentNumber: number;
};
