import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import { TRANSACTION_MOVES } from '../transaction.ts';

/**
 * Lets go what is `due`. One that is being captured has left the index already, and is not found
 * here; one of which that begins at this moment is locked, and seen to be so.
 */
const LET_GO = `locked as (
     select t.merchant_id, t.transaction_id, d.expires_at
     from due d join transactions t on t.merchant_id = d.merchant_id and t.transaction_id = d.transaction_id
     where t.state in (${fromStates(TRANSACTION_MOVES, 'release')})
     order by t.merchant_id, t.transaction_id
     for no key update of t skip locked
   ), released as (
     update transactions t set state = 'unresolved', fence = t.fence + 1, decided_at = null, due_at = now(),
       unresolved_since = now(), unknown_reason = 'it was not captured in time'
     from locked l
     where t.merchant_id = l.merchant_id and t.transaction_id = l.transaction_id
     returning t.merchant_id, t.transaction_id, l.expires_at
   )
   update preauthorizations p set expires_at = null, released_at = r.expires_at, released_by = 'system'
   from released r
   where p.merchant_id = r.merchant_id and p.transaction_id = r.transaction_id
   returning p.transaction_id`;

/** How far the merchant's clock is ahead; it never goes back, so that nothing is due too early. */
const SHIFT = `coalesce((select c.shift_milliseconds from merchant_clocks c where c.merchant_id = $1), 0) * interval '1 millisecond'`;

const EXPIRE = statement(
  'preauthorizations.expire',
  `with due as (
     select merchant_id, transaction_id, expires_at from preauthorizations
     where expires_at <= now() order by expires_at limit $1
   ), ${LET_GO}`,
);

const EXPIRE_OF = statement(
  'preauthorizations.expire_of_merchant',
  `with due as (
     select merchant_id, transaction_id, expires_at from preauthorizations
     where merchant_id = $1 and expires_at <= now() + ${SHIFT} order by expires_at limit $2
   ), ${LET_GO}`,
);

/**
 * Lets go up to so many pre-authorizations whose time is over, of all merchants by real time, or of
 * one (`merchantId`) by its own clock; gives how many.
 */
export async function expirePreauthorizations(
  database: Database,
  merchantId: string | null,
  limit: number,
): Promise<number> {
  const rows =
    merchantId === null
      ? await database.query(EXPIRE, [limit])
      : await database.query(EXPIRE_OF, [merchantId, limit]);
  return rows.length;
}

const DUE = rowCodec({ count: column.whole('count(*)') });

const COUNT_DUE = statement(
  'transactions.count_due',
  `select ${DUE.columns} from (select from transactions where due_at <= now() limit $1 + 1) as due`,
);

/** Whether more than so many unresolved charges wait to be claimed. */
export async function areManyChargesDue(database: Database, many: number): Promise<boolean> {
  const [row] = await database.query(COUNT_DUE, [many]);
  return DUE.parse(row as Row).count > many;
}

const AHEAD = rowCodec({ merchantId: column.text('c.merchant_id') });

const MOVED = statement(
  'preauthorizations.merchants_ahead',
  `select ${AHEAD.columns} from merchant_clocks c
   where c.shift_milliseconds > 0 and c.target_at is null and exists (
     select from preauthorizations p where p.merchant_id = c.merchant_id
       and p.expires_at <= now() + c.shift_milliseconds * interval '1 millisecond')
   limit $1`,
);

/** Merchants whose clock is ahead, and by it something is over: only homologation has any. */
export async function findMerchantsAhead(database: Database, limit: number): Promise<string[]> {
  return (await database.query(MOVED, [limit])).map((row) => AHEAD.parse(row).merchantId);
}

/** Null: nothing is over, by the real time and by clocks that are ahead. */
export const EXPIRIES_DUE = statement(
  'preauthorizations.due',
  `select case when exists (select from preauthorizations where expires_at <= now())
     or exists (
       select from merchant_clocks c
       where c.shift_milliseconds > 0 and c.target_at is null and exists (
         select from preauthorizations p where p.merchant_id = c.merchant_id
           and p.expires_at <= now() + c.shift_milliseconds * interval '1 millisecond'))
     then 0 end as milliseconds`,
);

const EARLIEST = rowCodec({ earliest: column.nullable(column.instant()) });

const EARLIEST_OF = statement(
  'preauthorizations.earliest_of_merchant',
  `select least(
     (select min(expires_at) from preauthorizations where merchant_id = $1 and expires_at <= $2::timestamptz),
     (select min(p.released_at) from (
        select merchant_id, transaction_id from transactions where due_at is not null and state = 'unresolved'
        order by due_at limit 1000
      ) t join preauthorizations p on p.merchant_id = t.merchant_id and p.transaction_id = t.transaction_id
      where t.merchant_id = $1)) as earliest`,
);

/**
 * When a pre-authorization of the merchant is over, not after `until`. One that was let go counts
 * until it is voided: a jump of the clock waits for that. Null: none.
 */
export async function earliestExpiry(
  database: Database,
  merchantId: string,
  until: Instant,
): Promise<Instant | null> {
  const [row] = await database.query(EARLIEST_OF, [merchantId, utcText(until)]);
  return EARLIEST.parse(row as Row).earliest;
}
