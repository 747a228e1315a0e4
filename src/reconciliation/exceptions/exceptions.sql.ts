import { type Audit, type MerchantActor, merchantEvent } from '../../audit/audit-event.ts';

import { MOST_COUNTED_OF_ALL, type Page, type WantedPage } from '../../platform/pages.ts';
import { type BatchedWriteOptions, oneByOne } from '../../platform/postgres/batched-writes.ts';
import { type Reader, type Row, statement, type Tx } from '../../platform/postgres/database.ts';
import { pageOf, readPageOf } from '../../platform/postgres/page-of.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import type { Day } from '../../values/instant.ts';
import { ENTRY_KINDS } from '../settlement-entry.ts';
import {
  EXCEPTION_CLASSES,
  EXCEPTION_MOVES,
  EXCEPTION_STATES,
  EXPLANATIONS,
  type ExceptionClass,
  type ExceptionState,
  type ReconciliationException,
} from './exception.ts';
import { NO_MERCHANT } from './exception-writes.sql.ts';

const MERCHANT = column.parsedBy((value) => (typeof value === 'string' ? value || null : undefined));

const EXCEPTION = rowCodec<
  Omit<ReconciliationException, 'line'> & {
    readonly fileNumber: number | null;
    readonly lineNumber: number | null;
  }
>(
  {
    exceptionId: column.text(),
    merchantId: MERCHANT,
    accountNumber: column.nullable(column.text()),
    class: column.oneOf(EXCEPTION_CLASSES),
    state: column.oneOf(EXCEPTION_STATES),
    transactionId: column.nullable(column.text('coalesce(e.transaction_id, e.pix_id)')),
    installmentNumber: column.nullable(column.whole()),
    boletoId: column.nullable(column.text()),
    linkId: column.nullable(column.text()),
    fileNumber: column.nullable(column.whole()),
    lineNumber: column.nullable(column.whole()),
    amount: column.whole(),
    expected: column.nullable(column.text()),
    found: column.nullable(column.text()),
    day: column.nullable(column.day()),
    explanation: column.nullable(column.oneOf(EXPLANATIONS)),
    openedAt: column.instant(),
    endedAt: column.nullable(column.instant()),
    resolvedBy: column.nullable(column.text()),
    reason: column.nullable(column.text()),
  },
  'e',
);

function parseException(row: Row): ReconciliationException {
  const { fileNumber, lineNumber, ...exception } = EXCEPTION.parse(row);
  const isOfLine = fileNumber !== null && lineNumber !== null;
  return { ...exception, line: isOfLine ? { fileNumber, lineNumber } : null };
}

/** null: no limit. */
export type ExceptionFilter = {
  readonly accountNumber: string;
  readonly from: Day;
  readonly to: Day;
  readonly state: ExceptionState | null;
  readonly class: ExceptionClass | null;
};

export type ExceptionOrder = 'day';

/** The index of an account holds the days of each state in order, and contains every column. */
const OF_ACCOUNT = `from reconciliation_exceptions e
     where e.merchant_id = $1 and e.account_number = $4 and e.day between $5::date and $6::date
       and ($8::text is null or e.class = $8)`;

/** Each state is read in the order of the index, no further than the page needs. */
const LIST = pageOf({
  name: 'reconciliation_exceptions.list',
  before: `counted as materialized (
     select count(*) as total from (select ${OF_ACCOUNT} and e.state = any ($7::text[]) {counted}) c)`,
  keys: `(select e.day, e.exception_id ${OF_ACCOUNT} and e.state = ($7::text[])[{branch}]
     order by {order} limit $2::bigint + $3::bigint)`,
  branches: EXCEPTION_STATES,
  key: 'exception_id',
  order: ['day', 'exception_id'],
  shown: `${EXCEPTION.columns} from page g cross join lateral (
       select * from reconciliation_exceptions where merchant_id = $1 and exception_id = g.exception_id limit 1
     ) e`,
});

export async function listExceptionPage(
  database: Reader,
  merchantId: string,
  { accountNumber, from, to, state, class: name }: ExceptionFilter,
  wanted: WantedPage<ExceptionOrder>,
): Promise<Page<ReconciliationException>> {
  const states = state === null ? EXCEPTION_STATES : [state];
  const { rows, total } = await readPageOf(database, LIST, merchantId, wanted, [
    accountNumber,
    from,
    to,
    states,
    name,
  ]);
  return { items: rows.map(parseException), total };
}

