import type { Day } from '../../values/instant.ts';
import { type EntryKind, type EntryMoney, isPaying, netOf } from '../settlement-entry.ts';

/** Rules are tried in this order. */
export const MATCH_RULES = ['reference', 'tid', 'nsu', 'authorization', 'batch'] as const;
export type MatchRule = (typeof MATCH_RULES)[number];

export const FILED_CHANGE_STATES = ['waiting', 'applied', 'refused'] as const;

export type InstallmentKey = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly installmentNumber: number;
};

/** The share of a line in one installment. */
export type MatchedPart = EntryMoney & {
  readonly kind: EntryKind;
  readonly rule: MatchRule;
  readonly fileNumber: number;
  readonly lineNumber: number;
  readonly bankOn: Day | null;
  /** The order number of a debit: one line announces it, another settles it. */
  readonly document: string | null;
  /** Several lines may share one change. */
  readonly changeId: string | null;
  readonly changeState: (typeof FILED_CHANGE_STATES)[number] | null;
};

/** Null: no file paid anything. */
export type FiledPayout = {
  readonly fee: number | null;
  readonly net: number | null;
  readonly anticipation: number | null;
  readonly bankOn: Day | null;
};

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
