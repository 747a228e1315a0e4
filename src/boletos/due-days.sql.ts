import { type Database, type Row, statement } from '../platform/postgres/database.ts';
import { type Instant, utcText } from '../values/instant.ts';
import type { BoletoKey } from './boleto.ts';

/** How far the merchant's clock is ahead; it never goes back, so that nothing is due too early. */
const SHIFT = `coalesce((select c.shift_milliseconds from merchant_clocks c where c.merchant_id = $1), 0) * interval '1 millisecond'`;

const LIST_ACTING = statement(
  'boletos.list_acting',
  'select merchant_id, boleto_id from boletos where acts_at <= now() order by acts_at limit $1',
);

const LIST_ACTING_OF = statement(
  'boletos.list_acting_of_merchant',
  `select merchant_id, boleto_id from boletos
   where merchant_id = $1 and acts_at <= now() + ${SHIFT} order by acts_at limit $2`,
);

/**
 * Up to so many boletos that the calendar changes, of all merchants by real time, or of one
 * (`merchantId`) by its own clock.
 */
export async function listActing(
  database: Database,
  merchantId: string | null,
  limit: number,
): Promise<BoletoKey[]> {
  const rows =
    merchantId === null
      ? await database.query(LIST_ACTING, [limit])
      : await database.query(LIST_ACTING_OF, [merchantId, limit]);
  return rows.map(parseKey);
}

function parseKey(row: Row): BoletoKey {
  return { merchantId: row.merchant_id as string, boletoId: row.boleto_id as string };
}

const AHEAD = statement(
  'boletos.merchants_ahead',
  `select c.merchant_id from merchant_clocks c
   where c.shift_milliseconds > 0 and c.target_at is null and exists (
     select from boletos b where b.merchant_id = c.merchant_id
       and b.acts_at <= now() + c.shift_milliseconds * interval '1 millisecond')
   limit $1`,
);

/** Merchants whose clock is ahead, and by it the calendar changes something: only homologation has any. */
export async function findMerchantsActing(database: Database, limit: number): Promise<string[]> {
  return (await database.query(AHEAD, [limit])).map((row) => row.merchant_id as string);
}

const EARLIEST_OF = statement(
  'boletos.earliest_acting_of_merchant',
  `select least(
     (select min(acts_at) from boletos where merchant_id = $1 and acts_at <= $2::timestamptz),
     (select min(b.changed_at) from (
        select * from boletos where due_at is not null order by due_at limit 1000
      ) b where b.merchant_id = $1 and b.is_expiring)) as earliest`,
);

/**
 * When the calendar changes a boleto of the merchant, not after `until`. One that is over counts
 * until the bank has ended it: a jump of the clock waits for that. Null: none.
 */
export async function earliestActing(
  database: Database,
  merchantId: string,
  until: Instant,
): Promise<Instant | null> {
  const [row] = await database.query(EARLIEST_OF, [merchantId, utcText(until)]);
  return (row?.earliest as Instant | null) ?? null;
}
