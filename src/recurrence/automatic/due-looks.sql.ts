import { newTry } from '../../platform/chance.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { column, firstOf, onlyOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { CHOSEN_IN_TURNS, fairClaimValues, IS_NOT_PASSED_OVER } from '../../platform/work/fair-claim.sql.ts';
import type { FairClaim } from '../../platform/work/fair-claim.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import { IS_LEASED, LEASED, RELEASED } from './looks.sql.ts';

/** How far the merchant's clock is ahead. A clock never goes back, so no look comes too early. */
const SHIFT = `coalesce((select c.shift_milliseconds from merchant_clocks c where c.merchant_id = $2), 0) * interval '1 millisecond'`;

/** No other process asks the bank meanwhile. */
const LEASE_MILLISECONDS = 60_000;

const AUTHORIZATION = rowCodec(
  { merchantId: column.text(), bank: column.text(), subscriptionId: column.text(), fence: column.whole() },
  'o',
);
const COLLECTION = rowCodec(
  {
    merchantId: column.text(),
    bank: column.text('a.bank'),
    pixId: column.text(),
    fence: column.whole(),
    /** The result is known, but not yet in its billing. */
    isDecided: column.boolean("o.state <> 'open'"),
  },
  'o',
);

/** What to ask its bank about. */
export type DueLook = { readonly merchantId: string; readonly bank: string; readonly fence: number } & (
  | { readonly subscriptionId: string }
  | { readonly pixId: string; readonly isDecided: boolean }
);

const BANK = `cross join lateral (
     select x.bank from pix_collections y
       join pix_authorizations x on x.merchant_id = y.merchant_id and x.subscription_id = y.subscription_id
     where y.merchant_id = c.merchant_id and y.pix_id = c.pix_id limit 1
   ) a`;

/** Merchants take turns. */
const CLAIM_AUTHORIZATIONS = statement(
  'pix_authorizations.claim',
  `with due as (
     select merchant_id, subscription_id, look_at as due_at from pix_authorizations
     where look_at <= now() and not ${IS_LEASED} and ${IS_NOT_PASSED_OVER}
     order by look_at limit $1 for no key update skip locked
   ), ${CHOSEN_IN_TURNS}
   update pix_authorizations o set look_at = now() + $2 * interval '1 millisecond', leased_until = now() + $2 * interval '1 millisecond', ${LEASED}
   from chosen c where o.merchant_id = c.merchant_id and o.subscription_id = c.subscription_id
   returning ${AUTHORIZATION.columns}`,
);

const CLAIM_COLLECTIONS = statement(
  'pix_collections.claim',
  `with due as (
     select merchant_id, pix_id, look_at as due_at from pix_collections
     where look_at <= now() and not ${IS_LEASED} and ${IS_NOT_PASSED_OVER}
     order by look_at limit $1 for no key update skip locked
   ), ${CHOSEN_IN_TURNS}
   update pix_collections o set look_at = now() + $2 * interval '1 millisecond', leased_until = now() + $2 * interval '1 millisecond', ${LEASED}
   from chosen c ${BANK} where o.merchant_id = c.merchant_id and o.pix_id = c.pix_id
   returning ${COLLECTION.columns}`,
);

const CLAIM_AUTHORIZATIONS_OF = statement(
  'pix_authorizations.claim_of_merchant',
  `update pix_authorizations o set look_at = now() + ${SHIFT} + $3 * interval '1 millisecond', leased_until = now() + $3 * interval '1 millisecond', ${LEASED}
   from (
     select d.merchant_id, d.subscription_id from pix_authorizations d
     where d.merchant_id = $2 and d.look_at <= now() + ${SHIFT} and not ${IS_LEASED}
     order by d.look_at limit $1 for no key update skip locked
   ) c where o.merchant_id = c.merchant_id and o.subscription_id = c.subscription_id
   returning ${AUTHORIZATION.columns}`,
);

