import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import type { Instant } from '../../values/instant.ts';
import { DELIVERY_MOVES } from '../deliveries/delivery.ts';
import type { Period, ResendPlace, WholeDelivery } from './recorded-delivery.ts';

/**
 * Waits again, due at once; the schedule counts from here, and a process that was sending it before
 * changes nothing any more.
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

/**
 * Sends an ended delivery again, due at `now` (business time); false when it is not as it was found
 * any more.
 */
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
 * Rows that somebody else is changing just now are not waited for. Locked in the order of the
 * index, which is that of writing,
 * and then found by where they lie: a join of the table with itself is planned once, perhaps while
 * it was small, and would
 * then read every delivery of the merchant for each.
 */
const RESEND_BATCH = statement(
  'history.resend_batch',
  `with looked_at as materialized (
     select ctid as place, delivery_number, created_at, endpoint, kind, tries, ended_at from deliveries
     where merchant_id = $1 and account_number = $3 and state = $4 and created_at < $5
       and (created_at, delivery_number) > (timestamptz 'epoch' + $6::bigint * interval '1 microsecond', $7::bigint)
     order by created_at, delivery_number limit $8 for no key update skip locked
   ), good as (
     select l.place from looked_at l, lateral (
       select 1 from webhook_endpoints e
       where e.merchant_id = $1 and e.endpoint = l.endpoint and e.state <> 'removed' limit 1
     ) e
     where l.kind <> 'test' and l.tries <= $9 and l.ended_at >= now() - $10 * interval '1 day'
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

/**
 * Sends up to so many of an account's ended deliveries again; `next`: behind which the following
 * ones stand, null at the end.
 */
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
    behind.createdMicroseconds,
    behind.deliveryNumber,
    limit,
    mostTries,
    mostDays,
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
