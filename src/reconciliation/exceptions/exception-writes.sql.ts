import { MOST_COUNTED_OF_ALL } from '../../platform/pages.ts';
import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { ENQUEUE_DELIVERIES } from '../../webhooks/deliveries/to-send.sql.ts';
import {
  EXCEPTION_CLASSES,
  EXCEPTION_MOVES,
  type ExceptionClass,
  type ExceptionState,
  type Finding,
} from './exception.ts';

export type ExceptionRow = {
  readonly merchantId: string;
  readonly exceptionId: string;
  readonly key: string;
  readonly class: ExceptionClass;
  readonly event: 'open' | 'explain' | 'heal' | 'reopen' | 'refresh';
  readonly before: ExceptionState | null;
  readonly state: ExceptionState;
  readonly accountNumber: string | null;
  readonly transactionId: string | null;
  readonly installmentNumber: number | null;
  readonly fileNumber: number | null;
  readonly lineNumber: number | null;
  readonly finding: Omit<Finding, 'class'>;
  readonly message: string | null;
};

const ROWS = inputRows<ExceptionRow>({
  merchant_id: ['text', (row) => row.merchantId],
  exception_id: ['uuid', (row) => row.exceptionId],
  exception_key: ['text', (row) => row.key],
  class: ['text', (row) => row.class],
  event: ['text', (row) => row.event],
  state_before: ['text', (row) => row.before],
  next_state: ['text', (row) => row.state],
  ...own({ accountNumber: 'text', transactionId: 'uuid', installmentNumber: 'smallint' }),
  ...own({ fileNumber: 'bigint', lineNumber: 'integer' }),
  amount: ['bigint', (row) => row.finding.amount],
  expected: ['text', (row) => row.finding.expected],
  found: ['text', (row) => row.finding.found],
  day: ['date', (row) => row.finding.day],
  explanation: ['text', (row) => row.finding.explanation],
  body: ['text', (row) => row.message],
});

/** The delay of the first check; doubled after each check that changes nothing. */
const FIRST_LOOK = "interval '1 minute'";
const IS_LOOKED_AT =
  "(g.next_state = 'open' or g.next_state = 'explained' and g.explanation in ('onItsWay', 'batchIncomplete'))";

const RECORD = statement(
  'reconciliation_exceptions.record',
  `with given as materialized (
     select * from ${ROWS.sql}
   ), inserted as (
     insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number,
       transaction_id, installment_number, file_number, line_number, amount, expected, found, day, explanation, due_at)
     select g.merchant_id, g.exception_id, g.exception_key, g.class, g.next_state, g.account_number, g.transaction_id,
       g.installment_number, g.file_number, g.line_number, g.amount, g.expected, g.found, g.day, g.explanation,
       case when ${IS_LOOKED_AT} then now() + ${FIRST_LOOK} end
     from given g where g.event = 'open'
     on conflict do nothing
     returning merchant_id, exception_id
   ), moved as (
     update reconciliation_exceptions e set state = g.next_state,
       amount = g.amount, expected = g.expected, found = g.found, day = g.day, explanation = g.explanation,
       was_open = g.event = 'explain', ended_at = case when g.next_state = 'healed' then now() end, reason = null, resolved_by = null, tries = 0,
       due_at = case when ${IS_LOOKED_AT} then now() + ${FIRST_LOOK} end
     from given g
     where e.merchant_id = g.merchant_id and e.exception_id = g.exception_id
       and e.state in (${fromStates(EXCEPTION_MOVES, 'explain', 'heal', 'reopen')}) and e.state = g.state_before
       and g.event in ('explain', 'heal', 'reopen')
     returning e.merchant_id, e.exception_id
   ), refreshed as (
     update reconciliation_exceptions e set amount = g.amount, expected = g.expected, found = g.found, day = g.day
     from given g
     where e.merchant_id = g.merchant_id and e.exception_id = g.exception_id and g.event = 'refresh'
   ), enqueued as (
     ${ENQUEUE_DELIVERIES}
     select g.merchant_id, nextval('movement_ids'), 'notice', n.server, g.account_number, g.exception_id,
       0, null, n.url, g.body, now(), now(), null, 0
     from (select merchant_id, exception_id from inserted union all select merchant_id, exception_id from moved) w
     join given g on g.merchant_id = w.merchant_id and g.exception_id = w.exception_id and g.body is not null
     cross join lateral (
       select server, url from webhook_endpoints
       where merchant_id = g.merchant_id and endpoint = 'exceptions:' || g.account_number and state <> 'removed' limit 1
     ) n
     returning true
   )
   select exists (select from enqueued) as is_waiting`,
);

/** In the key of an exception without a known merchant. */
export const NO_MERCHANT = '';

/** Returns whether a delivery was written. */
export async function recordExceptions(tx: Tx, rows: readonly ExceptionRow[]): Promise<boolean> {
  if (rows.length === 0) return false;
  const [row] = await tx.query(RECORD, ROWS.values(rows));
  return row?.is_waiting === true;
}

const OPEN = rowCodec(
  {
    class: column.oneOf(EXCEPTION_CLASSES, 'n.class'),
    count: column.whole(),
    cents: column.whole(),
    oldestAge: column.real(),
  },
  'o',
);

/** Reads each class in the index of open exceptions, which contains the amounts. */
const COUNT = statement(
  'reconciliation_exceptions.count_open',
  `select ${OPEN.columns} from unnest($1::text[]) as n (class) cross join lateral (
     select count(*) as count, coalesce(sum(abs(amount)), 0)::bigint as cents,
       coalesce(extract(epoch from now() - min(opened_at)), 0)::float8 as oldest_age
     from (
       select amount, opened_at from reconciliation_exceptions where state = 'open' and class = n.class
       order by opened_at limit $2
     ) oldest
   ) o`,
);

const LINES = rowCodec({ count: column.whole('count(*)') });

const COUNT_LINES = statement(
  'reconciliation_exceptions.count_open_lines',
  `select ${LINES.columns} from (
     select from reconciliation_exceptions where merchant_id = '' and due_at is not null order by due_at limit $1
   ) lines`,
);

const FILES = rowCodec({ format: column.text(), count: column.whole('count(*)') });

const COUNT_FILES = statement(
  'settlement_files.count',
  `select ${FILES.columns} from (
     select format from settlement_files where taken_at is not null order by taken_at desc limit $1
   ) files group by format`,
);

export type CountedExceptions = {
  /** By class. Absolute cents, ages in seconds. */
  readonly open: readonly RowOf<typeof OPEN>[];
  readonly unmatchedLines: number;
  readonly files: readonly RowOf<typeof FILES>[];
};

export async function countExceptions(database: Database): Promise<CountedExceptions> {
  const open = await database.query(COUNT, [EXCEPTION_CLASSES, MOST_COUNTED_OF_ALL]);
  const [lines] = (await database.query(COUNT_LINES, [MOST_COUNTED_OF_ALL])).map(LINES.parse);
  const files = await database.query(COUNT_FILES, [MOST_COUNTED_OF_ALL]);
  return { open: open.map(OPEN.parse), unmatchedLines: lines?.count ?? 0, files: files.map(FILES.parse) };
}
