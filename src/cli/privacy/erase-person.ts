import type { AuditEvent } from '../../audit/audit-event.ts';
import { deleteVaultCard } from '../../cards/vault/delete-vault-card.ts';
import { vaultCardsRemove } from '../../cards/vault/removals.sql.ts';
import { eraseNotes } from '../../console/buyers/buyer-notes.sql.ts';
import { eraseWithWords } from '../../console/buyers/buyer-words.sql.ts';
import { batchWrites } from '../../platform/postgres/batched-writes.ts';
import type { PersonFilter } from '../../platform/postgres/personal-rows.ts';
import {
  type CustomerSubscription,
  listCustomerSubscriptions,
  CUSTOMERS as SUBSCRIBERS,
} from '../../recurrence/subscriptions/customers.sql.ts';
import { ENDED_STATES } from '../../recurrence/subscriptions/subscription.ts';
import {
  eraseNamelessSubscriptionsOf,
  listNamelessSubscriptionsOf,
} from '../../recurrence/subscriptions/subscriptions.sql.ts';
import {
  CUSTOMERS,
  type CustomerPayment,
  type CustomerPlace,
  FIRST_PLACE,
  listCustomerPayments,
} from '../../transactions/customers/customers.sql.ts';
import type { TransactionKey } from '../../transactions/transaction-queries.sql.ts';
import { deleteEndedMessages, listMessagesOf } from '../../webhooks/history/messages-of-payments.sql.ts';
import { BOLETOS, eraseBillsOf, PIX } from './bills-of-person.ts';
import { cardKeysOf, findCards, type PaidByCard, type PrivacyTools, withNsu } from './export-person.ts';
import { FilterEraser, namesOf, namesPerson, personName } from './person.ts';

const PAGE = 100;
const MESSAGES_AT_ONCE = 50;
/** A payment has a few messages. With thousands, the rest ends with the retention of deliveries. */
const MOST_ROUNDS_OF_MESSAGES = 100;
/** A card pays for a few subscriptions. While others remain, the card keeps them findable. */
const SUBSCRIPTIONS_AT_ONCE = 100;
const MOST_ROUNDS_OF_SUBSCRIPTIONS = 100;
const MOST_ROUNDS_OF_BILLS = 10;
const CARD_MILLISECONDS = 10_000;

/**
 * `underWay`: has no outcome yet. `subscription`: not ended, or paid by this card. `message`: not
 * sent yet. `merchantText`: a text of the merchant names the person. `openBoleto`, `openPix`: may still be
 * paid.
 */
export const LEFT_REASONS = [
  'underWay',
  'subscription',
  'message',
  'merchantText',
  'openBoleto',
  'openPix',
] as const;
export type LeftReason = (typeof LEFT_REASONS)[number];

export type Left = {
  readonly reason: LeftReason;
  readonly merchantId: string;
  readonly kind: 'payment' | 'subscription' | 'card' | 'boleto' | 'pix';
  readonly id: string;
};

export type Erased = {
  readonly payments: number;
  readonly subscriptions: number;
  readonly boletos: number;
  readonly pix: number;
  readonly cards: number;
  readonly messages: number;
  readonly filters: number;
  readonly notes: number;
  readonly left: readonly Left[];
};

type Removal = Parameters<typeof deleteVaultCard>[0]['removeVaultCard'];

/**
 * Cards, messages and filters go before the rows that find them. After a crash the same call finishes.
 * Audited before and after.
 */