const SINCE = `coalesce((e.day + interval '3 hours') at time zone 'UTC', e.opened_at)`;
const FITS = `e.state = any ($1::text[]) and e.class = any ($2::text[]) and ($3::text is null or e.merchant_id = $3)
     and ($4::date is null or e.day = $4::date)
     and ($5::integer = 0 or ${SINCE} <= now() - $5::integer * interval '1 day')`;
/** A parameter for the state would hide the index of open exceptions. */
const OPEN_FITS = `e.state = 'open' and ${FITS}`;
const IS_OLD = `($4::integer = 0 or ${SINCE} <= now() - $4::integer * interval '1 day')`;
const BY_SIZE = 'order by abs(e.amount) desc, e.opened_at, e.exception_id';
/** Reads each state and class in index order, no further than the list needs. */
const KINDS = `unnest($1::text[]) as s (state) cross join unnest($2::text[]) as n (class) cross join lateral`;

const LIST_ALL = statement(
  'reconciliation_exceptions.list_of_operator',
  `select ${EXCEPTION.columns} from ${KINDS} (
     select * from reconciliation_exceptions e
     where e.state = s.state and e.class = n.class and ${IS_OLD} ${BY_SIZE} limit $3
   ) e ${BY_SIZE} limit $3`,
);
const LIST_OF_MERCHANT = statement(
  'reconciliation_exceptions.list_of_merchant',
  `select ${EXCEPTION.columns} from ${KINDS} (
     select * from reconciliation_exceptions e
     where e.merchant_id = $5 and e.state = s.state and e.class = n.class and ${IS_OLD} ${BY_SIZE} limit $3
   ) e ${BY_SIZE} limit $3`,
);
const LIST_OF_DAY = statement(
  'reconciliation_exceptions.list_of_day',
  `select ${EXCEPTION.columns} from reconciliation_exceptions e
   where e.day = $5::date and e.class = any ($2::text[]) and e.state = any ($1::text[])
     and ($6::text is null or e.merchant_id = $6) and ${IS_OLD}
   ${BY_SIZE} limit $3`,
);

export type OperatorFilter = {
  readonly states: readonly ExceptionState[];
  readonly classes: readonly ExceptionClass[];
  readonly merchantId: string | null;
  readonly day: Day | null;
  readonly olderThanDays: number;
};

const isOpenOnly = ({ states }: OperatorFilter) => states.every((state) => state === 'open');
const filterValues = ({ states, classes, merchantId, day, olderThanDays }: OperatorFilter) => [
  ...[states, classes, merchantId, day, olderThanDays],
];

export async function listExceptionsOfAll(
  database: Reader,
  filter: OperatorFilter,
  limit: number,
): Promise<ReconciliationException[]> {
  const { states, classes, merchantId, day, olderThanDays } = filter;
  const kinds = [states, classes, limit, olderThanDays];
  const rows =
    day !== null
      ? await database.query(LIST_OF_DAY, [...kinds, day, merchantId])
      : merchantId !== null
        ? await database.query(LIST_OF_MERCHANT, [...kinds, merchantId])
        : await database.query(LIST_ALL, kinds);
  return rows.map(parseException);
}

const COUNTED = `select e.merchant_id, e.class, e.amount, ${SINCE} as since from reconciliation_exceptions e`;
const GROUP = rowCodec(
  {
    merchantId: MERCHANT,
    class: column.oneOf(EXCEPTION_CLASSES),
    count: column.whole(),
    cents: column.whole(),
    oldestAge: column.real(),
    inAll: column.whole('sum(g.count) over ()::bigint'),
    centsInAll: column.whole('sum(g.cents) over ()::bigint'),
  },
  'g',
);
const SUMS = `grouped as (
     select merchant_id, class, count(*) as count, sum(abs(amount))::bigint as cents,
       extract(epoch from now() - min(since))::float8 as oldest_age
     from counted group by merchant_id, class
   )
   select ${GROUP.columns} from grouped g order by g.cents desc, g.merchant_id, g.class limit $7`;

const SUM_OPEN = statement(
  'reconciliation_exceptions.sum_open_of_operator',
  `with counted as (${COUNTED} where ${OPEN_FITS} limit $6), ${SUMS}`,
);
const SUM_ALL = statement(
  'reconciliation_exceptions.sum_of_operator',
  `with counted as (${COUNTED} where ${FITS} limit $6), ${SUMS}`,
);

export type ExceptionSums = {
  readonly count: number;
  readonly cents: number;
  readonly isCutShort: boolean;
  readonly groups: readonly {
    readonly merchantId: string | null;
    readonly class: ExceptionClass;
    readonly count: number;
    readonly cents: number;
    /** Seconds. */
    readonly oldestAge: number;
  }[];
};

