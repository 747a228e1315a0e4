import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { VaultCard } from '../../cards/vault/vault-card.ts';
import { vaultCardsRead } from '../../cards/vault/vault-cards.sql.ts';
import { type BuyerNote, listNotes } from '../../console/buyers/buyer-notes.sql.ts';
import { listWords } from '../../console/buyers/buyer-words.sql.ts';
import type { OwnedFilter } from '../../console/filters/saved-filters.sql.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { PersonFilter } from '../../platform/postgres/personal-rows.ts';
import {
  type CustomerSubscription,
  listCustomerSubscriptions,
  CUSTOMERS as SUBSCRIBERS,
} from '../../recurrence/subscriptions/customers.sql.ts';
import {
  type CardKey,
  type CardSubscription,
  listSubscriptionsOf,
} from '../../recurrence/subscriptions/subscriptions.sql.ts';
import {
  type CustomerPayment,
  FIRST_PLACE,
  listCustomerPayments,
} from '../../transactions/customers/customers.sql.ts';
import {
  listPayerBoletos,
  PAYERS,
  type PayerBoleto,
} from '../../transactions/methods/boleto/payers/payers.sql.ts';
import {
  listPayerPix,
  type PayerPix,
  PIX_PAYERS,
} from '../../transactions/methods/pix/payers/pix-payers.sql.ts';
import {
  listMessagesOf,
  type NamedPayment,
  type PaymentMessage,
} from '../../webhooks/history/messages-of-payments.sql.ts';
import { findFiltersOf, namesOf, personName } from './person.ts';

export type PrivacyTools = {
  readonly database: Database;
  readonly keyring: Pick<Keyring, 'fingerprint'>;
  readonly audit: Audit;
  readonly operator: Actor;
};

const PAGE = 200;
const MOST_OF_KIND = 10_000;
const MOST_OF_ONE = 1_000;

export type KeptOfPerson = {
  readonly payments: readonly CustomerPayment[];
  readonly cards: readonly VaultCard[];
  readonly subscriptions: readonly (CardSubscription | CustomerSubscription)[];
  readonly boletos: readonly PayerBoleto[];
  readonly pix: readonly PayerPix[];
  readonly messages: readonly PaymentMessage[];
  readonly filters: readonly OwnedFilter[];
  readonly notes: readonly BuyerNote[];
  /** The words by which the console finds the person. */
  readonly words: Awaited<ReturnType<typeof listWords>>;
  /** False if there is more than is shown. */
  readonly isComplete: boolean;
};

/** Shows nothing if it cannot be audited. */
export async function exportPerson(tools: PrivacyTools, filter: PersonFilter): Promise<KeptOfPerson> {
  const { database } = tools;
  const { found, isComplete: hasPayments } = await readPages<CustomerPayment>(MOST_OF_KIND, (last) =>
    listCustomerPayments(database, filter, last ?? FIRST_PLACE, PAGE),
  );
  const { found: subscribed, isComplete: hasSubscriptions } = await readPages<CustomerSubscription>(
    MOST_OF_KIND,
    (last) => listCustomerSubscriptions(database, filter, last ?? SUBSCRIBERS.first, PAGE),
  );
  const { found: boletos, isComplete: hasBoletos } = await readPages<PayerBoleto>(MOST_OF_KIND, (last) =>
    listPayerBoletos(database, filter, last ?? PAYERS.first, PAGE),
  );
  const { found: pix, isComplete: hasPix } = await readPages<PayerPix>(MOST_OF_KIND, (last) =>
    listPayerPix(database, filter, last ?? PIX_PAYERS.first, PAGE),
  );
  const cards = await findCards(database, [...found, ...subscribed]);
  const named = new Set(subscribed.map(({ subscriptionId }) => subscriptionId));
  const ofCards: CardSubscription[] = [];
  for (const keys of pagesOf(cardKeysOf([...found, ...subscribed])))
    ofCards.push(...(await listSubscriptionsOf(database, keys, MOST_OF_ONE)));
  const subscriptions = [
    ...subscribed,
    ...ofCards.filter(({ subscriptionId }) => !named.has(subscriptionId)).map(withoutOthers),
  ];
  const messages: PaymentMessage[] = [];
  for (const payments of pagesOf(withNsu(found)))
    messages.push(...(await listMessagesOf(tools.database, payments, MOST_OF_ONE)));
  const billed = [
    ...boletos.flatMap(({ payer }) => [payer.name, payer.email ?? '']),
    ...pix.map(({ payer }) => payer.name),
  ];
  const payers = billed.filter(Boolean);
  const names = [...new Set([...[...found, ...subscribed].flatMap(namesOf), ...payers])];
  const filters = await findFiltersOf(database, { ...filter, names });
  const notes = await listNotes(database, filter, MOST_OF_ONE);
  const subscribedIds = subscriptions.flatMap((one) => (one.customer === null ? [] : [one.subscriptionId]));
  const words = await listWords(database, filter, subscribedIds, MOST_OF_ONE);
  const isRestWhole =
    [notes, words].every(({ length }) => length < MOST_OF_ONE) &&
    areWhole(messages, ({ merchantId, transactionId }) => `${merchantId}|${transactionId}`) &&
    areWhole(ofCards, ({ merchantId, vaultId }) => `${merchantId}|${vaultId}`);
  const isComplete = hasPayments && hasSubscriptions && hasBoletos && hasPix && isRestWhole;
  await tools.audit.record({
    ...tools.operator,
    action: 'privacy.export',
    outcome: 'success',
    resource: personName(tools.keyring, filter.document),
    detail: {
      ...(filter.merchantId === null ? {} : { merchant: filter.merchantId }),
      payments: found.length,
      subscriptions: subscribed.length,
      boletos: boletos.length,
      pix: pix.length,
      cards: cards.length,
      filters: filters.length,
      notes: notes.length,
    },
  });
  return { payments: found, cards, subscriptions, boletos, pix, messages, filters, notes, words, isComplete };
}

async function readPages<Item>(
  most: number,
  readBehind: (last: Item | undefined) => Promise<readonly Item[]>,
): Promise<{ readonly found: readonly Item[]; readonly isComplete: boolean }> {
  const found: Item[] = [];
  while (found.length < most) {
    const page = await readBehind(found.at(-1));
    found.push(...page);
    if (page.length < PAGE) return { found, isComplete: true };
  }
  return { found, isComplete: false };
}

/** Whether each payment or card has fewer rows than are read of one. */
function areWhole<Item>(read: readonly Item[], ofOne: (item: Item) => string): boolean {
  return [...Map.groupBy(read, ofOne).values()].every(({ length }) => length < MOST_OF_ONE);
}

/** A customer with another document is another person. */
function withoutOthers(one: CardSubscription): CardSubscription {
  return one.customer?.documentNumber === undefined ? one : { ...one, customer: null };
}

export type PaidByCard = Pick<CustomerPayment, 'merchantId' | 'vaultId'> | CardKey;

/** Each card once, including cards that are no longer stored. */
export function cardKeysOf(paid: readonly PaidByCard[]): CardKey[] {
  const keys = paid.flatMap(({ merchantId, vaultId }) =>
    vaultId === null ? [] : [[`${merchantId}|${vaultId}`, { merchantId, vaultId }] as const],
  );
  return [...new Map(keys).values()];
}

export async function findCards(database: Database, paid: readonly PaidByCard[]): Promise<VaultCard[]> {
  const cards: VaultCard[] = [];
  for (const page of pagesOf(cardKeysOf(paid)))
    cards.push(...(await vaultCardsRead(database).read(page)).values());
  return cards;
}

/** Only approved ones: messages are found by the NSU. */
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