export async function erasePerson(
  tools: PrivacyTools,
  filter: PersonFilter,
  reason: string,
): Promise<Erased> {
  const { document, merchantId } = filter;
  const event: AuditEvent = {
    ...tools.operator,
    action: 'privacy.erase',
    outcome: 'success',
    resource: personName(tools.keyring, document),
    detail: merchantId === null ? {} : { merchant: merchantId },
  };
  await tools.audit.record({ ...event, detail: { ...event.detail, begun: 1, reason } });
  const removeVaultCard = batchWrites(vaultCardsRemove(tools.audit));
  const erased = {
    payments: 0,
    subscriptions: 0,
    boletos: 0,
    pix: 0,
    cards: 0,
    messages: 0,
    filters: 0,
    notes: 0,
  };
  const found: Left[] = [];
  const filters = new FilterEraser(tools.database, filter);
  await filters.erase([]);
  // Each page begins after the one before, so the loop ends.
  for (let behind: CustomerPlace | undefined = FIRST_PLACE; behind !== undefined; ) {
    const page: CustomerPayment[] = await listCustomerPayments(tools.database, filter, behind, PAGE);
    await filters.erase(page.flatMap(namesOf));
    const done = await erasePage(tools, removeVaultCard, filter, page);
    erased.payments += done.payments;
    erased.subscriptions += done.subscriptions;
    erased.cards += done.cards;
    erased.messages += done.messages;
    found.push(...done.left);
    behind = page.length < PAGE ? undefined : page.at(-1);
  }
  for (let behind: typeof SUBSCRIBERS.first | undefined = SUBSCRIBERS.first; behind !== undefined; ) {
    const page: CustomerSubscription[] = await listCustomerSubscriptions(
      tools.database,
      filter,
      behind,
      PAGE,
    );
    await filters.erase(page.flatMap(namesOf));
    const done = await eraseSubscriptions(tools, removeVaultCard, filter, page);
    erased.subscriptions += done.subscriptions;
    erased.cards += done.cards;
    found.push(...done.left);
    behind = page.length < PAGE ? undefined : page.at(-1);
  }
  const bills = await eraseBills(tools, filter, filters);
  erased.boletos = bills.boletos;
  erased.pix = bills.pix;
  found.push(...bills.left);
  erased.filters = filters.erased;
  erased.notes = await eraseWithWords(tools.database, filter, (tx) => eraseNotes(tx, filter));
  const left = unique(found);
  await tools.audit.record({ ...event, detail: { ...event.detail, ...erased, left: left.length } });
  return { ...erased, left };
}

/**
 * Goes through all bills until nothing new is found: the id of a bill that was made meanwhile may sort before
 * the place that was reached, because it is derived from a key.
 */
async function eraseBills({ database }: PrivacyTools, filter: PersonFilter, filters: FilterEraser) {
  let [boletos, pix] = [0, 0];
  let left: readonly Left[] = [];
  for (let round = 0; round < MOST_ROUNDS_OF_BILLS; round += 1) {
    const ofBoletos = await eraseBillsOf(database, BOLETOS, filter, filters);
    const ofPix = await eraseBillsOf(database, PIX, filter, filters);
    boletos += ofBoletos.erased;
    pix += ofPix.erased;
    const all = unique([...left, ...ofBoletos.left, ...ofPix.left]);
    const isNew = ofBoletos.erased + ofPix.erased > 0 || all.length > left.length;
    left = all;
    if (!isNew) break;
  }
  return { boletos, pix, left };
}

async function erasePage(
  tools: PrivacyTools,
  removeVaultCard: Removal,
  filter: PersonFilter,
  page: readonly CustomerPayment[],
): Promise<Omit<Erased, 'boletos' | 'pix' | 'filters' | 'notes'>> {
  const final = page.filter(({ isUnderWay }) => !isUnderWay);
  const cards = await eraseCards(tools, removeVaultCard, filter, final);
  // Payments with a card that stays are kept: without them it could not be found again.
  const free = final.filter(({ merchantId, vaultId }) => !cards.kept.has(`${merchantId}|${vaultId}`));
  const messages = await eraseMessages(tools, free);
  const erased = await eraseWithWords(
    tools.database,
    filter,
    (tx) => CUSTOMERS.erase(tx, free),
    (keys) => keys.map(({ transactionId }) => transactionId),
  );
  const gone = new Set(erased.map(keyText));
  const reasonOf = (payment: CustomerPayment): LeftReason | null => {
    const kept = cards.kept.get(`${payment.merchantId}|${payment.vaultId}`);
    if (kept !== undefined) return kept;
    if (!gone.has(keyText(payment))) return 'underWay';
    return isNamedByMerchant(payment, filter.document) ? 'merchantText' : null;
  };
  const left = page.flatMap((payment) => {
    const reason = reasonOf(payment);
    return reason === null ? [] : [leftPayment(reason, payment)];
  });
  return {
    payments: erased.length,
    subscriptions: cards.subscriptions,
    cards: cards.removed,
    messages: messages.removed,
    left: [...left, ...cards.left, ...messages.left],
  };
}

