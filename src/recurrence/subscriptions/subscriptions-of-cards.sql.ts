import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';

export type CardKey = { readonly merchantId: string; readonly vaultId: string };

/** A subscription as the card that pays it shows it. */
export type CardSubscription = CardKey & {
  readonly subscriptionId: string;
  readonly state: string;
  readonly orderNumber: string;
};

const CARDS = inputRows<CardKey>(
  { merchant_id: ['text', (card) => card.merchantId], vault_id: ['uuid', (card) => card.vaultId] },
  { after: 1 },
);

/** Only the index by card has its range in order: see `vault.delete_card`. */
const LIST = statement(
  'subscriptions.list_of_cards',
  `select s.* from ${CARDS.sql} cross join lateral (
     select merchant_id, vault_id::text, subscription_id::text, state, order_number from subscriptions
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
  const rows = await database.query(LIST, [limit, ...CARDS.values(cards)]);
  return rows.map((row) => ({
    merchantId: row.merchant_id as string,
    vaultId: row.vault_id as string,
    subscriptionId: row.subscription_id as string,
    state: row.state as string,
    orderNumber: row.order_number as string,
  }));
}
