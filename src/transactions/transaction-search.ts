import type { WantedPage } from '../platform/pages.ts';
import type { Instant } from '../values/instant.ts';
import {
  INSTALLMENT_STATES,
  type InstallmentState,
  TRANSACTION_STATES,
  type TransactionState,
} from './transaction.ts';

/** By what a search can be put in order. Ids say nothing of time: those of keyed requests are derived. */
export type TransactionOrder = 'id' | 'soldAt' | 'amount' | 'nsu' | 'authorizationCode' | 'verdict';

/** What names few transactions, or those of one thing; null: not asked for. */
export type TransactionKeys = {
  readonly nsu: string | null;
  readonly authorizationCode: string | null;
  /** Those that charged a billing. */
  readonly billingId: string | null;
  readonly vaultId: string | null;
  readonly referenceTransaction: string | null;
};

/** Which transactions are looked for. */
export type TransactionFilter = TransactionKeys & {
  readonly lastFour: string | null;
  readonly states: readonly TransactionState[];
  /** What the installments of an approved one show as one. */
  readonly installmentStates: readonly InstallmentState[];
  /** Business time of the sale; null: at any time. */
  readonly soldFrom: Instant | null;
  readonly soldBefore: Instant | null;
};

export type WantedTransactions = TransactionFilter & WantedPage<TransactionOrder>;

/** From the key that names fewest to the one that may name most. */
export const TRANSACTION_KEYS = [
  'nsu',
  'authorizationCode',
  'billingId',
  'vaultId',
  'referenceTransaction',
] as const satisfies readonly (keyof TransactionKeys)[];

/** The key whose transactions are read, to be filtered by all else; null: those of the days are. */
export function keyToLookUp(filter: TransactionKeys): keyof TransactionKeys | null {
  return TRANSACTION_KEYS.find((key) => filter[key] !== null) ?? null;
}

/**
 * How a page is found: along an index that stands in its order, or by putting everything that was found in
 * order.
 */
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

/** How all that was found is walked, a page behind the other: along an index that is in its order. */
export type TransactionWalk = 'byDay' | 'ofReference';

/** Null: no index has this order. */
export function transactionWalk(wanted: WantedTransactions): TransactionWalk | null {
  if (wanted.order.field !== 'soldAt') return null;
  const key = keyToLookUp(wanted);
  if (key === null) return 'byDay';
  return key === 'referenceTransaction' ? 'ofReference' : null;
}
