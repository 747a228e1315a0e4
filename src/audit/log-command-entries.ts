import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import { forgetUnlogged, listUnlogged } from './audit-entries.sql.ts';
import { auditLine } from './shipped-line.ts';

const ENTRIES_AT_ONCE = 500;

/**
 * Logs the entries of commands, because a command's own log is not shipped. A line is logged twice if this
 * process is killed before it has forgotten the entries, or if another process logs them at the same time.
 */
export async function logCommandEntries(
  database: Database,
  log: Pick<Log, 'info' | 'flushed'>,
): Promise<void> {
  const entries = await listUnlogged(database, ENTRIES_AT_ONCE);
  for (const entry of entries) {
    const writtenAt = new Date(Number(entry.occurredAtSeconds) * 1_000).toISOString();
    log.info({ ...auditLine(entry, entry), writtenAt }, 'an audit entry of a command was written');
  }
  await log.flushed();
  await forgetUnlogged(
    database,
    entries.map(({ entryNumber }) => entryNumber),
  );
}
