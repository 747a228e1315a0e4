import type { ChangeEvent } from '../../src/providers/acquirers/acquirer.ts';
import type { InstallmentState } from '../../src/transactions/transaction.ts';

export type WantedEvent = {
  readonly paymentId: string;
  readonly installmentNumber: number;
  readonly event: ChangeEvent;
  /** Cents of a chargeback; null: the rest of the installment. */
  readonly amount: number | null;
};

/** `notFound`: no such payment or installment. `forbidden`: not possible in this state. */
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
