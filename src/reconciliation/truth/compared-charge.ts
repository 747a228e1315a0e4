import type { TransactionState } from '../../transactions/transaction.ts';
import type { Instant } from '../../values/instant.ts';
import { different, type TruthDifference } from './truth.ts';

/** A charge as a whole: what its own row says, and how much stands under it. */
export type ComparedCharge = {
  readonly transactionId: string;
  readonly soldAt: Instant;
  /** The provider that has it. */
  readonly acquirer: string;
  readonly state: TransactionState;
  /** It ended before the acquirer was asked. */
  readonly wasNeverSent: boolean;
  readonly amount: number;
  readonly canceled: number;
  readonly installmentCount: number;
  readonly installments: { readonly count: number; readonly gross: number };
  /** Installments of which a movement or a receivable is recorded. */
  readonly moved: number;
  readonly carried: number;
  /** A difference of it stands that was found before. */
  readonly isNoted: boolean;
};

/**
 * In what a charge differs from what stands under it; null: in nothing. Where a receivable was carried of it,
 * its installments are compared one by one.
 */
export function compareCharge(charge: ComparedCharge): TruthDifference | null {
  const { state, amount, installmentCount, installments, moved, carried } = charge;
  const name = 'chargesDiffer';
  if (state !== 'approved')
    // Of those that are none a movement or a receivable may stand alone.
    return different(name, 0, Math.max(installments.count, moved, carried), installments.gross);
  if (carried > 0) return null;
  return (
    different(name, installmentCount, installments.count, installments.gross - amount) ??
    different(name, installmentCount, moved, amount) ??
    different(name, installmentCount, carried, 0 - amount)
  );
}

/** Of those that are over: whether the acquirer is asked for it before others, until it is at one. */
export function isAskedFirst(charge: ComparedCharge): boolean {
  return charge.isNoted || compareCharge(charge) !== null;
}

/** Whether the acquirer should have nothing of it. */
export function isOver({ state, wasNeverSent }: ComparedCharge): boolean {
  return (state === 'declined' || state === 'voided') && !wasNeverSent;
}
