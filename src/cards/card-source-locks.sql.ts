import { type Database, statement } from '../platform/postgres/database.ts';

/**
 * A CTE `locked_sources` that locks card sources. Reads the CTE `wanted_sources`: merchant_id, source_hash,
 * transaction_id, source_expires_at. Gives the transactions that have their lock.
 */
export const LOCK_CARD_SOURCES = `locked_sources as (
     insert into card_source_locks (merchant_id, source_hash, transaction_id, expires_at)
     select merchant_id, source_hash, transaction_id, source_expires_at from wanted_sources
     order by merchant_id, source_hash
     on conflict do nothing
     returning transaction_id
   )`;

/** Reads the CTE `given_back`: merchant_id, source_hash and transaction_id. */
export const FREE_CARD_SOURCES = `freed_sources as (
     delete from card_source_locks c using given_back g
     where c.merchant_id = g.merchant_id and c.source_hash = g.source_hash and c.transaction_id = g.transaction_id
   )`;

const FORGET = statement(
  'cards.forget_claims',
  `delete from card_source_locks where (merchant_id, source_hash) in
     (select merchant_id, source_hash from card_source_locks where expires_at < now() - interval '1 day'
      order by expires_at limit $1 for update skip locked)
   returning 1`,
);

/** Removes up to `limit` expired locks; gives how many. A lock lives a day longer, as clocks may be late. */
export async function deleteExpiredLocks(database: Database, limit: number): Promise<number> {
  return (await database.query(FORGET, [limit])).length;
}
