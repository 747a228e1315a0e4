import { type Html, html } from './html.ts';
import type { Wording } from './wording.ts';

/** How a state looks: `bad` is not said by its colour alone, the word stands there. */
export type Tone = 'good' | 'wait' | 'bad' | 'plain';

/** The states of a kind of thing: how each looks, and its words in English. */
export type States = Readonly<Record<string, { readonly tone: Tone; readonly text: string }>>;

/** Of a payment and its installments, as the API shows them. */
export const PAYMENT_STATES: States = {
  Processando: { tone: 'wait', text: 'Processing' },
  'Pré-autorizada': { tone: 'wait', text: 'Preauthorized' },
  Autorizada: { tone: 'good', text: 'Authorized' },
  Negada: { tone: 'bad', text: 'Declined' },
  Desfeita: { tone: 'plain', text: 'Voided' },
  Cancelada: { tone: 'plain', text: 'Canceled' },
  Bloqueada: { tone: 'bad', text: 'Blocked' },
  Paga: { tone: 'good', text: 'Paid' },
};

export const CANCEL_STATES: States = {
  Processando: { tone: 'wait', text: 'Processing' },
  Pendente: { tone: 'wait', text: 'Accepted, decided later' },
  Cancelado: { tone: 'good', text: 'Given back' },
  Recusado: { tone: 'bad', text: 'Refused' },
};

export const SUBSCRIPTION_STATES: States = {
  Active: { tone: 'good', text: 'Active' },
  Blocked: { tone: 'bad', text: 'Blocked' },
  Canceled: { tone: 'plain', text: 'Canceled' },
};

export const PLAN_STATES: States = {
  Active: { tone: 'good', text: 'Active plan' },
  Inactive: { tone: 'wait', text: 'Takes no new subscriptions' },
  Canceled: { tone: 'plain', text: 'Canceled plan' },
};

export const BILLING_STATES: States = {
  Opened: { tone: 'wait', text: 'To be charged' },
  PaymentInvalid: { tone: 'bad', text: 'Could not be charged' },
  Canceled: { tone: 'plain', text: 'Canceled' },
  Denied: { tone: 'bad', text: 'Declined' },
  Paid: { tone: 'good', text: 'Paid' },
};

/** By `statusBill`. */
export const BOLETO_STATES: States = {
  0: { tone: 'wait', text: 'Being issued' },
  1: { tone: 'good', text: 'Issued' },
  2: { tone: 'good', text: 'Paid up' },
  3: { tone: 'bad', text: 'Overdue' },
  4: { tone: 'plain', text: 'Withdrawn' },
  5: { tone: 'plain', text: 'Expired' },
};

export const DELIVERY_STATES: States = {
  Waiting: { tone: 'wait', text: 'Waiting' },
  Delivered: { tone: 'good', text: 'Delivered' },
  GivenUp: { tone: 'bad', text: 'Given up' },
};

export const NOTIFIER_STATES: States = {
  Active: { tone: 'good', text: 'Works' },
  Ended: { tone: 'plain', text: 'Ended' },
};

export const CREDENTIAL_STATES: States = {
  works: { tone: 'good', text: 'Works' },
  disabled: { tone: 'plain', text: 'Disabled' },
};

/** Of a merchant, and of a user: whether it is let in. */
export const ENTRY_STATES: States = {
  open: { tone: 'good', text: 'Open' },
  lockedOut: { tone: 'bad', text: 'Locked out' },
  billingsHeld: { tone: 'wait', text: 'Billings held' },
};

export function badge(tone: Tone, text: string): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** A state that the table does not have yet is shown as it is called. */
export function stateBadge(states: States, state: string, { say }: Wording): Html {
  const { tone, text } = states[state] ?? { tone: 'plain' as const, text: state };
  return badge(tone, say(text));
}

export function stateText(states: States, state: string, { say }: Wording): string {
  return say(states[state]?.text ?? state);
}

/** To filter by a state, the first is none. */
export function stateChoices(states: States, { say }: Wording): readonly (readonly [string, string])[] {
  return [
    ['', say('Any')],
    ...Object.entries(states).map(([state, { text }]) => [state, say(text)] as const),
  ];
}