const CLAIM_COLLECTIONS_OF = statement(
  'pix_collections.claim_of_merchant',
  `update pix_collections o set look_at = now() + ${SHIFT} + $3 * interval '1 millisecond', leased_until = now() + $3 * interval '1 millisecond', ${LEASED}
   from (
     select d.merchant_id, d.pix_id from pix_collections d
     where d.merchant_id = $2 and d.look_at <= now() + ${SHIFT} and not ${IS_LEASED}
     order by d.look_at limit $1 for no key update skip locked
   ) c ${BANK} where o.merchant_id = c.merchant_id and o.pix_id = c.pix_id
   returning ${COLLECTION.columns}`,
);

/**
 * Claims looks of all merchants, by real time. After the lease each is due again, even if its process dies.
 */
export async function claimLooks(database: Database, share: FairClaim): Promise<DueLook[]> {
  const [, ...values] = fairClaimValues(share, LEASE_MILLISECONDS);
  return claimBoth(share.free, {
    authorizations: (limit) => database.query(CLAIM_AUTHORIZATIONS, [limit, ...values]),
    collections: (limit) => database.query(CLAIM_COLLECTIONS, [limit, ...values]),
  });
}

type ClaimOfKind = (limit: number) => Promise<Row[]>;

/** Neither kind fills all places: authorizations get half, and a single place goes by lot. */
async function claimBoth(
  free: number,
  claim: Readonly<Record<'authorizations' | 'collections', ClaimOfKind>>,
): Promise<DueLook[]> {
  const part = Math.floor((free + (newTry().readUInt8() % 2)) / 2);
  const authorizations = part > 0 ? await claim.authorizations(part) : [];
  const left = free - authorizations.length;
  const collections = left > 0 ? await claim.collections(left) : [];
  return [...collections.map(COLLECTION.parse), ...authorizations.map(AUTHORIZATION.parse)];
}

/** Claims looks of one merchant, by its own clock. */
export async function claimLooksOf(
  database: Database,
  merchantId: string,
  limit: number,
): Promise<DueLook[]> {
  const values = [merchantId, LEASE_MILLISECONDS];
  return claimBoth(limit, {
    authorizations: (most) => database.query(CLAIM_AUTHORIZATIONS_OF, [most, ...values]),
    collections: (most) => database.query(CLAIM_COLLECTIONS_OF, [most, ...values]),
  });
}

const MERCHANT = rowCodec({ merchantId: column.text() }, 'c');

const IS_DUE_AHEAD = `c.shift_milliseconds > 0 and c.target_at is null and (exists (
       select from pix_authorizations a where a.merchant_id = c.merchant_id
         and a.look_at <= now() + c.shift_milliseconds * interval '1 millisecond' and not ${IS_LEASED}
     ) or exists (
       select from pix_collections o where o.merchant_id = c.merchant_id
         and o.look_at <= now() + c.shift_milliseconds * interval '1 millisecond' and not ${IS_LEASED}
     ))`;

const AHEAD = statement(
  'pix_authorizations.merchants_ahead',
  `select ${MERCHANT.columns} from merchant_clocks c where ${IS_DUE_AHEAD} limit $1`,
);

/** Merchants whose test clock has passed a look. Homologation only. */
export async function listMerchantsToLookAt(database: Database, limit: number): Promise<string[]> {
  return (await database.query(AHEAD, [limit])).map((row) => MERCHANT.parse(row).merchantId);
}

/**
 * Milliseconds until the next look, by real time and by clocks that are ahead. `$1`: merchants to leave out.
 */
export const LOOKS_DUE = statement(
  'pix_authorizations.looks_due',
  `select case when exists (select from merchant_clocks c where ${IS_DUE_AHEAD}) then 0 else (
     select (extract(epoch from min(d.look_at) - now()) * 1000)::float8 from (
       (select a.look_at from pix_authorizations a where a.look_at is not null and a.merchant_id <> all($1::text[])
        order by a.look_at limit 1)
       union all
       (select o.look_at from pix_collections o where o.look_at is not null and o.merchant_id <> all($1::text[])
        order by o.look_at limit 1)
     ) d
   ) end as milliseconds`,
);

