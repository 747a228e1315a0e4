import { type Database, type Row, type Statement, statement } from '../../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { CHOSEN_IN_TURNS, fairClaimValues, IS_NOT_PASSED_OVER } from '../../platform/work/fair-claim.sql.ts';
import type { FairClaim } from '../../platform/work/fair-claim.ts';
import type { Postponement } from '../transaction.ts';

export const UNANSWERED = rowCodec({
  merchantId: column.text(),
  requestId: column.text(),
  transactionId: column.text(),
  acquirer: column.text(
    '(select t.acquirer from transactions t where t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id)',
  ),
  /** The acquirer's identifier of the charge; null if its approval named none. */
  tid: column.nullable(
    column.text(
      '(select t.tid from transactions t where t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id)',
    ),
  ),
  amount: column.money(),
  /** Business time. */
  requestedAt: column.instant(),
  fence: column.whole(),
  /** Includes this try. */
  tries: column.whole(),
  /** Real milliseconds since it was marked as sent for the last time; null if it never was. */
  sinceLastSend: column.nullable(column.real('(extract(epoch from now() - c.sent_at) * 1000)::float8')),
  unknownReason: column.nullable(column.text()),
  /** The acquirer's no. From then on the request is looked for, and not sent again. Null: there was none. */
  denial: column.nullable(column.text()),
  /** The port's word for that no; null: it has none. */
  deniedAs: column.nullable(column.text()),
  /** Real milliseconds since a look-up behind that no did not find the request; null: none has. */
  sinceDenied: column.nullable(column.real('(extract(epoch from now() - c.denied_at) * 1000)::float8')),
});

/** A cancel or capture without a clear answer of the acquirer, leased by this process. */
export type UnansweredRequest = Readonly<RowOf<typeof UNANSWERED>>;

const HELD = rowCodec({
  fence: column.whole(),
  /** Milliseconds that were left of its lease or pause; negative if it was due. */
  millisecondsLeft: column.real('f.milliseconds_left'),
});

/**
 * `postponed` of a table with ends_at: the moment at which a request ends by itself. The earliest one stands,
 * because what goes on behind it is old. 0: a person must decide, so a moment that is still ahead is removed,
 * until a clear look sets one anew.
 */
export const FIRST_END = `, ends_at = case when $7::float8 = 0 then case when ends_at <= now() then ends_at end
     else least(ends_at, now() + $7::float8 * interval '1 millisecond') end`;

export type HeldRequest = Readonly<RowOf<typeof HELD>>;

/** SQL of a table with merchant_id, fence, tries, due_at and unknown_reason. */
export type RequestTable = {
  /** The table, and the prefix of its statements' names. */
  readonly table: string;
  /** Names the row in `claimed` and `columns`. */
  readonly alias: string;
  /** The column of the request's id. */
  readonly key: string;
  /** The states that wait for the provider's answer. */
  readonly open: string;
  /** What a claim assigns besides fence, tries and lease. */
  readonly claimed: string;
  /** What a hold assigns besides fence, lease and reason. */
  readonly held?: string;
  /** What a postponement assigns in addition. `$7`, if it has one: the milliseconds left, or null. */
  readonly postponed: string;
  /** True when nobody waits for the first answer any more. */
  readonly overdue: string;
  readonly columns: string;
};

