import { type Database, statement } from '../../../platform/postgres/database.ts';
import { column, onlyOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { type Instant, utcText } from '../../../values/instant.ts';
import type { PixKey } from './pix.ts';

/** How far the merchant's clock is ahead. It never goes back, so nothing is due too early. */
const SHIFT = `coalesce((select c.shift_milliseconds from merchant_clocks c where c.merchant_id = $4), 0) * interval '1 millisecond'`;
const BEHIND = '(p.acts_at, p.pix_id) > ($1::timestamptz, $2::uuid)';
const BEFORE_ALL = ['-infinity', '00000000-0000-0000-0000-000000000000'] as const;

export type ActingPix = PixKey & { readonly actsAt: Instant };

const ACTING = rowCodec<ActingPix>(
  { merchantId: column.text(), pixId: column.text(), actsAt: column.instant() },
  'p',
);

const LIST_ACTING = statement(
  'pix_charges.list_acting',
  `select ${ACTING.columns} from pix_charges p
   where p.acts_at <= now() and ${BEHIND}
   order by p.acts_at, p.pix_id limit $3`,
);

const LIST_ACTING_OF = statement(
  'pix_charges.list_acting_of_merchant',
  `select ${ACTING.columns} from pix_charges p
   where p.merchant_id = $4 and p.acts_at <= now() + ${SHIFT} and ${BEHIND}
   order by p.acts_at, p.pix_id limit $3`,
);

/**
 * Lists charges whose time is over, those behind `last`; null: from the first. `merchantId` null: of all
 * merchants, by real time; else of this one, by its own clock.
 */
export async function listActingPix(
  database: Database,
  { merchantId, last }: { readonly merchantId: string | null; readonly last: ActingPix | null },
  limit: number,
): Promise<ActingPix[]> {
  const from = last === null ? BEFORE_ALL : [utcText(last.actsAt), last.pixId];
  const rows =
    merchantId === null
      ? await database.query(LIST_ACTING, [...from, limit])
      : await database.query(LIST_ACTING_OF, [...from, limit, merchantId]);
  return rows.map(ACTING.parse);
}

const MERCHANT = rowCodec({ merchantId: column.text() }, 'c');

const AHEAD = statement(
  'pix_charges.merchants_ahead',
  `select ${MERCHANT.columns} from merchant_clocks c
   where c.shift_milliseconds > 0 and c.target_at is null and exists (
     select from pix_charges p where p.merchant_id = c.merchant_id
       and p.acts_at <= now() + c.shift_milliseconds * interval '1 millisecond')
   limit $1`,
);

/** Merchants whose test clock is past the `acts_at` of a charge. Homologation only. */
export async function findMerchantsActing(database: Database, limit: number): Promise<string[]> {
  const rows = await database.query(AHEAD, [limit]);
  return rows.map((row) => MERCHANT.parse(row).merchantId);
}

/** Null if nothing is due, by real time and by clocks that are ahead. */
export const ACTING_DUE = statement(
  'pix_charges.acting_due',
  `select case when exists (select from pix_charges p where p.acts_at <= now())
     or exists (
       select from merchant_clocks c
       where c.shift_milliseconds > 0 and c.target_at is null and exists (
         select from pix_charges p where p.merchant_id = c.merchant_id
           and p.acts_at <= now() + c.shift_milliseconds * interval '1 millisecond'))
     then 0 end as milliseconds`,
);

const EARLIEST_OF = statement(
  'pix_charges.earliest_acting_of_merchant',
  `select least(
     (select min(p.acts_at) from pix_charges p where p.merchant_id = $1 and p.acts_at <= $2::timestamptz),
     (select min(p.changed_at) from (
        select * from pix_charges where due_at is not null order by due_at limit 1000
      ) p where p.merchant_id = $1 and p.is_expiring)) as earliest`,
);

const EARLIEST = rowCodec({ earliest: column.nullable(column.instant()) });

/**
 * The earliest end of a charge's time up to `until`, or null. A charge whose time is over counts until its
 * bank has ended it.
 */
export async function earliestActing(
  database: Database,
  merchantId: string,
  until: Instant,
): Promise<Instant | null> {
  return onlyOf(await database.query(EARLIEST_OF, [merchantId, utcText(until)]), EARLIEST.parse).earliest;
}
