import { type Database, statement } from '../platform/postgres/database.ts';

/**
 * A statement's part `locked_sources`: takes card sources for transactions. Reads its part
 * `wanted_sources`: merchant_id, source_hash, transaction_id and source_expires_at. Gives the
 * transactions that have theirs now.
 */
export const LOCK_CARD_SOURCES = `locked_sources as (
     insert into card_source_locks (merchant_id, source_hash, transaction_id, expires_at)
     select merchant_id, source_hash, transaction_id, source_expires_at from wanted_sources
     order by merchant_id, source_hash
     on conflict do nothing
     returning transaction_id
   )`;

/** Gives them back. Reads the part `given_back`: merchant_id, source_hash and transaction_id. */
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

/**
 * Removes up to `limit` locks that are over; gives how many went. A lock outlives its card source
 * by a day: the age of a source is judged by clocks of processes, which may be late.
 */
export async function deleteExpiredLocks(database: Database, limit: number): Promise<number> {
  return (await database.query(FORGET, [limit])).length;
}
