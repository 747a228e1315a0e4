import type { Configuration } from '../../app/config.ts';
import { type ArchiveLook, lookAtArchive } from '../../platform/database-watch/server-facts.sql.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type Diagnosis, fault, fine, warning } from './diagnosis.ts';

/** With the `archive_timeout` of docs/backups.md, a segment is archived every minute. */
const LATE_SECONDS = 30 * 60;
/** Some segments. An idle server writes and archives none. */
const LATE_BYTES = 128e6;
const MUCH_BYTES = 4e9;

export async function checkArchive(database: Database, { environment }: Configuration): Promise<Diagnosis[]> {
  return judgeArchive(await lookAtArchive(database), environment === 'production');
}

export function judgeArchive(look: ArchiveLook, isProduction: boolean): Diagnosis[] {
  return [...(look.isOn ? [ofArchive(look)] : ofNone(isProduction)), ...ofSlot(look.slot)];
}

function ofNone(isProduction: boolean): Diagnosis[] {
  if (!isProduction) return [];
  const says =
    'archive_mode is off: of a lost disk only the last backup is left, unless another program receives the log';
  return [warning('database.archive', says, 'archive the log: docs/backups.md')];
}

function ofArchive({
  failingFile,
  failures,
  ageSeconds,
  timeoutSeconds,
  unarchivedBytes,
}: ArchiveLook): Diagnosis {
  const waits = unarchivedBytes === null ? '' : `; ${megabytes(unarchivedBytes)} wait`;
  if (failingFile !== null) {
    const says = `PostgreSQL cannot archive ${failingFile}, ${failures} tries failed${waits}: nothing behind it could be restored, and its disk fills`;
    const advice = 'see the log of PostgreSQL and try archive_command by hand: docs/runbook.md';
    return fault('database.archive', says, advice);
  }
  if (timeoutSeconds === 0) {
    const says = 'archive_timeout is 0: in a quiet hour what is acknowledged waits for a full segment';
    return warning('database.archive', says, "set archive_timeout = '60s': docs/backups.md");
  }
  const isLate = ageSeconds !== null && ageSeconds > Math.max(LATE_SECONDS, 2 * timeoutSeconds);
  if (isLate && (unarchivedBytes ?? 0) > LATE_BYTES) {
    const says = `nothing was archived for ${Math.round(ageSeconds / 60)} minutes${waits}`;
    return warning('database.archive', says, 'see whether archive_command hangs: docs/runbook.md');
  }
  const since = ageSeconds === null ? '' : `, ${Math.round(ageSeconds)} s ago${waits}`;
  return fine('database.archive', `PostgreSQL archives its log${since}`);
}

/** A standby that left for good makes the primary's disk fill with log. */
function ofSlot(slot: ArchiveLook['slot']): Diagnosis[] {
  if (slot === null || slot.keptBytes < MUCH_BYTES) return [];
  const state = slot.isActive ? 'is behind' : 'has no reader';
  const says = `the replication slot ${slot.name} ${state}, and ${megabytes(slot.keptBytes)} of the log are kept for it`;
  const advice = 'mend its standby, or drop the slot where none comes back; set max_slot_wal_keep_size';
  return [warning('database.slot', says, advice)];
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
