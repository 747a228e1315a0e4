import { until } from '../../test/kit/service.ts';
import { PAYMENT_KINDS } from '../load/payment-kinds.ts';
import { runSteadily } from '../load/steady-load.ts';
import type { Notified, WebhookShop } from './webhook-shop.ts';

const ROWS_A_STATEMENT = 50_000;
/** A machine that is busy with other things may take long; nothing here hangs for ever. */
const LONGEST_DRAIN_MILLISECONDS = 1_800_000;

/**
 * As a payment's movement writes it, each of another transaction; due at once, or around now over
 * so many hours.
 */
const INSERT = `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, transaction_id, installment_number,
     nsu, body, due_at, scheduled_at)
   select $1::text, nextval('movement_ids'), 'movement', 'account:' || a, a, gen_random_uuid(), 1, '123456789', $4::text,
     now() + (random() - 0.5) * $5::double precision * interval '1 hour', now()
   from generate_series(1, $3::integer) as n, lateral (select ($2::text[])[1 + n % cardinality($2::text[])] as a) x`;

export type Backlog = {
  readonly count: number;
  readonly body: string;
  /** Hours over which they are due, half of them already; 0: all now. */
  readonly hours?: number;
};

/** Writes deliveries that wait, in commits of so many rows that each is seen at once. */
export async function writeBacklog(
  { database }: WebhookShop,
  { merchantId, accounts }: Notified,
  { count, body, hours = 0 }: Backlog,
): Promise<void> {
  for (let left = count; left > 0; left -= ROWS_A_STATEMENT) {
    const rows = Math.min(left, ROWS_A_STATEMENT);
    await database.query(INSERT, [merchantId, accounts, rows, body, hours]);
  }
}

const READ_BODY = `select body from deliveries where merchant_id = $1 and kind = 'movement' order by delivery_number limit 1`;

/** The deliveries that a payment really makes: pays a little and looks. */
export async function readRealBody(shop: WebhookShop): Promise<string> {
  await runSteadily(await shop.loadOf(PAYMENT_KINDS.merchant, 0, 'notified'), 10, 1);
  await untilDelivered(shop, shop.accounts);
  const [row] = await shop.database.query(READ_BODY, [shop.merchantId]);
  if (row === undefined) throw new Error('no payment was told');
  await forgetDeliveries(shop);
  await shop.listener.take();
  return row.body as string;
}

const IS_WAITING = `select exists (
     select from unnest($2::text[]) as a (account) cross join lateral (
       select 1 from deliveries d
       where d.merchant_id = $1 and d.endpoint = 'account:' || a.account and d.state = 'waiting' limit 1) w
   ) as is_waiting`;

/** Until nothing waits any more at these accounts. */
export async function untilDelivered(
  { database, merchantId }: WebhookShop,
  accounts: readonly string[],
): Promise<void> {
  await until(
    'all is delivered',
    async () => {
      const [row] = await database.query(IS_WAITING, [merchantId, accounts]);
      return row?.is_waiting === false;
    },
    LONGEST_DRAIN_MILLISECONDS,
  );
}

/**
 * Until so many arrived, which is asked of the listener and costs the database nothing; then until
 * they are recorded.
 */
export async function untilArrived(
  shop: WebhookShop,
  accounts: readonly string[],
  count: number,
): Promise<void> {
  await until(
    `${count} arrived`,
    async () => (await shop.listener.count()).count >= count,
    LONGEST_DRAIN_MILLISECONDS,
  );
  await untilDelivered(shop, accounts);
}

const FORGET = 'truncate deliveries, delivery_tries';
const VACUUM = 'vacuum (analyze) deliveries';

/** A round begins with empty tables, like the one before it. */
export async function forgetDeliveries({ database }: WebhookShop): Promise<void> {
  await database.query(FORGET, []);
}

/** What was loaded in a minute came over days elsewhere, where autovacuum has long been done with it. */
export async function vacuumDeliveries({ database }: WebhookShop): Promise<void> {
  await database.query(VACUUM, []);
}
