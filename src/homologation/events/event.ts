import type { ChangeEvent } from '../../acquirers/acquirer.ts';
import type { InstallmentState } from '../../transactions/transaction.ts';

/** A requested event of an installment. */
export type WantedEvent = {
  readonly paymentId: string;
  readonly installmentNumber: number;
  readonly event: ChangeEvent;
  /** Cents that a chargeback takes back; null: the rest of the installment. */
  readonly amount: number | null;
};

/**
 * `notFound`: no such payment of this merchant, or no such installment. `forbidden`: it cannot
 * happen as things are.
 */
export type EventRefusal = 'notFound' | 'forbidden';

export type EventResult =
  | { readonly kind: 'happened'; readonly state: InstallmentState }
  | { readonly kind: 'refused'; readonly refusal: EventRefusal };

export const SIMULATOR_WORDS = {
  settle: 'settled',
  block: 'blocked',
  unblock: 'unblocked',
  chargeback: 'chargeback',
} as const satisfies Record<ChangeEvent, string>;
