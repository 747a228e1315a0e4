import type { Database } from '../platform/postgres/database.ts';
import type { AuditEntry } from './audit-chain.ts';
import { findEnds, searchNewestEntries } from './audit-entries.sql.ts';

/** Behind so many entries it is too long ago to count. */
const MOST_ENTRIES = 50_000;
const OF_ACTION = { from: null, to: null, action: 'audit.verify', actor: null };

/** When somebody verified all of the log last; null: none of the newest entries says so. */
export async function findLastVerification(database: Database): Promise<AuditEntry | null> {
  const { lastNumber: upTo } = await findEnds(database);
  const after = Math.max(0, upTo - MOST_ENTRIES);
  const [entry] = await searchNewestEntries(database, { after, upTo }, OF_ACTION, 1);
  return entry ?? null;
}
