import { MOST_COUNTED_OF_ALL } from '../../platform/pages.ts';
import { type Database, type Reader, type Statement, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { VOID_ACCEPTED } from '../../providers/acquirers/direct-acquirer.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { CANCEL_STATES } from '../cancels/cancel.ts';
import { CAPTURE_STATES } from '../capture.ts';
import { NOTHING_LIVE, ORIGINS, TRANSACTION_STATES } from '../transaction.ts';
import { COUNTED, countedOfAll } from './counted.sql.ts';
import {
  type Case,
  LONGEST_PROMISE_MILLISECONDS,
  UNRESOLVED_KINDS,
  type Unresolved,
  type UnresolvedCount,
  type UnresolvedKind,
} from './unresolved.ts';

/** Rows that wait for their first answer are not unresolved yet: it comes, or their lease ends. */
const IS_UNRESOLVED_CHARGE = `t.due_at is not null and (t.state = 'unresolved' or t.due_at <= now())`;
/** A pre-authorization is old already when it is released, so created_at alone will not do. */
const CHARGE_SINCE = 'coalesce(t.unresolved_since, t.created_at)';
const END_OF_PROMISE = `${CHARGE_SINCE} + $3::float8 * interval '1 millisecond'`;
/**
 * From when on a charge counts as old. With a void that its acquirer accepted: from the end of the longest
 * promise. With nothing live: from its void, and from that end at the latest.
 */
const CHARGE_OLD_SINCE = `greatest(${CHARGE_SINCE}, case t.unknown_reason when $2 then ${END_OF_PROMISE}
           when $4 then least(t.void_sent_at, ${END_OF_PROMISE}) end)`;
const IS_UNRESOLVED_REQUEST = 'c.due_at is not null and (c.unknown_reason is not null or c.due_at <= now())';
/** A person may also decide a pending cancel, if its acquirer never does. */
const IS_UNDECIDED_CANCEL = `(c.state = 'pending' or ${IS_UNRESOLVED_REQUEST})`;
/** The process that asked has died, and no other has claimed the row yet. */
const UNFINISHED = 'the process that asked did not finish';

const CHARGE = rowCodec<Omit<Unresolved, 'kind'>>(
  {
    id: column.text('t.transaction_id'),
    merchantId: column.text(),
    origin: column.oneOf(ORIGINS, 't.origin'),
    amount: column.money(),
    createdAt: column.instant(),
    since: column.instant(CHARGE_SINCE),
    tries: column.whole('t.resolve_tries'),
    reason: column.text(`coalesce(t.unknown_reason, '${UNFINISHED}')`),
    dueAt: column.instant(),
  },
  't',
);
const REQUEST = rowCodec({
  ...CHARGE.fields,
  since: column.instant('c.created_at'),
  tries: column.whole(),
  reason: column.text(`coalesce(c.unknown_reason, '${UNFINISHED}')`),
});
const CANCEL = rowCodec({ ...REQUEST.fields, id: column.text('c.cancel_id') }, 'c');
const CAPTURE = rowCodec({ ...REQUEST.fields, id: column.text('c.capture_id') }, 'c');

const LIST_CHARGES = statement(
  'transactions.list_unresolved',
  `select ${CHARGE.columns}
   from (select * from transactions t where ${IS_UNRESOLVED_CHARGE} order by t.due_at limit $5) t
   where ${CHARGE_SINCE} <= now() - $2 * interval '1 minute' and ($1::text is null or t.merchant_id = $1)
   order by case when $4::boolean then -t.amount end, ${CHARGE_SINCE}, t.transaction_id limit $3`,
);

const LIST_CANCELS = statement(
  'cancels.list_unresolved',
  `select ${CANCEL.columns}
   from (
     select * from (select * from cancels c where ${IS_UNRESOLVED_REQUEST} order by c.due_at limit $5) c
     where c.created_at <= now() - $2 * interval '1 minute' and ($1::text is null or c.merchant_id = $1)
     order by case when $4::boolean then -c.amount end, c.created_at, c.cancel_id limit $3
   ) c cross join lateral (
     select origin from transactions where merchant_id = c.merchant_id and transaction_id = c.transaction_id limit 1
   ) t
   order by case when $4::boolean then -c.amount end, c.created_at, c.cancel_id`,
);

const LIST_CAPTURES = statement(
  'captures.list_unresolved',
  `select ${CAPTURE.columns}
   from (
     select * from (select * from captures c where ${IS_UNRESOLVED_REQUEST} order by c.due_at limit $5) c
     where c.created_at <= now() - $2 * interval '1 minute' and ($1::text is null or c.merchant_id = $1)
     order by case when $4::boolean then -c.amount end, c.created_at, c.capture_id limit $3
   ) c cross join lateral (
     select origin from transactions where merchant_id = c.merchant_id and transaction_id = c.transaction_id limit 1
   ) t
   order by case when $4::boolean then -c.amount end, c.created_at, c.capture_id`,
);

/** `age`: what waits longest comes first. `money`: the largest amount comes first. */
export type UnresolvedOrder = 'age' | 'money';

type UnresolvedFilter = {
  /** Null: of all merchants. */
  readonly merchantId: string | null;
  readonly olderThanMinutes: number;
};

const LISTS: Readonly<Record<UnresolvedKind, Statement>> = {
  charge: LIST_CHARGES,
  cancel: LIST_CANCELS,
  capture: LIST_CAPTURES,
};

export async function findUnresolved(
  database: Reader,
  kind: UnresolvedKind,
  { merchantId, olderThanMinutes }: UnresolvedFilter,
  order: UnresolvedOrder,
  limit: number,
): Promise<Unresolved[]> {
  const values = [merchantId, olderThanMinutes, limit, order === 'money', MOST_COUNTED_OF_ALL];
  return (await database.query(LISTS[kind], values)).map((row) => ({ kind, ...CHARGE.parse(row) }));
}

/** A request that ends by itself counts as old only from that end (ends_at) on. */
const COUNTED_REQUEST = `greatest(c.created_at, c.ends_at) as since, c.tries,
           (select t.acquirer from transactions t where t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id) as provider`;

const COUNT_CHARGES = statement(
  'transactions.count_unresolved',
  `select ${COUNTED.columns}
   from (select ${CHARGE_OLD_SINCE} as since, t.resolve_tries as tries, t.acquirer as provider from transactions t where ${IS_UNRESOLVED_CHARGE}
         order by t.due_at limit $1) as unanswered
   group by unanswered.provider`,
);

const COUNT_CANCELS = statement(
  'cancels.count_unresolved',
  `select ${COUNTED.columns}
   from (select ${COUNTED_REQUEST} from cancels c where ${IS_UNRESOLVED_REQUEST}
         order by c.due_at limit $1) as unanswered
   group by unanswered.provider`,
);

const COUNT_CAPTURES = statement(
  'captures.count_unresolved',
  `select ${COUNTED.columns}
   from (select ${COUNTED_REQUEST} from captures c where ${IS_UNRESOLVED_REQUEST}
         order by c.due_at limit $1) as unanswered
   group by unanswered.provider`,
);

/** Counts what is unresolved of all merchants, by the index of due rows, which holds no others. */
export async function countUnresolved(database: Database): Promise<UnresolvedCount[]> {
  const countOf = async (
    kind: UnresolvedKind,
    count: Statement,
    ...values: readonly (string | number)[]
  ): Promise<UnresolvedCount> => {
    const counted = await database.query(count, [MOST_COUNTED_OF_ALL, ...values]);
    return { kind, ...countedOfAll(counted.map(COUNTED.parse)) };
  };
  return [
    await countOf('charge', COUNT_CHARGES, VOID_ACCEPTED, LONGEST_PROMISE_MILLISECONDS, NOTHING_LIVE),
    await countOf('cancel', COUNT_CANCELS),
    await countOf('capture', COUNT_CAPTURES),
  ];
}

const CASE_OF_CHARGE = rowCodec<Case>(
  {
    kind: column.oneOf(UNRESOLVED_KINDS, `'charge'`),
    id: column.text('t.transaction_id'),
    merchantId: column.text(),
    transactionId: column.text(),
    acquirer: column.text('t.acquirer'),
    origin: column.oneOf(ORIGINS, 't.origin'),
    accountNumber: column.text('t.account_number'),
    referenceTransaction: column.nullable(column.text('t.reference_transaction')),
    amount: column.money(),
    chargedAmount: column.money('t.amount'),
    installmentCount: column.whole('t.installment_count'),
    brand: column.oneOf(CARD_BRANDS, 't.card_brand'),
    firstSix: column.text('t.card_first_six'),
    lastFour: column.text('t.card_last_four'),
    createdBy: column.text(),
    state: column.oneOf([...TRANSACTION_STATES, ...CANCEL_STATES, ...CAPTURE_STATES]),
    authorizationCode: column.nullable(column.text('t.authorization_code')),
    nsu: column.nullable(column.text('t.nsu')),
    refusalCode: column.nullable(column.text('t.response_code')),
    createdAt: column.instant(),
    decidedAt: column.nullable(column.instant()),
    tries: column.whole('t.resolve_tries'),
    reason: column.nullable(column.text('t.unknown_reason')),
    dueAt: column.nullable(column.instant()),
    isUnresolved: column.boolean(`(${IS_UNRESOLVED_CHARGE})`),
    isOfBilling: column.boolean("(t.origin = 'billing')"),
    isVoidSent: column.boolean('(t.void_sent_at is not null)'),
    wasPreauthorized: column.boolean(
      `exists (select from preauthorizations p where p.merchant_id = t.merchant_id and p.transaction_id = t.transaction_id)`,
    ),
  },
  't',
);
const CASE_OF_CANCEL = rowCodec(
  {
    ...CASE_OF_CHARGE.fields,
    kind: column.oneOf(UNRESOLVED_KINDS, `'cancel'`),
    id: column.text('c.cancel_id'),
    refusalCode: column.nullable(column.text('c.refusal_reason')),
    tries: column.whole(),
    reason: column.nullable(column.text('coalesce(c.unknown_reason, c.denial)')),
    isUnresolved: column.boolean(IS_UNDECIDED_CANCEL),
  },
  'c',
);
const CASE_OF_CAPTURE = rowCodec(
  {
    ...CASE_OF_CANCEL.fields,
    kind: column.oneOf(UNRESOLVED_KINDS, `'capture'`),
    id: column.text('c.capture_id'),
    isUnresolved: column.boolean(`(${IS_UNRESOLVED_REQUEST})`),
  },
  'c',
);

const FIND_CHARGE = statement(
  'transactions.find_case',
  `select ${CASE_OF_CHARGE.columns}
   from merchants m, lateral (
     select * from transactions where merchant_id = m.merchant_id and transaction_id = $1 offset 0
   ) t`,
);

const FIND_CANCEL = statement(
  'cancels.find_case',
  `select ${CASE_OF_CANCEL.columns}
   from merchants m, lateral (
     select * from cancels where merchant_id = m.merchant_id and cancel_id = $1 offset 0
   ) c join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id`,
);

const FIND_CAPTURE = statement(
  'captures.find_case',
  `select ${CASE_OF_CAPTURE.columns}
   from merchants m, lateral (
     select * from captures where merchant_id = m.merchant_id and capture_id = $1 offset 0
   ) c join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id`,
);

/**
 * Finds a charge, cancel or capture in any state. The operator names no merchant, so the primary key is
 * looked up for each merchant (`offset 0` keeps the planner to it). That is cheap for thousands of merchants
 * and never scans a table.
 */
export async function findCase(database: Reader, id: string): Promise<Case | null> {
  for (const find of [FIND_CHARGE, FIND_CANCEL, FIND_CAPTURE]) {
    const [row] = await database.query(find, [id]);
    if (row !== undefined) return CASE_OF_CHARGE.parse(row);
  }
  return null;
}

export const MOST_LISTED = 1_000;

export async function listUnresolved(
  database: Reader,
  filter: UnresolvedFilter,
  limit: number,
): Promise<Unresolved[]> {
  const most = Math.min(limit, MOST_LISTED);
  const found: Unresolved[] = [];
  for (const kind of UNRESOLVED_KINDS)
    found.push(...(await findUnresolved(database, kind, filter, 'age', most)));
  return found.toSorted((one, other) => one.createdAt - other.createdAt).slice(0, most);
}
