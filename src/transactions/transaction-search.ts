import type { WantedPage } from '../platform/pages.ts';
import type { Instant } from '../values/instant.ts';
import {
  INSTALLMENT_STATES,
  type InstallmentState,
  TRANSACTION_STATES,
  type TransactionState,
} from './transaction.ts';

/** An order by id is not one by time: ids of requests with a key are derived. */
export type TransactionOrder = 'id' | 'soldAt' | 'amount' | 'nsu' | 'authorizationCode' | 'verdict';

/** Each names few transactions, or those of one thing. Null: not searched by. */
export type TransactionKeys = {
  readonly nsu: string | null;
  readonly authorizationCode: string | null;
  readonly billingId: string | null;
  readonly vaultId: string | null;
  readonly referenceTransaction: string | null;
};

export type TransactionFilter = TransactionKeys & {
  readonly lastFour: string | null;
  readonly states: readonly TransactionState[];
  /** The status of all installments together, of an approved transaction. */
  readonly installmentStates: readonly InstallmentState[];
  /** Business time of the sale; null: no bound. */
  readonly soldFrom: Instant | null;
  readonly soldBefore: Instant | null;
};

export type WantedTransactions = TransactionFilter & WantedPage<TransactionOrder>;

/** From the key that matches fewest transactions to the one that may match most. */
export const TRANSACTION_KEYS = [
  'nsu',
  'authorizationCode',
  'billingId',
  'vaultId',
  'referenceTransaction',
] as const satisfies readonly (keyof TransactionKeys)[];

/** The key whose transactions are read and then filtered; null: those of the period are read. */
export function keyToLookUp(filter: TransactionKeys): keyof TransactionKeys | null {
  return TRANSACTION_KEYS.find((key) => filter[key] !== null) ?? null;
}

/** A page is read along an index in its order, or everything found is sorted (`sorted`). */
export type TransactionSearchKind = 'ofReference' | 'byDay' | 'sorted';

export function transactionSearchKind(wanted: WantedTransactions): TransactionSearchKind {
  const { order, lastFour, states, installmentStates, soldFrom, soldBefore } = wanted;
  const key = keyToLookUp(wanted);
  if (key === null) return order.field === 'soldAt' ? 'byDay' : 'sorted';
  const isOfAnyStatus =
    states.length === TRANSACTION_STATES.length && installmentStates.length === INSTALLMENT_STATES.length;
  const isOfAll = isOfAnyStatus && lastFour === null && soldFrom === null && soldBefore === null;
  return key === 'referenceTransaction' && order.field === 'soldAt' && isOfAll ? 'ofReference' : 'sorted';
}

/** The index in whose order all results are read, page by page. */
export type TransactionWalk = 'byDay' | 'ofReference';

/** Null if no index has this order. */
export function transactionWalk(wanted: WantedTransactions): TransactionWalk | null {
  if (wanted.order.field !== 'soldAt') return null;
  const key = keyToLookUp(wanted);
  if (key === null) return 'byDay';
  return key === 'referenceTransaction' ? 'ofReference' : null;
}
