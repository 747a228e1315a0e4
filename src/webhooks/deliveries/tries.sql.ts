import type { BatchedWriteOptions } from '../../platform/postgres/batched-writes.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { IS_STILL_WAITING } from './claims.sql.ts';
import type { Fate, Try } from './delivery-outcome.ts';
import { WAITS_IN_ORDER } from './to-send.sql.ts';

export type TryRow = {
  readonly merchantId: string;
  readonly deliveryNumber: number;
  readonly fence: number;
  readonly fate: Fate;
  readonly made: Pick<Try, 'status' | 'failure' | 'answer' | 'milliseconds'>;
  /** Real time, milliseconds since the epoch. */
  readonly triedAt: number;
};

/**
 * False if another process has claimed the delivery, or if an earlier attempt of this write had committed.
 */
export type TryResult = { readonly isRecorded: boolean };

const INPUT = inputRows<TryRow>({
  ...own({ merchantId: 'text', deliveryNumber: 'bigint', fence: 'integer' }),
  state: ['text', (row) => row.fate.state],
  pause: ['bigint', (row) => row.fate.pauseMilliseconds],
  is_counted: ['boolean', (row) => row.fate.isCounted],
  tried_at: ['timestamptz', (row) => new Date(row.triedAt).toISOString()],
  milliseconds: ['integer', (row) => Math.round(row.made.milliseconds)],
  status: ['smallint', (row) => row.made.status],
  failure: ['text', (row) => row.made.failure],
  answer: ['text', (row) => row.made.answer],
});

const CHANGED = rowCodec({ merchantId: column.text(), deliveryNumber: column.whole() });

const RECORD_TRIES = statement(
  'deliveries.record_tries',
  `with input as (
     select * from ${INPUT.sql}
   ), held as materialized (
     select d.merchant_id, d.delivery_number, d.endpoint, d.transaction_id, d.installment_number, d.tries, i.state, i.pause,
       i.is_counted, i.tried_at, i.milliseconds, i.status, i.failure, i.answer,
       now() + coalesce(c.shift_milliseconds, 0) * interval '1 millisecond' as business_now
     from input i
     join deliveries d on d.merchant_id = i.merchant_id and d.delivery_number = i.delivery_number
     left join merchant_clocks c on c.merchant_id = i.merchant_id
     where ${IS_STILL_WAITING} and d.fence = i.fence and d.lease_expires_at is not null
     order by d.merchant_id, d.delivery_number
     for no key update of d
   ), changed as (
     update deliveries d set state = h.state, tries = d.tries + h.is_counted::integer, scheduled_at = h.business_now,
       due_at = case when h.state <> 'waiting' then null when h.pause is null then d.due_at
         else h.business_now + h.pause * interval '1 millisecond' end,
       ended_at = case when h.state <> 'waiting' then now() end, lease_expires_at = null
     from held h
     where d.merchant_id = h.merchant_id and d.delivery_number = h.delivery_number
     returning d.merchant_id, d.delivery_number
   ), recorded_tries as (
     insert into delivery_tries (merchant_id, delivery_number, try_number, tried_at, milliseconds, status, failure, answer)
     select h.merchant_id, h.delivery_number, h.tries + 1, h.tried_at, h.milliseconds, h.status, h.failure, h.answer
     from held h where h.is_counted
     on conflict do nothing
   ), unblocked as (
     update deliveries d set due_at = n.business_now
     from (
       select b.merchant_id, b.delivery_number, h.business_now from held h cross join lateral (
         select e.merchant_id, e.delivery_number, e.due_at, e.tries, e.tries_before from deliveries e
         where e.merchant_id = h.merchant_id and e.endpoint = h.endpoint and ${WAITS_IN_ORDER}
           and e.transaction_id = h.transaction_id and e.installment_number = h.installment_number
           and e.delivery_number + 0 > h.delivery_number
         order by e.delivery_number + 0 limit 1
       ) b
       where h.state <> 'waiting' and b.due_at > h.business_now and b.tries = b.tries_before
         and not exists (select from input i where i.merchant_id = b.merchant_id and i.delivery_number = b.delivery_number)
     ) n
     where d.merchant_id = n.merchant_id and d.delivery_number = n.delivery_number and ${IS_STILL_WAITING}
   )
   select ${CHANGED.columns} from changed`,
);

/**
 * Records tries. When a delivery ends, the next of the same transaction and installment becomes due. May be
 * repeated.
 */
export function triesWrite(database: Database): BatchedWriteOptions<TryRow, TryResult> {
  const key = ({ merchantId, deliveryNumber }: Pick<TryRow, 'merchantId' | 'deliveryNumber'>) =>
    `${merchantId}\n${String(deliveryNumber).padStart(16, '0')}`;
  return {
    name: 'deliveryTries',
    isRefusal: () => false,
    key,
    mustBeWritten: true,
    merchant: (row) => row.merchantId,
    bytes: () => 400,
    // Tries that end while two statements run are recorded together by the next one, at half the cost.
    limits: { statementsInFlight: 2 },
    write: async (rows) => {
      const changed = await database.query(RECORD_TRIES, INPUT.values(rows));
      const recorded = new Set(changed.map(CHANGED.parse).map(key));
      return new Map(rows.map(key).map((tried) => [tried, { isRecorded: recorded.has(tried) }]));
    },
  };
}
