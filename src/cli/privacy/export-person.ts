import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { VaultCard } from '../../cards/vault/vault-card.ts';
import { vaultCardsRead } from '../../cards/vault/vault-cards.sql.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import {
  type CardSubscription,
  listSubscriptionsOf,
} from '../../recurrence/subscriptions/subscriptions-of-cards.sql.ts';
import {
  type CustomerFilter,
  type CustomerPayment,
  FIRST_PAYMENT,
  listCustomerPayments,
} from '../../transactions/customers/customers.sql.ts';
import {
  listMessagesOf,
  type NamedPayment,
  type PaymentMessage,
} from '../../webhooks/history/messages-of-payments.sql.ts';
import { personName } from './person.ts';

export type PrivacyTools = {
  readonly database: Database;
  readonly keyring: Pick<Keyring, 'fingerprint'>;
  readonly audit: Audit;
  readonly operator: Actor;
};

const PAGE = 200;
/** All of it is printed at once. */
const MOST_PAYMENTS = 10_000;
/** Of one payment, and of one card. */
const MOST_OF_ONE = 1_000;

/** What is kept about a person, as far as it can be found by the document. */
export type KeptOfPerson = {
  readonly payments: readonly CustomerPayment[];
  readonly cards: readonly VaultCard[];
  readonly subscriptions: readonly CardSubscription[];
  readonly messages: readonly PaymentMessage[];
  /** False: there are more payments than are shown. */
  readonly isComplete: boolean;
};

/** Gives what is kept about a person; what cannot be audited is not shown. */
export async function exportPerson(tools: PrivacyTools, filter: CustomerFilter): Promise<KeptOfPerson> {
  const found: CustomerPayment[] = [];
  let isComplete = false;
  while (!isComplete && found.length < MOST_PAYMENTS) {
    const last = found.at(-1) ?? FIRST_PAYMENT;
    const page = await listCustomerPayments(tools.database, filter, last, PAGE);
    found.push(...page);
    isComplete = page.length < PAGE;
  }
  const cards = await findCards(tools.database, found);
  const subscriptions = await listSubscriptionsOf(tools.database, cards, MOST_OF_ONE);
  const messages: PaymentMessage[] = [];
  for (const payments of pagesOf(withNsu(found)))
    messages.push(...(await listMessagesOf(tools.database, payments, MOST_OF_ONE)));
  await tools.audit.record({
    ...tools.operator,
    action: 'privacy.export',
    outcome: 'success',
    resource: personName(tools.keyring, filter.document),
    detail: {
      ...(filter.merchantId === null ? {} : { merchant: filter.merchantId }),
      payments: found.length,
      cards: cards.length,
    },
  });
  return { payments: found, cards, subscriptions, messages, isComplete };
}

/** The stored cards that paid. */
export async function findCards(
  database: Database,
  payments: readonly CustomerPayment[],
): Promise<VaultCard[]> {
  const keys = new Map(
    payments.flatMap(({ merchantId, vaultId }) =>
      vaultId === null ? [] : [[`${merchantId}|${vaultId}`, { merchantId, vaultId }] as const],
    ),
  );
  const cards: VaultCard[] = [];
  for (const page of pagesOf([...keys.values()]))
    cards.push(...(await vaultCardsRead(database).read(page)).values());
  return cards;
}

/** Those that were approved: messages are found by the NSU. */
export function withNsu(payments: readonly CustomerPayment[]): NamedPayment[] {
  return payments.flatMap(({ merchantId, transactionId, nsu }) =>
    nsu === null ? [] : [{ merchantId, transactionId, nsu }],
  );
}

function pagesOf<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / PAGE) }, (_, page) =>
    all.slice(page * PAGE, (page + 1) * PAGE),
  );
}
