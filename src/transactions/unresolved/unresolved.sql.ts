import { MOST_COUNTED_OF_ALL } from '../../platform/pages.ts';
import {
  type Database,
  type Reader,
  type Row,
  type Statement,
  statement,
} from '../../platform/postgres/database.ts';
import type { CardBrand } from '../../values/card-number.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import type { Origin } from '../transaction.ts';
import type { Case, Unresolved, UnresolvedCount, UnresolvedKind } from './unresolved.ts';

/** Rows that wait for their first answer are not unresolved yet: it comes, or their lease ends. */
const IS_UNRESOLVED_CHARGE = `t.due_at is not null and (t.state = 'unresolved' or t.due_at <= now())`;
/** What was pre-authorized is old already when it is let go. */
const CHARGE_SINCE = 'coalesce(t.unresolved_since, t.created_at)';
const IS_UNRESOLVED_REQUEST = 'c.due_at is not null and (c.unknown_reason is not null or c.due_at <= now())';
/** A person may decide what is pending too, when its acquirer never does. */
const IS_UNDECIDED_CANCEL = `(c.state = 'pending' or ${IS_UNRESOLVED_REQUEST})`;
/** The process that asked has died and no other has claimed the row yet. */
const UNFINISHED = 'the process that asked did not finish';

const LIST_CHARGES = statement(
  'transactions.list_unresolved',
  `select t.merchant_id, t.transaction_id as id, t.origin, t.amount, t.created_at, ${CHARGE_SINCE} as since, t.resolve_tries as tries, t.unknown_reason, t.due_at
   from (select * from transactions t where ${IS_UNRESOLVED_CHARGE} order by t.due_at limit $5) t
   where ${CHARGE_SINCE} <= now() - $2 * interval '1 minute' and ($1::text is null or t.merchant_id = $1)
   order by case when $4::boolean then -t.amount end, ${CHARGE_SINCE}, t.transaction_id limit $3`,
);

