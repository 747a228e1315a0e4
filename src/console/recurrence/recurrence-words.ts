import type { Tone } from '../parts/page-parts.ts';

type Words = Readonly<Record<string, { readonly tone: Tone; readonly text: string }>>;

/** As the API shows them, and how a page says it. */
export const SUBSCRIPTION_STATES: Words = {
  Active: { tone: 'good', text: 'Active' },
  Blocked: { tone: 'bad', text: 'Blocked' },
  Canceled: { tone: 'plain', text: 'Canceled' },
};

export const PLAN_STATES: Words = {
  Active: { tone: 'good', text: 'Active plan' },
  Inactive: { tone: 'wait', text: 'Takes no new subscriptions' },
  Canceled: { tone: 'plain', text: 'Canceled plan' },
};

export const BILLING_STATES: Words = {
  Opened: { tone: 'wait', text: 'To be charged' },
  PaymentInvalid: { tone: 'bad', text: 'Could not be charged' },
  Canceled: { tone: 'plain', text: 'Canceled' },
  Denied: { tone: 'bad', text: 'Declined' },
  Paid: { tone: 'good', text: 'Paid' },
};

export const ENTRY_WORDS: Readonly<Record<string, string>> = {
  Created: 'Created',
  Activated: 'Activated',
  Canceled: 'Canceled',
  Blocked: 'Blocked',
  Completed: 'Completed',
  VaultChanged: 'Card changed',
  CustomerChanged: 'Customer changed',
  Opened: 'Opened',
  Charged: 'Charged',
};

export const PLAN_TYPES: Readonly<Record<string, string>> = {
  Monthly: 'Monthly',
  Bimonthly: 'Every two months',
  Quarterly: 'Every three months',
  Semesterly: 'Every six months',
  Yearly: 'Yearly',
  Custom: 'Its own rhythm',
};

/** Times of recurrence come without their zone, which is São Paulo's. */
export function saoPauloMoment(text: string): string {
  return `${text}-03:00`;
}
