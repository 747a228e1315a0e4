import type { TransactionState } from '../../transactions/transaction.ts';
import type { Instant } from '../../values/instant.ts';
import { different, type TruthDifference } from './truth.ts';

export type ComparedCharge = {
  readonly transactionId: string;
  readonly soldAt: Instant;
  readonly acquirer: string;
  readonly state: TransactionState;
  readonly wasNeverSent: boolean;
  readonly amount: number;
  readonly canceled: number;
  readonly installmentCount: number;
  readonly installments: { readonly count: number; readonly gross: number };
  /** `moved` and `carried` count installments with a movement and with a receivable. */
  readonly moved: number;
  readonly carried: number;
  readonly isNoted: boolean;
};

/**
 * null: nothing differs, or the charge is approved and has receivables: then its installments are compared
 * one by one.
 */
export function compareCharge(charge: ComparedCharge): TruthDifference | null {
  const { state, amount, installmentCount, installments, moved, carried } = charge;
  const name = 'chargesDiffer';
  if (state !== 'approved')
    // Movements or receivables may exist without installments.
    return different(name, 0, Math.max(installments.count, moved, carried), installments.gross);
  if (carried > 0) return null;
  return (
    different(name, installmentCount, installments.count, installments.gross - amount) ??
    different(name, installmentCount, moved, amount) ??
    different(name, installmentCount, carried, 0 - amount)
  );
}

/**
 * Whether the acquirer is asked about it before others: it differs now, or a difference found earlier is
 * open.
 */
export function isAskedFirst(charge: ComparedCharge): boolean {
  return charge.isNoted || compareCharge(charge) !== null;
}

/** Whether the charge is over, so that the acquirer should not have it. */
export function isOver({ state, wasNeverSent }: ComparedCharge): boolean {
  return (state === 'declined' || state === 'voided') && !wasNeverSent;
}