const LIST_CANCELS = statement(
  'cancels.list_unresolved',
  `select c.merchant_id, c.cancel_id as id, t.origin, c.amount, c.created_at, c.created_at as since, c.tries, c.unknown_reason, c.due_at
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
  `select c.merchant_id, c.capture_id as id, t.origin, c.amount, c.created_at, c.created_at as since, c.tries, c.unknown_reason, c.due_at
   from (
     select * from (select * from captures c where ${IS_UNRESOLVED_REQUEST} order by c.due_at limit $5) c
     where c.created_at <= now() - $2 * interval '1 minute' and ($1::text is null or c.merchant_id = $1)
     order by case when $4::boolean then -c.amount end, c.created_at, c.capture_id limit $3
   ) c cross join lateral (
     select origin from transactions where merchant_id = c.merchant_id and transaction_id = c.transaction_id limit 1
   ) t
   order by case when $4::boolean then -c.amount end, c.created_at, c.capture_id`,
);

/** What stands first: what waits longest, or the largest amount. */
export type UnresolvedOrder = 'age' | 'money';

export type UnresolvedFilter = {
  /** Null: of all merchants. */
  readonly merchantId: string | null;
  readonly olderThanMinutes: number;
};

const LISTS: Readonly<Record<UnresolvedKind, Statement>> = {
  charge: LIST_CHARGES,
  cancel: LIST_CANCELS,
  capture: LIST_CAPTURES,
};

/** Up to `limit` of a kind, in this order. */
export async function findUnresolved(
  database: Reader,
  kind: UnresolvedKind,
  { merchantId, olderThanMinutes }: UnresolvedFilter,
  order: UnresolvedOrder,
  limit: number,
): Promise<Unresolved[]> {
  const values = [merchantId, olderThanMinutes, limit, order === 'money', MOST_COUNTED_OF_ALL];
  return (await database.query(LISTS[kind], values)).map((row) => parseUnresolved(kind, row));
}

function parseUnresolved(kind: UnresolvedKind, row: Row): Unresolved {
  return {
    kind,
    id: row.id as string,
    merchantId: row.merchant_id as string,
    origin: row.origin as Origin,
    amount: row.amount as Cents,
    createdAt: row.created_at as Instant,
    since: row.since as Instant,
    tries: row.tries as number,
    reason: (row.unknown_reason ?? UNFINISHED) as string,
    dueAt: row.due_at as Instant,
  };
}

const COUNT_CHARGES = statement(
  'transactions.count_unresolved',
  `select count(*) as count, coalesce(extract(epoch from now() - min(since)), 0)::float8 as oldest_age,
     coalesce(max(resolve_tries), 0) as most_tries
   from (select ${CHARGE_SINCE} as since, t.resolve_tries from transactions t where ${IS_UNRESOLVED_CHARGE}
         order by t.due_at limit $1) as unanswered`,
);

const COUNT_CANCELS = statement(
  'cancels.count_unresolved',
  `select count(*) as count, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest_age,
     coalesce(max(tries), 0) as most_tries
   from (select c.created_at, c.tries from cancels c where ${IS_UNRESOLVED_REQUEST}
         order by c.due_at limit $1) as unanswered`,
);

const COUNT_CAPTURES = statement(
  'captures.count_unresolved',
  `select count(*) as count, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest_age,
     coalesce(max(tries), 0) as most_tries
   from (select c.created_at, c.tries from captures c where ${IS_UNRESOLVED_REQUEST}
         order by c.due_at limit $1) as unanswered`,
);

/** Of all merchants: along the index of what is due, which holds nothing else. */
export async function countUnresolved(database: Database): Promise<UnresolvedCount[]> {
  const countOf = async (kind: UnresolvedKind, count: Statement): Promise<UnresolvedCount> => {
    const [row] = await database.query(count, [MOST_COUNTED_OF_ALL]);
    return {
      kind,
      count: row?.count as number,
      oldestAge: row?.oldest_age as number,
      mostTries: row?.most_tries as number,
    };
  };
  return [
    await countOf('charge', COUNT_CHARGES),
    await countOf('cancel', COUNT_CANCELS),
    await countOf('capture', COUNT_CAPTURES),
  ];
}

const FIND_CHARGE = statement(
  'transactions.find_case',
  `select 'charge' as kind, t.transaction_id as id, t.merchant_id, t.transaction_id, t.origin, t.account_number,
     t.reference_transaction, t.amount, t.installment_count, t.card_brand, t.card_first_six, t.card_last_four, t.created_by,
     t.state, t.authorization_code, t.nsu, t.response_code as refusal_code, t.created_at, t.decided_at,
     t.resolve_tries as tries, t.unknown_reason, t.due_at, (${IS_UNRESOLVED_CHARGE}) as is_unresolved
   from merchants m, lateral (
     select * from transactions where merchant_id = m.merchant_id and transaction_id = $1 offset 0
   ) t`,
);

const FIND_CANCEL = statement(
  'cancels.find_case',
  `select 'cancel' as kind, c.cancel_id as id, c.merchant_id, c.transaction_id, t.origin, t.account_number,
     t.reference_transaction, c.amount, t.installment_count, t.card_brand, t.card_first_six, t.card_last_four, c.created_by,
     c.state, t.authorization_code, t.nsu, c.refusal_reason as refusal_code, c.created_at, c.decided_at,
     c.tries, c.unknown_reason, c.due_at, ${IS_UNDECIDED_CANCEL} as is_unresolved
   from merchants m, lateral (
     select * from cancels where merchant_id = m.merchant_id and cancel_id = $1 offset 0
   ) c join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id`,
);

const FIND_CAPTURE = statement(
  'captures.find_case',
  `select 'capture' as kind, c.capture_id as id, c.merchant_id, c.transaction_id, t.origin, t.account_number,
     t.reference_transaction, c.amount, t.installment_count, t.card_brand, t.card_first_six, t.card_last_four, c.created_by,
     c.state, t.authorization_code, t.nsu, c.refusal_reason as refusal_code, c.created_at, c.decided_at,
     c.tries, c.unknown_reason, c.due_at, (${IS_UNRESOLVED_REQUEST}) as is_unresolved
   from merchants m, lateral (
     select * from captures where merchant_id = m.merchant_id and capture_id = $1 offset 0
   ) c join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id`,
);

/**
 * Whatever its state, or null. The operator names no merchant: it is looked up by the primary key
 * for each (`offset 0` keeps the planner to it), which is cheap for thousands and never reads a
 * table whole.
 */
export async function findCase(database: Reader, id: string): Promise<Case | null> {
  for (const find of [FIND_CHARGE, FIND_CANCEL, FIND_CAPTURE]) {
    const [row] = await database.query(find, [id]);
    if (row !== undefined) return parseCase(row);
  }
  return null;
}

function parseCase(row: Row): Case {
  return {
    kind: row.kind as UnresolvedKind,
    id: row.id as string,
    merchantId: row.merchant_id as string,
    transactionId: row.transaction_id as string,
    origin: row.origin as Origin,
    accountNumber: row.account_number as string,
    referenceTransaction: row.reference_transaction as string | null,
    amount: row.amount as Cents,
    installmentCount: row.installment_count as number,
    brand: row.card_brand as CardBrand,
    firstSix: row.card_first_six as string,
    lastFour: row.card_last_four as string,
    createdBy: row.created_by as string,
    state: row.state as Case['state'],
    authorizationCode: row.authorization_code as string | null,
    nsu: row.nsu as string | null,
    refusalCode: row.refusal_code as string | null,
    createdAt: row.created_at as Instant,
    decidedAt: row.decided_at as Instant | null,
    tries: row.tries as number,
    reason: row.unknown_reason as string | null,
    dueAt: row.due_at as Instant | null,
    isUnresolved: row.is_unresolved as boolean,
  };
}
