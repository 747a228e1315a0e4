import type { Day } from '../../values/instant.ts';
import { type EntryKind, type EntryMoney, isPaying, netOf } from '../settlement-entry.ts';

/** By what a line of a file was matched, in the order in which it is tried. */
export const MATCH_RULES = ['reference', 'tid', 'nsu', 'authorization', 'batch'] as const;
export type MatchRule = (typeof MATCH_RULES)[number];

/** What became of a change that a line became. */
export const FILED_CHANGE_STATES = ['waiting', 'applied', 'refused'] as const;

/** One installment, as the key of what is written about it. */
export type InstallmentKey = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly installmentNumber: number;
};

/** A line's part in an installment. */
export type MatchedPart = EntryMoney & {
  readonly kind: EntryKind;
  readonly rule: MatchRule;
  readonly fileNumber: number;
  readonly lineNumber: number;
  readonly bankOn: Day | null;
  /** The order of a debit, which one line announces and another settles. */
  readonly document: string | null;
  /** The change that the line became, which may be that of another line too; null: it became none. */
  readonly changeId: string | null;
  readonly changeState: (typeof FILED_CHANGE_STATES)[number] | null;
};

/** What files say that was paid of an installment; null: nothing was. */
export type FiledPayout = {
  readonly fee: number | null;
  readonly net: number | null;
  readonly anticipation: number | null;
  readonly bankOn: Day | null;
};

/** The sums of the lines that pay, and their last day. */
export function filedPayout(parts: readonly MatchedPart[]): FiledPayout {
  const paid = parts.filter(({ kind }) => isPaying(kind));
  if (paid.length === 0) return { fee: null, net: null, anticipation: null, bankOn: null };
  return {
    fee: sumOf(paid, ({ fee }) => fee ?? 0),
    net: sumOf(paid, netOf),
    anticipation: sumOf(paid, ({ anticipationFee }) => anticipationFee ?? 0),
    bankOn: lastDay(paid),
  };
}

export function lastDay(parts: readonly MatchedPart[]): Day | null {
  const days = parts.flatMap(({ bankOn }) => (bankOn === null ? [] : [bankOn])).sort();
  return days.at(-1) ?? null;
}

export function sumOf<T>(all: readonly T[], amount: (each: T) => number): number {
  return all.reduce((sum, each) => sum + amount(each), 0);
}
