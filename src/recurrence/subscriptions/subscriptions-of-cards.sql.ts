import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { readCustomer } from './customer.ts';
import { SUBSCRIPTION_STATES } from './subscription.ts';

export type CardKey = { readonly merchantId: string; readonly vaultId: string };

/** Of those whose customer has no document: only the card says whose they are. */
const NAMELESS = rowCodec(
  {
    merchantId: column.text(),
    vaultId: column.text(),
    subscriptionId: column.text(),
    state: column.oneOf(SUBSCRIPTION_STATES),
  },
  's',
);

export type NamelessSubscription = RowOf<typeof NAMELESS>;

/** A subscription as the card that pays it shows it. */
const CARD_SUBSCRIPTION = rowCodec(
  {
    ...NAMELESS.fields,
    orderNumber: column.text(),
    customer: column.nullable(column.parsedBy(readCustomer)),
  },
  's',
);

export type CardSubscription = RowOf<typeof CARD_SUBSCRIPTION>;

const CARDS = inputRows<CardKey>(
  { merchant_id: ['text', (card) => card.merchantId], vault_id: ['uuid', (card) => card.vaultId] },
  { after: 1 },
);

/** Only the index by card has its range in order: see `vault.delete_card`. */
const LIST = statement(
  'subscriptions.list_of_cards',
  `select ${CARD_SUBSCRIPTION.columns} from ${CARDS.sql} cross join lateral (
     select merchant_id, vault_id::text, subscription_id::text, state, order_number, customer from subscriptions
     where merchant_id = i.merchant_id and vault_id between i.vault_id and i.vault_id
     order by vault_id limit $1
   ) s`,
);

/** The subscriptions that are paid with these cards, up to `limit` of each. */
export async function listSubscriptionsOf(
  database: Database,
  cards: readonly CardKey[],
  limit: number,
): Promise<CardSubscription[]> {
  return (await database.query(LIST, [limit, ...CARDS.values(cards)])).map(CARD_SUBSCRIPTION.parse);
}

const LIST_NAMELESS = statement(
  'subscriptions.list_nameless_of_cards',
  `select ${NAMELESS.columns} from ${CARDS.sql} cross join lateral (
     select merchant_id, vault_id::text, subscription_id::text, state from subscriptions
     where merchant_id = i.merchant_id and vault_id between i.vault_id and i.vault_id
       and customer is not null and customer ->> 'documentNumber' is null
     order by vault_id limit $1
   ) s`,
);

/** The subscriptions of these cards that have a customer without a document, up to `limit` of each. */
export async function listNamelessSubscriptionsOf(
  database: Database,
  cards: readonly CardKey[],
  limit: number,
): Promise<NamelessSubscription[]> {
  return (await database.query(LIST_NAMELESS, [limit, ...CARDS.values(cards)])).map(NAMELESS.parse);
}

/** What another transaction has locked is left, as where the document says whose it is. */
const ERASE_NAMELESS = statement(
  'subscriptions.erase_nameless_of_cards',
  `with held as materialized (
     select o.place from ${CARDS.sql} cross join lateral (
       select ctid as place from subscriptions
       where merchant_id = i.merchant_id and vault_id between i.vault_id and i.vault_id
         and customer is not null and customer ->> 'documentNumber' is null and state in ('canceled', 'completed')
       order by vault_id limit $1
       for no key update skip locked
     ) o
   )
   update subscriptions set customer = null, customer_erased_at = now()
   where ctid = any (array(select place from held)) and customer is not null
   returning 1`,
);

/** Erases the customers of up to `limit` of those of each card that ended; returns of how many. */
export async function eraseNamelessSubscriptionsOf(
  database: Database,
  cards: readonly CardKey[],
  limit: number,
): Promise<number> {
  return (await database.query(ERASE_NAMELESS, [limit, ...CARDS.values(cards)])).length;
}
