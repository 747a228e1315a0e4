import { type Database, type Row, type Statement, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Instant, utcText } from '../../values/instant.ts';

/** How far the merchant's clock is ahead. It never goes back, so nothing is due too early. */
const SHIFT = `coalesce((select c.shift_milliseconds from merchant_clocks c where c.merchant_id = $2), 0) * interval '1 millisecond'`;

/** While a process asks the bank no other one does. */
const LEASE = `interval '1 minute'`;

const AUTHORIZATION = rowCodec({ merchantId: column.text(), subscriptionId: column.text() }, 'o');
const COLLECTION = rowCodec({ merchantId: column.text(), pixId: column.text() }, 'o');

const CLAIM_AUTHORIZATIONS = statement(
  'pix_authorizations.claim',
  `update pix_authorizations o set look_at = now() + ${LEASE} where (o.merchant_id, o.subscription_id) in (
     select a.merchant_id, a.subscription_id from pix_authorizations a where a.look_at <= now()
     order by a.look_at limit $1 for no key update skip locked
   ) returning ${AUTHORIZATION.columns}`,
);

const CLAIM_AUTHORIZATIONS_OF = statement(
  'pix_authorizations.claim_of_merchant',
  `update pix_authorizations o set look_at = now() + ${SHIFT} + ${LEASE} where (o.merchant_id, o.subscription_id) in (
     select a.merchant_id, a.subscription_id from pix_authorizations a
     where a.merchant_id = $2 and a.look_at <= now() + ${SHIFT}
     order by a.look_at limit $1 for no key update skip locked
   ) returning ${AUTHORIZATION.columns}`,
);

const CLAIM_COLLECTIONS = statement(
  'pix_collections.claim',
  `update pix_collections o set look_at = now() + ${LEASE} where (o.merchant_id, o.pix_id) in (
     select c.merchant_id, c.pix_id from pix_collections c where c.look_at <= now()
     order by c.look_at limit $1 for no key update skip locked
   ) returning ${COLLECTION.columns}`,
);

const CLAIM_COLLECTIONS_OF = statement(
  'pix_collections.claim_of_merchant',
  `update pix_collections o set look_at = now() + ${SHIFT} + ${LEASE} where (o.merchant_id, o.pix_id) in (
     select c.merchant_id, c.pix_id from pix_collections c
     where c.merchant_id = $2 and c.look_at <= now() + ${SHIFT}
     order by c.look_at limit $1 for no key update skip locked
   ) returning ${COLLECTION.columns}`,
);

/** `merchantId` null: of all merchants, by real time; else of one, by its own clock. */
function claim(database: Database, all: Statement, one: Statement, merchantId: string | null, limit: number) {
  return merchantId === null ? database.query(all, [limit]) : database.query(one, [limit, merchantId]);
}

export async function claimAuthorizations(database: Database, merchantId: string | null, limit: number) {
  const rows = await claim(database, CLAIM_AUTHORIZATIONS, CLAIM_AUTHORIZATIONS_OF, merchantId, limit);
  return rows.map(AUTHORIZATION.parse);
}

export async function claimCollections(database: Database, merchantId: string | null, limit: number) {
  const rows = await claim(database, CLAIM_COLLECTIONS, CLAIM_COLLECTIONS_OF, merchantId, limit);
  return rows.map(COLLECTION.parse);
}

const MERCHANT = rowCodec({ merchantId: column.text() }, 'c');

const IS_DUE_AHEAD = `c.shift_milliseconds > 0 and c.target_at is null and (exists (
       select from pix_authorizations a where a.merchant_id = c.merchant_id
         and a.look_at <= now() + c.shift_milliseconds * interval '1 millisecond'
     ) or exists (
       select from pix_collections o where o.merchant_id = c.merchant_id
         and o.look_at <= now() + c.shift_milliseconds * interval '1 millisecond'
     ))`;

const AHEAD = statement(
  'pix_authorizations.merchants_ahead',
  `select ${MERCHANT.columns} from merchant_clocks c where ${IS_DUE_AHEAD} limit $1`,
);

/** Merchants whose test clock is past a look. Homologation only. */
export async function listMerchantsToLookAt(database: Database, limit: number): Promise<string[]> {
  return (await database.query(AHEAD, [limit])).map((row) => MERCHANT.parse(row).merchantId);
}

/** Null if nothing is due, by real time and by clocks that are ahead. */
export const LOOKS_DUE = statement(
  'pix_authorizations.looks_due',
  `select case when exists (select from pix_authorizations a where a.look_at <= now())
     or exists (select from pix_collections o where o.look_at <= now())
     or exists (select from merchant_clocks c where ${IS_DUE_AHEAD})
     then 0 end as milliseconds`,
);

const EARLIEST = rowCodec({ earliest: column.nullable(column.instant('e.earliest')) });

const EARLIEST_OF = statement(
  'pix_authorizations.earliest_look_of_merchant',
  `select ${EARLIEST.columns} from (select least(
     (select min(a.look_at) from pix_authorizations a where a.merchant_id = $1 and a.look_at <= $2::timestamptz),
     (select min(o.look_at) from pix_collections o where o.merchant_id = $1 and o.look_at <= $2::timestamptz)
   ) as earliest) e`,
);

/** The earliest look up to `until`, or null. */
export async function earliestLook(
  database: Database,
  merchantId: string,
  until: Instant,
): Promise<Instant | null> {
  const [row] = await database.query(EARLIEST_OF, [merchantId, utcText(until)]);
  return EARLIEST.parse(row as Row).earliest;
}