const LEASE_AUTHORIZATION = statement(
  'pix_authorizations.lease',
  `update pix_authorizations o set look_at = now() + ${SHIFT} + $3 * interval '1 millisecond', leased_until = now() + $3 * interval '1 millisecond', ${LEASED}
   where o.merchant_id = $2 and o.subscription_id = $1 and o.look_at is not null and not ${IS_LEASED}
   returning o.fence`,
);

const HELD = rowCodec({ fence: column.whole() }, 'o');

/**
 * Leases one authorization, due or not. null: another process asks the bank, or no look is wanted any more.
 */
export async function leaseAuthorization(
  database: Database,
  { merchantId, subscriptionId }: { readonly merchantId: string; readonly subscriptionId: string },
): Promise<number | null> {
  const values = [subscriptionId, merchantId, LEASE_MILLISECONDS];
  return firstOf(await database.query(LEASE_AUTHORIZATION, values), HELD.parse)?.fence ?? null;
}

const RELEASE_AUTHORIZATION = statement(
  'pix_authorizations.release',
  `update pix_authorizations set ${RELEASED} where merchant_id = $1 and subscription_id = $2 and fence = $3`,
);

const RELEASE_COLLECTION = statement(
  'pix_collections.release',
  `update pix_collections set ${RELEASED} where merchant_id = $1 and pix_id = $2 and fence = $3`,
);

const PUT_OFF_AUTHORIZATION = statement(
  'pix_authorizations.put_off',
  `update pix_authorizations set look_at = $4::timestamptz
   where merchant_id = $1 and subscription_id = $2 and fence = $3 and look_at is not null`,
);

const PUT_OFF_COLLECTION = statement(
  'pix_collections.put_off',
  `update pix_collections set look_at = $4::timestamptz
   where merchant_id = $1 and pix_id = $2 and fence = $3 and look_at is not null`,
);

type Held<Key> = Key & { readonly merchantId: string; readonly fence: number };
type HeldAuthorization = Held<{ readonly subscriptionId: string }>;
type HeldCollection = Held<{ readonly pixId: string }>;

export async function releaseAuthorization(
  database: Database,
  { merchantId, subscriptionId, fence }: HeldAuthorization,
): Promise<void> {
  await database.query(RELEASE_AUTHORIZATION, [merchantId, subscriptionId, fence]);
}

export async function releaseCollection(
  database: Database,
  { merchantId, pixId, fence }: HeldCollection,
): Promise<void> {
  await database.query(RELEASE_COLLECTION, [merchantId, pixId, fence]);
}

/** Puts off a look at a bank that is away and was not asked. */
export async function putOffLook(
  database: Database,
  look: HeldAuthorization | HeldCollection,
  at: Instant,
): Promise<void> {
  const { merchantId, fence } = look;
  const moment = utcText(at);
  if ('pixId' in look) {
    await database.query(PUT_OFF_COLLECTION, [merchantId, look.pixId, fence, moment]);
    return releaseCollection(database, look);
  }
  await database.query(PUT_OFF_AUTHORIZATION, [merchantId, look.subscriptionId, fence, moment]);
  return releaseAuthorization(database, look);
}

const EARLIEST = rowCodec({ earliest: column.nullable(column.instant('e.earliest')) });

const EARLIEST_OF = statement(
  'pix_authorizations.earliest_look_of_merchant',
  `select ${EARLIEST.columns} from (select least(
     (select min(a.look_at) from pix_authorizations a where a.merchant_id = $1 and a.look_at <= $2::timestamptz),
     (select min(o.look_at) from pix_collections o where o.merchant_id = $1 and o.look_at <= $2::timestamptz)
   ) as earliest) e`,
);

export async function earliestLook(
  database: Database,
  merchantId: string,
  until: Instant,
): Promise<Instant | null> {
  return onlyOf(await database.query(EARLIEST_OF, [merchantId, utcText(until)]), EARLIEST.parse).earliest;
}
