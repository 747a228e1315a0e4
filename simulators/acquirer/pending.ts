import { payoutOf } from '../kit/cards/payout.ts';
import type { Charge } from './charge.ts';
import type { Due } from './due-settlements.ts';

/** A cancellation that will be decided. */
export type DueDecision = {
  readonly at: number;
  readonly charge: Charge;
  readonly cancellationReference: string;
  readonly amount: number;
  readonly fails: boolean;
};

/** What can still be given back of a charge. */
export function restOf({ status, amount, canceledAmount, pendingAmount }: Charge): number {
  return status === 'approved' ? amount - canceledAmount - pendingAmount : 0;
}

/** Whether the installment pays for being settled ahead of its day. */
export function coversAnticipation(charge: Charge, installmentNumber: number, fee: number | null): boolean {
  const rest = charge.parts?.[installmentNumber - 1]?.rest ?? 0;
  return fee === null || payoutOf(charge, rest, fee).net >= 0;
}

/** The earlier of what is settled and what is decided; those that are pending are few. */
export function firstOf(
  settlement: Due | null,
  pending: ReadonlyMap<string, DueDecision>,
  until: number,
): Due | DueDecision | null {
  let first: Due | DueDecision | null = settlement;
  for (const decision of pending.values()) {
    if (decision.at <= until && (first === null || decision.at < first.at)) first = decision;
  }
  return first;
}
