import type { LinkStatusWord } from '../../payments/links/contract.ts';
import type { LIST_PAYMENTS } from '../../payments/list/contract.ts';
import type { CardPayment } from '../../payments/status/contract.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import type { GET_BILLING } from '../../recurrence/billings/contract.ts';
import type { GET_PLAN } from '../../recurrence/plans/contract.ts';
import type { GET_SUBSCRIPTION } from '../../recurrence/subscriptions/contract.ts';
import type { PaymentKind } from '../../transactions/bill-payment.ts';
import type { STATUS_BILL } from '../../transactions/methods/boleto/bill-status.ts';
import type { GET_DELIVERY } from '../../webhooks/history/contract.ts';
import { type Html, html } from './html.ts';
import type { Wording } from './wording.ts';

/** The colour of a state. Its word is always shown too: colour alone is not enough. */
export type Tone = 'good' | 'wait' | 'bad' | 'plain';

export type StateLook = { readonly tone: Tone; readonly text: string };

/** The words of all states of a thing. The compiler reports a state that has none. */
export type States<State extends string> = Readonly<Record<State, StateLook>>;

export const PAYMENT_STATES = {
  Processando: { tone: 'wait', text: 'Processing' },
  'Pré-autorizada': { tone: 'wait', text: 'Preauthorized' },
  Autorizada: { tone: 'good', text: 'Authorized' },
  Negada: { tone: 'bad', text: 'Declined' },
  Desfeita: { tone: 'plain', text: 'Voided' },
  Cancelada: { tone: 'plain', text: 'Canceled' },
  Bloqueada: { tone: 'bad', text: 'Blocked' },
  Paga: { tone: 'good', text: 'Paid' },
  Aguardando: { tone: 'wait', text: 'Waits for its payer' },
  Vencida: { tone: 'bad', text: 'Past its due day' },
  Expirada: { tone: 'plain', text: 'Expired unpaid' },
} as const satisfies States<AnswerOf<typeof LIST_PAYMENTS>['items'][number]['statusDescription']>;

export const METHOD_WORDS = {
  card: 'Card',
  pix: 'Pix',
  boleto: 'Boleto',
} as const satisfies Record<AnswerOf<typeof LIST_PAYMENTS>['items'][number]['method'], string>;

export const CANCEL_STATES = {
  Processando: { tone: 'wait', text: 'Processing' },
  Pendente: { tone: 'wait', text: 'Accepted, decided later' },
  Cancelado: { tone: 'good', text: 'Given back' },
  Recusado: { tone: 'bad', text: 'Refused' },
} as const satisfies States<CardPayment['cancels'][number]['status']>;

export const SUBSCRIPTION_STATES = {
  Pending: { tone: 'wait', text: 'Waits for the payer' },
  Active: { tone: 'good', text: 'Active' },
  Blocked: { tone: 'bad', text: 'Blocked' },
  Canceled: { tone: 'plain', text: 'Canceled' },
  Rejected: { tone: 'bad', text: 'Refused by the payer' },
  Expired: { tone: 'plain', text: 'Not authorized in time' },
} as const satisfies States<AnswerOf<typeof GET_SUBSCRIPTION>['status']>;

export const PLAN_STATES = {
  Active: { tone: 'good', text: 'Active plan' },
  Inactive: { tone: 'wait', text: 'Takes no new subscriptions' },
  Canceled: { tone: 'plain', text: 'Canceled plan' },
} as const satisfies States<AnswerOf<typeof GET_PLAN>['status']>;

export const BILLING_STATES = {
  Opened: { tone: 'wait', text: 'To be charged' },
  PaymentInvalid: { tone: 'bad', text: 'Could not be charged' },
  Canceled: { tone: 'plain', text: 'Canceled' },
  Denied: { tone: 'bad', text: 'Declined' },
  Paid: { tone: 'good', text: 'Paid' },
} as const satisfies States<AnswerOf<typeof GET_BILLING>['status']>;

export const DEVOLUTION_STATES = {
  ...CANCEL_STATES,
  Cancelado: { tone: 'good', text: 'Returned' },
} as const satisfies States<keyof typeof CANCEL_STATES>;

export const RECEIVED_WORDS = {
  expected: 'As expected',
  second: 'Paid again, or its link was',
  afterEnd: 'Paid after the end',
  otherAmount: 'Another amount',
} as const satisfies Record<PaymentKind, string>;