export function requestTexts({ table, alias, key, open, ...parts }: RequestTable) {
  const { claimed, held = '', postponed, overdue, columns } = parts;
  const isRow = (other: string) =>
    `${alias}.merchant_id = ${other}.merchant_id and ${alias}.${key} = ${other}.${key}`;
  return {
    claim_unresolved: `with due as (
     select merchant_id, ${key}, due_at from ${table} where due_at <= now() and ${IS_NOT_PASSED_OVER}
     order by due_at limit $1 for no key update skip locked
   ), ${CHOSEN_IN_TURNS}
   update ${table} ${alias} set fence = ${alias}.fence + 1, tries = least(${alias}.tries + 1, 32000),
     due_at = now() + $2 * interval '1 millisecond',
     ${claimed}
   from chosen n where ${isRow('n')}
   returning ${columns}`,
    hold_unresolved: `with found as (
     select merchant_id, ${key}, (extract(epoch from due_at - now()) * 1000)::float8 as milliseconds_left
     from ${table}
     where merchant_id = $1 and ${key} = $2 and state in (${open}) and (${overdue} or due_at <= now())
     for no key update
   )
   update ${table} ${alias} set fence = ${alias}.fence + 1, due_at = now() + $3 * interval '1 millisecond',
     unknown_reason = coalesce(${alias}.unknown_reason, 'the process that asked did not finish')${held}
   from found f where ${isRow('f')}
   returning ${HELD.columnsOf(alias)}`,
    postpone: `update ${table} set due_at = now() + $4 * interval '1 second', unknown_reason = $5,
     tries = tries - $6${postponed}
   where merchant_id = $1 and ${key} = $2 and state in (${open}) and fence = $3`,
    pull_forward: `with waiting as (
     select merchant_id, ${key} from ${table}
     where state in (${open}) and unknown_reason is not null and due_at > now() + $2 * interval '1 millisecond'
     order by due_at limit $1 for no key update skip locked
   )
   update ${table} ${alias} set due_at = now()
   from waiting w where ${isRow('w')}
   returning ${alias}.${key}`,
    earliest_due: `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from ${table} where due_at is not null and merchant_id <> all($1::text[])`,
  } as const;
}

/**
 * How a request ends. `refusalReason` null: it was done, which any process may record. A no may only be
 * recorded by the process that still holds `fence`: where the acquirer knows no reference, another process
 * may have sent the request again meanwhile, and been answered.
 */
export type Ended =
  | { readonly refusalReason: null; readonly fence?: number }
  | { readonly refusalReason: string; readonly fence: number };

export type RequestKey = { readonly merchantId: string; readonly requestId: string; readonly fence: number };

export type RequestQueue<Request> = {
  /** Claims due requests of all merchants and raises their fence. */
  readonly claim: (database: Database, claim: FairClaim, leaseMilliseconds: number) => Promise<Request[]>;
  /** Keeps a request from being sent. Null: its first answer is still awaited, or it is final. */
  readonly hold: (
    database: Database,
    merchantId: string,
    requestId: string,
    milliseconds: number,
  ) => Promise<HeldRequest | null>;
  /** Sets when to ask again. Changes nothing if another process has claimed the request. */
  readonly postpone: (database: Database, request: RequestKey, postponement: Postponement) => Promise<void>;
  /** Makes requests due, of all merchants, that would wait for longer than a lease. Returns how many. */
  readonly pullForward: (database: Database, limit: number, leaseMilliseconds: number) => Promise<number>;
  /** `$1`: merchants that are passed over. */
  readonly earliest: Statement;
};

export function requestQueue<Request>(
  table: RequestTable,
  parse: (row: Row) => Request,
): RequestQueue<Request> {
  const texts = requestTexts(table);
  const declared = (end: keyof typeof texts) => statement(`${table.table}.${end}`, texts[end]);
  const [claim, hold, postpone] = [
    declared('claim_unresolved'),
    declared('hold_unresolved'),
    declared('postpone'),
  ];
  const pullForward = declared('pull_forward');
  const hasLeft = table.postponed.includes('$7');
  return {
    async claim(database, share, leaseMilliseconds) {
      const rows = await database.query(claim, fairClaimValues(share, leaseMilliseconds));
      return rows.map(parse);
    },
    async hold(database, merchantId, requestId, milliseconds) {
      return firstOf(await database.query(hold, [merchantId, requestId, milliseconds]), HELD.parse);
    },
    async postpone(database, { merchantId, requestId, fence }, postponement) {
      const { seconds, reason, wasAsked = true, left = null } = postponement;
      const values = [merchantId, requestId, fence, seconds, reason, wasAsked ? 0 : 1];
      await database.query(postpone, hasLeft ? [...values, left] : values);
    },
    async pullForward(database, limit, leaseMilliseconds) {
      return (await database.query(pullForward, [limit, leaseMilliseconds])).length;
    },
    earliest: declared('earliest_due'),
  };
}