export async function sumExceptionsOfAll(
  database: Reader,
  filter: OperatorFilter,
  limit: number,
): Promise<ExceptionSums> {
  const sum = isOpenOnly(filter) ? SUM_OPEN : SUM_ALL;
  const values = [...filterValues(filter), MOST_COUNTED_OF_ALL, limit];
  const rows = (await database.query(sum, values)).map(GROUP.parse);
  const { inAll: count, centsInAll: cents } = rows[0] ?? { inAll: 0, centsInAll: 0 };
  const groups = rows.map(({ inAll: _, centsInAll: __, ...group }) => group);
  return { count, cents, isCutShort: count >= MOST_COUNTED_OF_ALL, groups };
}

const FIND = statement(
  'reconciliation_exceptions.find',
  `select ${EXCEPTION.columns} from reconciliation_exceptions e where e.exception_id = $1`,
);

export async function findException(
  database: Reader,
  exceptionId: string,
): Promise<ReconciliationException | null> {
  return firstOf(await database.query(FIND, [exceptionId]), parseException);
}

const FIND_OWN = statement(
  'reconciliation_exceptions.find_own',
  `select ${EXCEPTION.columns} from reconciliation_exceptions e where e.merchant_id = $1 and e.exception_id = $2`,
);

export async function findOwnException(
  database: Reader,
  merchantId: string,
  exceptionId: string,
): Promise<ReconciliationException | null> {
  return firstOf(await database.query(FIND_OWN, [merchantId, exceptionId]), parseException);
}

const LINE = rowCodec(
  {
    line: column.text(),
    kind: column.oneOf(ENTRY_KINDS),
    fileName: column.text('f.name'),
    format: column.text('f.format'),
  },
  'e',
);

const READ_LINE = statement(
  'settlement_entries.read_line',
  `select ${LINE.columns} from settlement_entries e join settlement_files f on f.file_number = e.file_number
   where e.file_number = $1 and e.line_number = $2 and f.taken_at is not null`,
);

export async function readLine(
  database: Reader,
  fileNumber: number,
  lineNumber: number,
): Promise<RowOf<typeof LINE> | null> {
  return firstOf(await database.query(READ_LINE, [fileNumber, lineNumber]), LINE.parse);
}

const LOCK = statement(
  'reconciliation_exceptions.lock',
  'select e.state from reconciliation_exceptions e where e.merchant_id = $1 and e.exception_id = $2 for no key update',
);

const RESOLVE = statement(
  'reconciliation_exceptions.resolve',
  `update reconciliation_exceptions set state = 'resolved', ended_at = now(), due_at = null, resolved_by = $3, reason = $4
   where merchant_id = $1 and exception_id = $2 and state in (${fromStates(EXCEPTION_MOVES, 'resolve')})
   returning exception_id`,
);

/** False if it had ended already. */
export async function recordResolution(
  tx: Tx,
  { merchantId, exceptionId }: Pick<ReconciliationException, 'merchantId' | 'exceptionId'>,
  by: string,
  reason: string,
): Promise<boolean> {
  const key = [merchantId ?? NO_MERCHANT, exceptionId];
  await tx.query(LOCK, key);
  return (await tx.query(RESOLVE, [...key, by, reason])).length === 1;
}

export type WantedResolution = {
  readonly actor: MerchantActor;
  readonly exception: ReconciliationException;
  readonly reason: string;
};

const LIMITS = { statementsInFlight: 2, waitingCallers: 100 };

/** Repeatable. */
export function resolutionsWrite(audit: Audit): BatchedWriteOptions<WantedResolution, 'done'> {
  return oneByOne({
    name: 'exceptionResolutions',
    isRefusal: () => false,
    key: ({ exception }) => exception.exceptionId,
    merchant: ({ actor }) => actor.merchantId,
    limits: LIMITS,
    async write({ actor, exception, reason }, deadline) {
      const { exceptionId, class: name, amount, state } = exception;
      const resource = `reconciliation-exceptions/${exceptionId}`;
      const detail = { class: name, amount, was: state, reason };
      await audit.transaction(
        async (tx) => {
          if (await recordResolution(tx, exception, actor.userName, reason))
            tx.record(merchantEvent('reconciliation.resolve', actor, resource, detail));
        },
        { merchantId: actor.merchantId, deadline },
      );
      return 'done' as const;
    },
  });
}