/**
 * The one payment, among all that arrived for a Pix, that paid it. Its kind does not tell: a payment of kind
 * `second` pays the Pix too if only the Pix's payment link was paid before.
 */
export function payingOf<P extends { readonly endToEndId: string; readonly amount: number }>(pix: {
  readonly nsu: string | null;
  readonly paidAmount: number | null;
  readonly payments: readonly P[];
}): P | undefined {
  const { nsu, paidAmount, payments } = pix;
  return nsu === null
    ? undefined
    : payments.find(({ endToEndId, amount }) => endToEndId.endsWith(nsu) && amount === paidAmount);
}

export const LINK_STATES = {
  Aberto: { tone: 'good', text: 'Can be paid' },
  Processando: { tone: 'wait', text: 'Being paid' },
  Pago: { tone: 'good', text: 'Paid link' },
  Desativado: { tone: 'plain', text: 'Disabled link' },
  Expirado: { tone: 'plain', text: 'Past its last day' },
} as const satisfies States<LinkStatusWord>;

/** 0: the bank has not answered yet. */
export type StatusBill = `${0 | (typeof STATUS_BILL)[keyof typeof STATUS_BILL]}`;

export const BOLETO_STATES = {
  0: { tone: 'wait', text: 'Being issued' },
  1: { tone: 'good', text: 'Issued' },
  2: { tone: 'good', text: 'Paid up' },
  3: { tone: 'bad', text: 'Overdue' },
  4: { tone: 'plain', text: 'Withdrawn' },
  5: { tone: 'plain', text: 'Expired' },
} as const satisfies States<StatusBill>;

export const DELIVERY_STATES = {
  Waiting: { tone: 'wait', text: 'Waiting' },
  Delivered: { tone: 'good', text: 'Delivered' },
  GivenUp: { tone: 'bad', text: 'Given up' },
} as const satisfies States<AnswerOf<typeof GET_DELIVERY>['status']>;

export const NOTIFIER_STATES = {
  Active: { tone: 'good', text: 'Works' },
  Ended: { tone: 'plain', text: 'Ended' },
} as const satisfies States<string>;

export const CREDENTIAL_STATES = {
  works: { tone: 'good', text: 'Works' },
  disabled: { tone: 'plain', text: 'Disabled' },
} as const satisfies States<string>;

export const ENTRY_STATES = {
  open: { tone: 'good', text: 'Open' },
  lockedOut: { tone: 'bad', text: 'Locked out' },
  billingsHeld: { tone: 'wait', text: 'Billings held' },
} as const satisfies States<string>;

export function badge(tone: Tone, text: string): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** A state that only a newer version knows has no words here: it is shown as it is. */
function ofState<State extends string>(states: States<State>, state: State) {
  const known: Partial<States<State>> = states;
  return known[state] ?? { tone: 'plain' as const, text: state };
}

export function stateBadge<State extends string>(
  states: States<State>,
  state: NoInfer<State>,
  { say }: Wording,
): Html {
  const { tone, text } = ofState(states, state);
  return badge(tone, say(text));
}

export function stateText<State extends string>(
  states: States<State>,
  state: NoInfer<State>,
  { say }: Wording,
): string {
  return say(ofState(states, state).text);
}

type StandingPayment = {
  readonly method: keyof typeof METHOD_WORDS;
  readonly statusDescription: keyof typeof PAYMENT_STATES;
  readonly isPartlyReturned: boolean;
};

/** A payment that was given back in part has a second badge. */
export function paymentBadges(payment: StandingPayment, wording: Wording): Html {
  return html`${stateBadge(PAYMENT_STATES, payment.statusDescription, wording)}${
    payment.isPartlyReturned &&
    html` ${badge('wait', wording.say(payment.method === 'pix' ? 'Returned in part' : 'Given back in part'))}`
  }`;
}

export function methodChoices({ say }: Wording): readonly (readonly [string, string])[] {
  return [
    ['', say('Any')],
    ...Object.entries(METHOD_WORDS).map(([method, text]) => [method, say(text)] as const),
  ];
}

export function stateChoices(
  states: States<string>,
  { say }: Wording,
): readonly (readonly [string, string])[] {
  return [
    ['', say('Any')],
    ...Object.entries(states).map(([state, { text }]) => [state, say(text)] as const),
  ];
}
