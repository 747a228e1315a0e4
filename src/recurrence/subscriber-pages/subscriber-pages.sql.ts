import {
  type Audit,
  type AuditDetail,
  type AuditEvent,
  type MerchantActor,
  merchantEvent,
} from '../../audit/audit-event.ts';
import { type Database, type Reader, statement } from '../../platform/postgres/database.ts';
import { column, firstOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { type Instant, instant, saoPauloDay, utcText } from '../../values/instant.ts';
import { BILLING_STATES } from '../billings/billing.ts';
import { findSubscription } from '../subscriptions/subscriptions.sql.ts';
import {
  type CardOfSubscription,
  type FoundPage,
  MOST_CARD_TRIES,
  type ShownBilling,
  type SubscriberPage,
} from './subscriber-page.ts';

const PAGE = rowCodec<SubscriberPage>(
  {
    merchantId: column.text(),
    subscriptionId: column.text(),
    pageKey: column.text(),
    mayCancel: column.boolean(),
    expiresAt: column.instant(),
    cardTries: column.whole(),
  },
  'g',
);

type SubscriptionKey = Pick<SubscriberPage, 'merchantId' | 'subscriptionId'>;
export type WantedPage = SubscriptionKey & Pick<SubscriberPage, 'pageKey' | 'mayCancel' | 'expiresAt'>;

/**
 * The address stays while the page lives. Tries are counted from the merchant's last change of the page on.
 */
const PUT = statement(
  'subscriber_pages.put',
  `insert into subscriber_pages as g (merchant_id, subscription_id, page_key, may_cancel, expires_at, created_by, created_at)
   select s.merchant_id, s.subscription_id, $3, $4, $5, $6, $7::timestamptz from subscriptions s
   where s.merchant_id = $1 and s.subscription_id = $2
   on conflict (merchant_id, subscription_id) do update set may_cancel = excluded.may_cancel,
     expires_at = excluded.expires_at,
     page_key = case when g.expires_at > excluded.created_at then g.page_key else excluded.page_key end,
     card_tries = 0
   returning ${PAGE.columns}`,
);

/** null: the merchant has no such subscription. `now`: business time. */
export async function putPage(
  audit: Audit,
  { merchantId, subscriptionId, pageKey, mayCancel, expiresAt }: WantedPage,
  actor: MerchantActor,
  now: Instant,
): Promise<SubscriberPage | null> {
  const times = [utcText(expiresAt), actor.userName, utcText(now)];
  const until = saoPauloDay(instant(expiresAt - 1));
  const row = await audit.change(
    PUT,
    [merchantId, subscriptionId, pageKey, mayCancel, ...times],
    event(actor, subscriptionId, { mayCancel: String(mayCancel), until }),
  );
  return row === undefined ? null : PAGE.parse(row);
}

const REMOVE = statement(
  'subscriber_pages.remove',
  'delete from subscriber_pages where merchant_id = $1 and subscription_id = $2 returning true as is_removed',
);

export async function removePage(
  audit: Audit,
  { merchantId, subscriptionId }: SubscriptionKey,
  actor: MerchantActor,
): Promise<boolean> {
  const ended = event(actor, subscriptionId, { until: 'removed' });
  return (await audit.change(REMOVE, [merchantId, subscriptionId], ended)) !== undefined;
}

function event(actor: MerchantActor, subscriptionId: string, detail: AuditDetail): AuditEvent {
  return merchantEvent('subscription.page', actor, `subscriptions/${subscriptionId}`, detail);
}

const FIND = statement(
  'subscriber_pages.find',
  `select ${PAGE.columns} from subscriber_pages g where g.merchant_id = $1 and g.subscription_id = $2`,
);

export async function findPage(
  database: Reader,
  { merchantId, subscriptionId }: SubscriptionKey,
): Promise<SubscriberPage | null> {
  return firstOf(await database.query(FIND, [merchantId, subscriptionId]), PAGE.parse);
}

const SELLER = rowCodec({ name: column.text('m.legal_name') });

const FIND_BY_KEY = statement(
  'subscriber_pages.find_by_key',
  `select ${PAGE.columns}, ${SELLER.columns}
   from subscriber_pages g join merchants m using (merchant_id) where g.page_key = $1 and m.disabled_at is null`,
);

const CARD = rowCodec<CardOfSubscription>(
  {
    brand: column.oneOf(CARD_BRANDS),
    lastFour: column.text(),
    expirationMonth: column.text(),
    expirationYear: column.text(),
  },
  'v',
);

const FIND_CARD = statement(
  'subscriber_pages.find_card',
  `select ${CARD.columns} from vault_cards v where v.merchant_id = $1 and v.vault_id = $2`,
);

const BILLING = rowCodec<ShownBilling>(
  {
    installment: column.whole(),
    state: column.oneOf(BILLING_STATES),
    amount: column.money(),
    dueOn: column.day(),
    chargeOn: column.nullable(column.day()),
    chargesMade: column.whole(),
    isCharging: column.boolean('b.transaction_id is not null'),
  },
  'b',
);

const BILLINGS_SHOWN = 12;

const LIST_BILLINGS = statement(
  'subscriber_pages.list_billings',
  `select ${BILLING.columns} from billings b
   where b.merchant_id = $1 and b.subscription_id = $2 and not b.is_skipped
   order by b.installment desc limit $3`,
);

/** null also if the merchant is disabled. */
export async function findPageByKey(database: Reader, pageKey: string): Promise<FoundPage | null> {
  const [row] = await database.query(FIND_BY_KEY, [pageKey]);
  if (row === undefined) return null;
  const page = PAGE.parse(row);
  const { merchantId, subscriptionId } = page;
  const found = await findSubscription(database, merchantId, subscriptionId);
  if (found === null) return null;
  const cards = await database.query(FIND_CARD, [merchantId, found.subscription.vaultId]);
  const billings = await database.query(LIST_BILLINGS, [merchantId, subscriptionId, BILLINGS_SHOWN]);
  return {
    ...found,
    page,
    seller: SELLER.parse(row),
    card: cards[0] === undefined ? null : CARD.parse(cards[0]),
    billings: billings.map(BILLING.parse),
  };
}

const COUNT_TRY = statement(
  'subscriber_pages.count_try',
  `update subscriber_pages set card_tries = card_tries + 1
   where merchant_id = $1 and subscription_id = $2 and page_key = $3 and expires_at > $4::timestamptz
     and card_tries < $5
   returning card_tries`,
);

/** False: no other card may be tried there. `now`: business time. */
export async function countTry(
  database: Database,
  { merchantId, subscriptionId, pageKey }: SubscriberPage,
  now: Instant,
): Promise<boolean> {
  const rows = await database.query(COUNT_TRY, [
    ...[merchantId, subscriptionId, pageKey],
    ...[utcText(now), MOST_CARD_TRIES],
  ]);
  return rows.length === 1;
}

const GIVE_TRY_BACK = statement(
  'subscriber_pages.give_try_back',
  `update subscriber_pages set card_tries = card_tries - 1
   where merchant_id = $1 and subscription_id = $2 and page_key = $3 and card_tries > 0
   returning card_tries`,
);

/** Gives back the try of a card that no acquirer was asked about. */
export async function giveTryBack(
  database: Database,
  { merchantId, subscriptionId, pageKey }: SubscriberPage,
): Promise<void> {
  await database.query(GIVE_TRY_BACK, [merchantId, subscriptionId, pageKey]);
}