/** A subscription that has not ended keeps its customer, who is needed and shows whose the card is. */
async function eraseSubscriptions(
  tools: PrivacyTools,
  removeVaultCard: Removal,
  filter: PersonFilter,
  page: readonly CustomerSubscription[],
): Promise<Pick<Erased, 'subscriptions' | 'cards' | 'left'>> {
  const ended = page.filter(({ state }) => ENDED_STATES.includes(state));
  const cards = await eraseCards(tools, removeVaultCard, filter, ended);
  const free = ended.filter(({ merchantId, vaultId }) => !cards.kept.has(`${merchantId}|${vaultId}`));
  const erased = await eraseWithWords(
    tools.database,
    filter,
    (tx) => SUBSCRIBERS.erase(tx, free),
    // The words of subscriptions that are left go too: they may be kept under the id, if the document came
    // later than the name.
    () => page.map(({ subscriptionId }) => subscriptionId),
  );
  const gone = new Set(erased.map(({ subscriptionId }) => subscriptionId));
  const left = page.flatMap((one): Left[] => {
    const { merchantId, subscriptionId: id } = one;
    if (gone.has(id)) return [];
    return [
      { reason: free.includes(one) ? 'underWay' : 'subscription', merchantId, kind: 'subscription', id },
    ];
  });
  const subscriptions = gone.size + cards.subscriptions;
  return { subscriptions, cards: cards.removed, left: [...left, ...cards.left] };
}

function keyText({ merchantId, transactionId }: TransactionKey): string {
  return `${merchantId}|${transactionId}`;
}

function leftPayment(reason: LeftReason, { merchantId, transactionId }: TransactionKey): Left {
  return { reason, merchantId, kind: 'payment', id: transactionId };
}

/**
 * Customers without a document come first: only the card shows whose they are. `kept`: cards that stay, and
 * why.
 */
async function eraseCards(
  tools: PrivacyTools,
  removeVaultCard: Removal,
  filter: PersonFilter,
  paid: readonly PaidByCard[],
) {
  const { actor, origin } = tools.operator;
  const nameless = await eraseNameless(tools, filter, paid);
  const { kept, left } = nameless;
  let removed = 0;
  for (const { merchantId, vaultId } of await findCards(tools.database, paid)) {
    const why = kept.get(`${merchantId}|${vaultId}`);
    if (why !== undefined) {
      left.push({ reason: why, merchantId, kind: 'card', id: vaultId });
      continue;
    }
    const keeper = { merchantId, userName: actor, address: origin };
    const deadlineAt = performance.now() + CARD_MILLISECONDS;
    const result = await deleteVaultCard({ removeVaultCard }, keeper, vaultId, deadlineAt);
    if (result === 'deleted') removed += 1;
    if (result !== 'cardInUse') continue;
    kept.set(`${merchantId}|${vaultId}`, 'subscription');
    left.push({ reason: 'subscription', merchantId, kind: 'card', id: vaultId });
  }
  return { subscriptions: nameless.erased, removed, kept, left };
}

async function eraseNameless({ database }: PrivacyTools, filter: PersonFilter, paid: readonly PaidByCard[]) {
  const keys = cardKeysOf(paid);
  let erased = 0;
  for (let round = 0; round < MOST_ROUNDS_OF_SUBSCRIPTIONS; round += 1) {
    const now = await eraseWithWords(
      database,
      filter,
      (tx) => eraseNamelessSubscriptionsOf(tx, keys, SUBSCRIPTIONS_AT_ONCE),
      (ended) => ended.map(({ subscriptionId }) => subscriptionId),
    );
    erased += now.length;
    if (now.length === 0) break;
  }
  const kept = new Map<string, LeftReason>();
  const left = (await listNamelessSubscriptionsOf(database, keys, SUBSCRIPTIONS_AT_ONCE)).map(
    ({ merchantId, vaultId, subscriptionId: id, state }): Left => {
      const reason = ENDED_STATES.includes(state) ? 'underWay' : 'subscription';
      kept.set(`${merchantId}|${vaultId}`, reason);
      return { reason, merchantId, kind: 'subscription', id };
    },
  );
  return { erased, kept, left };
}

async function eraseMessages({ database }: PrivacyTools, payments: readonly CustomerPayment[]) {
  const named = withNsu(payments);
  let removed = 0;
  for (let round = 0; round < MOST_ROUNDS_OF_MESSAGES; round += 1) {
    const now = await deleteEndedMessages(database, named, MESSAGES_AT_ONCE);
    removed += now;
    if (now === 0) break;
  }
  const remaining = await listMessagesOf(database, named, 1);
  return { removed, left: remaining.map((message) => leftPayment('message', message)) };
}

function isNamedByMerchant(
  { referenceTransaction, callbackUrl, customer }: CustomerPayment,
  document: string,
): boolean {
  const emails = typeof customer.email === 'string' && customer.email !== '' ? [customer.email] : [];
  return (
    namesPerson(referenceTransaction ?? '', document, emails) ||
    namesPerson(callbackUrl ?? '', document, emails)
  );
}

function unique(left: readonly Left[]): Left[] {
  return [
    ...new Map(left.map((one) => [`${one.reason}|${one.kind}|${one.merchantId}|${one.id}`, one])).values(),
  ];
}
