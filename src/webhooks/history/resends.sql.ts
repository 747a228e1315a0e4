import { type Database, type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { column, firstOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import type { Instant } from '../../values/instant.ts';
import { DELIVERY_MOVES, type DeliveryToSend } from '../deliveries/delivery.ts';
import { parseDeliveryToSend, SENDING, SENDING_JOINS } from '../deliveries/to-send.sql.ts';
import { ENDPOINT_MOVES } from '../endpoints/webhook-endpoint.ts';
import type { LostDeliveries, Period, ResendPlace, TestOutcome, WholeDelivery } from './recorded-delivery.ts';

/**
 * Makes a delivery due at once, with its whole schedule of tries. The raised fence keeps a process that was
 * sending it from changing it.
 */
const WAITS_AGAIN = `state = 'waiting', due_at = $2, scheduled_at = $2, tries_before = d.tries, fence = d.fence + 1,
  lease_expires_at = null, ended_at = null`;

const RESEND_ONE = statement(
  'history.resend_one',
  `update deliveries d set ${WAITS_AGAIN}
   where d.merchant_id = $1 and d.delivery_number = $3 and d.fence = $4
     and d.state in (${fromStates(DELIVERY_MOVES, 'resend')}) and (
     select e.state <> 'removed' from webhook_endpoints e
     where e.merchant_id = d.merchant_id and e.endpoint = d.endpoint
   )
   returning d.delivery_number`,
);

/** `now` is business time. False if the delivery has changed since it was found. */
export async function resendRecordedDelivery(
  database: Database,
  merchantId: string,
  found: WholeDelivery,
  now: Instant,
): Promise<boolean> {
  const values = [merchantId, new Date(now).toISOString(), found.deliveryNumber, found.fence];
  return (await database.query(RESEND_ONE, values)).length === 1;
}

const RESENT = rowCodec({
  lookedAt: column.whole('(select count(*) from looked_at)'),
  resent: column.whole('(select count(*) from again)'),
  lastMicroseconds: column.nullable(column.whole('(extract(epoch from last.created_at) * 1000000)::bigint')),
  lastNumber: column.nullable(column.whole('last.delivery_number')),
});

/**
 * The rows of `looked_at` that `resendRefusal` lets through. Lateral, because a join planned on a small table
 * would later read all endpoints.
 */
const SENT_AGAIN = `looked_at l, lateral (
       select 1 from webhook_endpoints e
       where e.merchant_id = $1 and e.endpoint = l.endpoint and e.state <> 'removed' limit 1
     ) e
     where l.kind <> 'test' and l.tries <= $6 and l.ended_at >= now() - $7 * interval '1 day'`;

/**
 * Locks rows in index order and updates them by ctid: a self-join planned on a small table would later read
 * everything.
 */
const RESEND_BATCH = statement(
  'history.resend_batch',
  `with looked_at as materialized (
     select ctid as place, delivery_number, created_at, endpoint, kind, tries, ended_at from deliveries
     where merchant_id = $1 and account_number = $3 and state = $4 and created_at < $5
       and (created_at, delivery_number) > (timestamptz 'epoch' + $8::bigint * interval '1 microsecond', $9::bigint)
     order by created_at, delivery_number limit $10 for no key update skip locked
   ), good as (
     select l.place from ${SENT_AGAIN}
   ), again as (
     update deliveries d set ${WAITS_AGAIN}
     where d.ctid = any (array(select place from good))
     returning d.delivery_number
   )
   select ${RESENT.columns}
   from (select 1) always left join (
     select created_at, delivery_number from looked_at order by created_at desc, delivery_number desc limit 1
   ) last on true`,
);

export type ResendBatch = {
  readonly accountNumber: string;
  readonly period: Period;
  readonly behind: ResendPlace;
  readonly limit: number;
  readonly mostTries: number;
  readonly mostDays: number;
};

/** Resends what can be resent of the next `limit` rows. `next`: where to continue; null: this was the end. */
export async function resendBatch(
  database: Database,
  merchantId: string,
  batch: ResendBatch,
  now: Instant,
): Promise<{ readonly resent: number; readonly lookedAt: number; readonly next: ResendPlace | null }> {
  const { accountNumber, period, behind, limit, mostTries, mostDays } = batch;
  const [row] = await database.query(RESEND_BATCH, [
    merchantId,
    new Date(now).toISOString(),
    accountNumber,
    behind.state,
    new Date(period.to).toISOString(),
    mostTries,
    mostDays,
    behind.createdMicroseconds,
    behind.deliveryNumber,
    limit,
  ]);
  const { lookedAt, resent, lastMicroseconds, lastNumber } = RESENT.parse(row as Row);
  if (lookedAt < limit || lastMicroseconds === null || lastNumber === null)
    return { resent, lookedAt, next: null };
  const next = {
    state: behind.state,
    createdMicroseconds: lastMicroseconds,
    deliveryNumber: lastNumber,
  };
  return { resent, lookedAt, next };
}

const LOST = rowCodec<LostDeliveries>({
  accountNumber: column.text('a.account_number'),
  count: column.whole('f.count'),
  oldest: column.instant('f.oldest'),
});

/** Looks at the newest given-up deliveries of each account, up to `$5`. */
const COUNT_LOST = statement(
  'history.count_lost',
  `select ${LOST.columns} from unnest($2::text[]) a (account_number) cross join lateral (
     with looked_at as materialized (
       select endpoint, kind, tries, ended_at, created_at from deliveries
       where merchant_id = $1 and account_number = a.account_number and state = 'givenUp'
         and created_at >= $3 and created_at < $4
       order by created_at desc limit $5
     )
     select min(l.created_at) as oldest, count(*) as count from ${SENT_AGAIN}
   ) f
   where f.oldest is not null`,
);

/** Counts given-up deliveries that can be resent. Accounts without any are left out. */
export async function countLostDeliveries(
  database: Reader,
  merchantId: string,
  accountNumbers: readonly string[],
  { from, to }: Period,
  { mostLookedAt, mostTries, mostDays }: LostBounds,
): Promise<LostDeliveries[]> {
  const [first, last] = [from, to].map((at) => new Date(at).toISOString());
  const values = [merchantId, accountNumbers, first, last, mostLookedAt, mostTries, mostDays];
  return (await database.query(COUNT_LOST, values)).map(LOST.parse);
}

export type LostBounds = {
  readonly mostLookedAt: number;
  readonly mostTries: number;
  readonly mostDays: number;
};

const PREPARE = statement(
  'history.prepare_test',
  `select ${SENDING.columns} from (
     select $1::text as merchant_id, nextval('movement_ids') as delivery_number, 'test' as kind, null::uuid as transaction_id,
       $2::text as endpoint, $3::text as account_number, null::text as url, '' as body, 0::smallint as tries, 0::smallint as tries_before,
       0 as fence, now() as created_at
   ) d ${SENDING_JOINS}
   where e.state <> 'removed'`,
);

/**
 * A test without its body, which the caller adds; null: no webhook is registered. Nothing is written yet, so
 * no other process sends the test.
 */
export async function prepareTest(
  database: Database,
  merchantId: string,
  accountNumber: string,
  endpoint: string,
): Promise<DeliveryToSend | null> {
  return firstOf(await database.query(PREPARE, [merchantId, endpoint, accountNumber]), parseDeliveryToSend);
}

const RECORD = statement(
  'history.record_test',
  `with written as (
     insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, body, state, tries, scheduled_at,
       created_at, ended_at)
     values ($1, $2, 'test', $3, $4, $5, case when $6::boolean then 'delivered' else 'givenUp' end, 1, $7, $8, now())
     returning merchant_id, delivery_number
   ), tried as (
     insert into delivery_tries (merchant_id, delivery_number, try_number, tried_at, milliseconds, status, failure, answer)
     select merchant_id, delivery_number, 1, $8, $9, $10, $11, $12 from written
     returning try_number
   ), released as (
     update webhook_endpoints set state = 'active', opened_until = null, openings = 0, failing_since = null, returned_at = $7,
       changed_at = now()
     where merchant_id = $1 and endpoint = $3 and registration = $13
       and state in (${fromStates(ENDPOINT_MOVES, 'enable')}) and $6::boolean
     returning endpoint
   )
   select (select count(*) from tried) as tries, (select count(*) from released) as released`,
);

/**
 * Records a test. A success enables the registration, unless it was replaced meanwhile; returns whether it
 * did. `now`: business time.
 */
export async function recordTest(
  database: Database,
  test: DeliveryToSend,
  { delivered, status, failure, milliseconds, answer }: TestOutcome,
  now: Instant,
): Promise<boolean> {
  const [row] = await database.query(RECORD, [
    test.merchantId,
    test.deliveryNumber,
    test.endpoint,
    test.accountNumber,
    test.body,
    delivered,
    new Date(now).toISOString(),
    new Date(test.createdAt).toISOString(),
    Math.max(0, Math.round(milliseconds)),
    status,
    failure,
    answer,
    test.registration,
  ]);
  return row?.released === 1;
}
