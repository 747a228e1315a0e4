import { type Cents, reaisText } from '../../../values/cents.ts';
import { givenBack, PIX_STATES, type Pix, type PixState } from './pix.ts';
import type { PixMove } from './pix-move.ts';

export const PIX_STATUSES = ['processing', 'waiting', 'paid', 'canceled', 'expired', 'declined'] as const;
export type PixStatus = (typeof PIX_STATUSES)[number];

/** A Pix that was given back whole is shown as canceled, like a card payment. */
const STATUS_OF_STATE = {
  issuing: 'processing',
  waiting: 'waiting',
  removing: 'waiting',
  paid: 'paid',
  returned: 'canceled',
  canceled: 'canceled',
  expired: 'expired',
  refused: 'declined',
} as const satisfies Record<PixState, PixStatus>;

export const PIX_WORDS = {
  processing: 'Processando',
  waiting: 'Aguardando',
  paid: 'Paga',
  canceled: 'Cancelada',
  expired: 'Expirada',
  declined: 'Negada',
} as const satisfies Record<PixStatus, string>;

export function statusWord({ state }: { readonly state: PixState }): string {
  return PIX_WORDS[STATUS_OF_STATE[state]];
}

export function statesOfStatus(status: string): readonly PixState[] {
  return PIX_STATES.filter((state) => STATUS_OF_STATE[state] === status);
}

const NSU_DIGITS = 20;

/** The last twenty characters of the end-to-end id; empty where nothing arrived. */
export function nsuOf(endToEndId: string | null): string {
  return endToEndId === null ? '' : endToEndId.slice(-NSU_DIGITS);
}

/**
 * Whether a part of the payment that paid the charge was given back. Other payments that arrived for it do
 * not count.
 */
export function isPartlyReturned({ state, payment, payments }: Pick<Pix, 'state' | 'payment' | 'payments'>) {
  return state === 'paid' && givenBack({ payments: payments.filter(isSame(payment)) }).returned > 0;
}

const isSame = (paid: Pix['payment']) => (one: { readonly endToEndId: string }) =>
  one.endToEndId === paid?.endToEndId;

/** What merchants are told at `urlCallBack`: a change of the status, money back, or money nobody expected. */
export type PixNews = {
  readonly state: PixState;
  readonly payment: Pix['payment'];
  readonly returnedAmount: Cents;
  readonly unexpectedPayment: {
    readonly endToEndId: string;
    readonly amount: Cents;
    readonly kind: string;
  } | null;
};

/** The callback for a change that the merchant sees. */
export function callbackBody(pix: Pix, move: PixMove, momentText: string): string {
  const returnedAmount = givenBack(pix).returned;
  return newsBody(
    pix,
    { state: move.to, payment: move.payment, returnedAmount, unexpectedPayment: null },
    momentText,
  );
}

export function newsBody(
  pix: Pix,
  { state, payment, returnedAmount, unexpectedPayment }: PixNews,
  momentText: string,
) {
  const status = statusWord({ state });
  return JSON.stringify({
    Value: Number(reaisText(pix.amount)),
    Origin: 'GATEWAY_2D',
    Date: momentText,
    Installments: 1,
    TransactionType: 'PIX',
    ResultId: pix.pixId,
    AuthorizationCode: null,
    Status: status.toUpperCase(),
    paymentId: pix.pixId,
    referenceTransaction: pix.referenceTransaction,
    txid: pix.txid,
    statusDescription: status,
    endToEndId: payment?.endToEndId ?? null,
    paidAmount: payment?.amount ?? null,
    returnedAmount,
    unexpectedPayment: unexpectedPayment === null ? null : { ...unexpectedPayment, state: 'open' },
  });
}
