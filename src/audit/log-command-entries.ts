import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { everySoOften } from '../platform/work/every-so-often.ts';
import { FIND_UNLOGGED, forgetUnlogged, listUnlogged } from './audit-entries.sql.ts';
import { auditLine } from './shipped-line.ts';

type LineLog = Pick<Log, 'info' | 'flushed'>;

const LOOK_MILLISECONDS = 1_000;
const ENTRIES_AT_ONCE = 500;

export function loggingCommandEntries(database: Database, log: LineLog): Work {
  const run = () => logCommandEntries(database, log);
  return everySoOften('logCommandEntries', LOOK_MILLISECONDS, run, { piece: FIND_UNLOGGED });
}

/** A command's own log is not shipped. Killed in between, or beside another process, it logs a line twice. */
export async function logCommandEntries(database: Database, log: LineLog): Promise<void> {
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
