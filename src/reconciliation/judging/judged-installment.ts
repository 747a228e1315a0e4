import type { InstallmentState } from '../../transactions/transaction.ts';
import type { Day } from '../../values/instant.ts';
import { ROUNDING_CENTS } from '../receivables/receivable.ts';
import { type EntryKind, type EntryMoney, isPaying, netOf } from '../settlement-entry.ts';

export type JudgedInstallment = {
  readonly gross: number;
  /** Cents refunded or charged back, by our books. */
  readonly canceled: number;
  /** null: a chargeback has no amount. */
  readonly chargedBack: number | null;
  /** The part of `chargedBack` that files reported. */
  readonly chargedBackByFiles: number;
  /** Hundredths of a percent. */
  readonly feePortion: number;
  /** Of what was left when it was paid, or is left now. */
  readonly expectedFee: number;
  readonly expectedNet: number;
  readonly expectedOn: Day;
  /** By the books, whether from a file or not. */
  readonly paidOn: Day | null;
  readonly installmentCount: number;
  readonly state: InstallmentState;
  /** Files cover its day and the `GRACE_DAYS` after it. */
  readonly isCovered: boolean;
  /** The sale list of its batch payout is not complete yet. */
  readonly awaitsList: boolean;
  /** A debit for a refund may still come: files do not cover the `TAKING_DAYS` after its day. */
  readonly mayStillTake: boolean;
};

/** How late a file may report a payout. */
export const GRACE_DAYS = 2;

/** How long after the payout a file may debit an earlier refund. */
export const TAKING_DAYS = 10;

export function dueGross({ expectedFee, expectedNet }: JudgedInstallment): number {
  return expectedFee + expectedNet;
}

export function feeOf(installment: JudgedInstallment, gross: number): number {
  const due = dueGross(installment);
  return due === 0
    ? Math.round((gross * installment.feePortion) / 10_000)
    : Math.round((installment.expectedFee * gross) / due);
}

/** Acquirers may divide a sale over its installments differently by so many cents. */
function dividingCents({ installmentCount }: Pick<JudgedInstallment, 'installmentCount'>): number {
  return installmentCount - 1;
}

export function isRoundingOfAmount(
  cents: number,
  installment: Pick<JudgedInstallment, 'installmentCount'>,
): boolean {
  return Math.abs(cents) <= dividingCents(installment);
}

/** We round the fee of a sale once; acquirers may round each installment's. */
export function roundingOfFee(installment: Pick<JudgedInstallment, 'installmentCount'>): number {
  return dividingCents(installment) + ROUNDING_CENTS;
}

export function isRoundingOfFee(
  cents: number,
  installment: Pick<JudgedInstallment, 'installmentCount'>,
): boolean {
  return Math.abs(cents) <= roundingOfFee(installment);
}

/** In the order in which they are tried. */
export const MATCH_RULES = ['reference', 'tid', 'nsu', 'authorization', 'batch'] as const;
export type MatchRule = (typeof MATCH_RULES)[number];

export const FILED_CHANGE_STATES = ['waiting', 'applied', 'refused'] as const;

export type InstallmentKey = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly installmentNumber: number;
};

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

/** null: no file paid anything. */
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
