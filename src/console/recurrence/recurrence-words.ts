import type { LIST_VAULT_CARDS } from '../../cards/vault/contract.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import type { GET_BILLING } from '../../recurrence/billings/contract.ts';
import type { GET_PLAN } from '../../recurrence/plans/contract.ts';
import type { GET_SUBSCRIPTION } from '../../recurrence/subscriptions/contract.ts';
import { cardText, type ShownCard } from '../parts/page-parts.ts';

type Entry =
  | AnswerOf<typeof GET_BILLING>['timeline'][number]
  | AnswerOf<typeof GET_SUBSCRIPTION>['timeline'][number];

export const ENTRY_WORDS = {
  Created: 'Created',
  Activated: 'Activated',
  Canceled: 'Canceled',
  Blocked: 'Blocked',
  Completed: 'Completed',
  VaultChanged: 'Card changed',
  CustomerChanged: 'Customer changed',
  Rejected: 'Refused by the payer',
  Expired: 'Not authorized in time',
  Opened: 'Opened',
  Charged: 'Charged',
} as const satisfies Record<Entry['type'], string>;

export const PLAN_TYPE_WORDS = {
  Weekly: 'Weekly',
  Monthly: 'Monthly',
  Bimonthly: 'Every two months',
  Quarterly: 'Every three months',
  Semesterly: 'Every six months',
  Yearly: 'Yearly',
  Custom: 'Its own rhythm',
} as const satisfies Record<AnswerOf<typeof GET_PLAN>['planType'], string>;

/** A stored card without its holder, whose name is shown only where that is audited. */
export type ShownStoredCard = ShownCard & {
  readonly expirationMonth: string;
  readonly expirationYear: string;
};

export function shownCardText({ expirationMonth, expirationYear, ...card }: ShownStoredCard): string {
  return `${cardText(card)} · ${expirationMonth}/${expirationYear}`;
}

type ListedCard = AnswerOf<typeof LIST_VAULT_CARDS>['items'][number];

export function storedCardText({ lastFourDigits, cardholderName, ...card }: ListedCard): string {
  return `${shownCardText({ ...card, lastFour: lastFourDigits })} · ${cardholderName}`;
}
