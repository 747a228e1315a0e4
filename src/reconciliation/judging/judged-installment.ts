import type { InstallmentState } from '../../transactions/transaction.ts';
import type { Day } from '../../values/instant.ts';
import { ROUNDING_CENTS } from '../receivables/receivable.ts';

/** An installment as it is judged: what we expect of it, and what our books say happened to it. */
export type JudgedInstallment = {
  readonly gross: number;
  /** Cents that were given back or taken back, by our books. */
  readonly canceled: number;
  /** Cents of chargebacks that the books took; null: of one they have no amount. */
  readonly chargedBack: number | null;
  /** Of these, what they took because a file said so. */
  readonly chargedBackByFiles: number;
  /** Hundredths of a percent. */
  readonly feePortion: number;
  /** Of what was left of it when it was paid, or is left now. */
  readonly expectedFee: number;
  readonly expectedNet: number;
  readonly expectedOn: Day;
  /** When it was paid by the books, with or without a line of a file; null: not (yet). */
  readonly paidOn: Day | null;
  readonly installmentCount: number;
  readonly state: InstallmentState;
  /** Files of the merchant's establishments cover its day, and `GRACE_DAYS` behind it. */
  readonly isCovered: boolean;
  /** A line pays its batch, and waits for the list of the batch to be whole. */
  readonly awaitsList: boolean;
  /** They do not cover `TAKING_DAYS` behind it: a debit of what was given back may still come. */
  readonly mayStillTake: boolean;
};

/** A file may bring a payout up to so many days behind its day. */
export const GRACE_DAYS = 2;

/** A file may take what was given back before a payout, and paid with it, up to so many days behind it. */
export const TAKING_DAYS = 10;

/** What its payout should be of. */
export function dueGross({ expectedFee, expectedNet }: JudgedInstallment): number {
  return expectedFee + expectedNet;
}

/** What should be kept of a payout of so much. */
export function feeOf(installment: JudgedInstallment, gross: number): number {
  const due = dueGross(installment);
  return due === 0
    ? Math.round((gross * installment.feePortion) / 10_000)
    : Math.round((installment.expectedFee * gross) / due);
}

/** Cents by which a file may divide a sale over its installments otherwise than we do. */
function dividingCents({ installmentCount }: Pick<JudgedInstallment, 'installmentCount'>): number {
  return installmentCount - 1;
}

export function isRoundingOfAmount(
  cents: number,
  installment: Pick<JudgedInstallment, 'installmentCount'>,
): boolean {
  return Math.abs(cents) <= dividingCents(installment);
}

/** We round the fee of a sale once and divide it, acquirers may round each installment's. */
export function roundingOfFee(installment: Pick<JudgedInstallment, 'installmentCount'>): number {
  return dividingCents(installment) + ROUNDING_CENTS;
}

export function isRoundingOfFee(
  cents: number,
  installment: Pick<JudgedInstallment, 'installmentCount'>,
): boolean {
  return Math.abs(cents) <= roundingOfFee(installment);
}
