import type { WantedPage } from '../../platform/pages.ts';
import {
  BOLETO_STATES,
  type BoletoState,
  OPEN_STATES,
  type OpenState,
} from '../../transactions/methods/boleto/boleto.ts';
import { PIX_STATES, type PixState } from '../../transactions/methods/pix/pix.ts';
import {
  INSTALLMENT_STATES,
  type InstallmentState,
  TRANSACTION_STATES,
  type TransactionState,
} from '../../transactions/transaction.ts';
import type { Instant } from '../../values/instant.ts';

/** For a search without a key. */
export const MOST_DAYS = 93;

export const METHODS = ['card', 'pix', 'boleto'] as const;
export type Method = (typeof METHODS)[number];

/** An order by id is no order by time: ids of requests with a key are derived. */
export type PaymentOrder = 'id' | 'soldAt' | 'amount' | 'nsu' | 'authorizationCode' | 'verdict';

/** From the key that matches fewest payments to the one that may match most. */
export const PAYMENT_KEYS = [
  'txid',
  'endToEndId',
  'nsu',
  'authorizationCode',
  'billingId',
  'vaultId',
  'referenceTransaction',
] as const;

/**
 * Each key matches few payments, or those of one card, order or billing. Null: the search does not name it.
 */
export type PaymentKeys = { readonly [Key in (typeof PAYMENT_KEYS)[number]]: string | null };

/** The wanted states of each method. None: no payment of this method is read. */
export type WantedStates = {
  readonly states: readonly TransactionState[];
  /** The status of all installments together, of an approved transaction. */
  readonly installmentStates: readonly InstallmentState[];
  readonly pixStates: readonly PixState[];
  readonly boletoStates: readonly BoletoState[];
  /** The shown state of a boleto that is being canceled. */
  readonly shownAs: readonly OpenState[];
};

export type PaymentFilter = PaymentKeys &
  WantedStates & {
    readonly lastFour: string | null;
    /** Only payments partly given back: searched by day alone. */
    readonly isPartlyReturned: boolean;
    /** Business time of the sale; null: no bound. */
    readonly soldFrom: Instant | null;
    readonly soldBefore: Instant | null;
  };

export type WantedPayments = PaymentFilter & WantedPage<PaymentOrder>;

const ONLY_OF: Partial<Record<string, readonly Method[]>> = {
  authorizationCode: ['card'],
  vaultId: ['card'],
  lastFour: ['card'],
  billingId: ['card', 'pix'],
  isPartlyReturned: ['card', 'pix'],
  txid: ['pix'],
  endToEndId: ['pix'],
} satisfies Partial<Record<keyof PaymentFilter, readonly Method[]>>;

/** The methods whose payments a filter of that name can find. */
export function methodsOfFilter(name: string): readonly Method[] {
  return ONLY_OF[name] ?? METHODS;
}

export const EVERY_STATE: WantedStates = {
  states: TRANSACTION_STATES,
  installmentStates: INSTALLMENT_STATES,
  pixStates: PIX_STATES,
  boletoStates: BOLETO_STATES,
  shownAs: OPEN_STATES,
};

export function statesOfMethods(wanted: WantedStates, methods: readonly Method[]): WantedStates {
  return {
    ...wanted,
    states: methods.includes('card') ? wanted.states : [],
    pixStates: methods.includes('pix') ? wanted.pixStates : [],
    boletoStates: methods.includes('boleto') ? wanted.boletoStates : [],
  };
}

/** The key whose payments are read and then filtered; null: the period's payments are read. */
export function keyToLookUp(filter: PaymentKeys): keyof PaymentKeys | null {
  return PAYMENT_KEYS.find((key) => filter[key] !== null) ?? null;
}

/** A page is read along indexes in its order, or everything found is sorted (`sorted`). */
export type PaymentSearchKind = 'ofReference' | 'byDay' | 'partlyReturned' | 'sorted';

export function paymentSearchKind(wanted: WantedPayments): PaymentSearchKind {
  const { order, lastFour, soldFrom, soldBefore } = wanted;
  const key = keyToLookUp(wanted);
  if (wanted.isPartlyReturned) return 'partlyReturned';
  if (key === null) return order.field === 'soldAt' ? 'byDay' : 'sorted';
  const isOfAll = isOfAnyState(wanted) && lastFour === null && soldFrom === null && soldBefore === null;
  return key === 'referenceTransaction' && order.field === 'soldAt' && isOfAll ? 'ofReference' : 'sorted';
}

function isOfAnyState(wanted: WantedStates): boolean {
  return (Object.keys(EVERY_STATE) as (keyof WantedStates)[]).every(
    (name) => wanted[name].length === EVERY_STATE[name].length,
  );
}

/** The indexes in whose order all results are read, page by page. */
export type PaymentWalk = 'byDay' | 'ofReference' | 'partlyReturned';

/** Null if no index has this order. */
export function paymentWalk(wanted: WantedPayments): PaymentWalk | null {
  if (wanted.order.field !== 'soldAt') return null;
  if (wanted.isPartlyReturned) return 'partlyReturned';
  const key = keyToLookUp(wanted);
  if (key === null) return 'byDay';
  return key === 'referenceTransaction' ? 'ofReference' : null;
}
