import packageJson from '../../package.json' with { type: 'json' };
import { lookAtArchive, lookAtDatabase } from '../platform/database-watch/server-facts.sql.ts';
import { roomIn } from '../platform/disk-space.ts';
import { databaseGauge, gauge, type Metrics } from '../platform/metrics.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../platform/work/every-so-often.ts';
import type { AppContext } from './context.ts';

const LOOK_MILLISECONDS = 60_000;

const BUILD_INFO = gauge('parcela_build_info', 'Always 1: what runs here.', [
  'version',
  'node_version',
  'environment',
]);
const READY = gauge(
  'parcela_ready',
  '1: it takes requests, as /health/ready says without asking the database; 0: it starts, stops or is held.',
);
const SCHEMA_VERSION = databaseGauge(
  'parcela_schema_version',
  'Number of the newest migration of the database.',
);
const DATABASE_SIZE = databaseGauge('parcela_database_size_bytes', 'What the database takes on its disk.');
const ARCHIVE_FAILING = databaseGauge(
  'parcela_database_archive_failing',
  '1: PostgreSQL could not archive its log when it last tried; 0 too where archive_mode is off.',
);
const ARCHIVE_AGE = databaseGauge(
  'parcela_database_archive_age_seconds',
  'Since a file of its log was archived; 0: none was since its statistics began.',
);
const LOG_KEPT = databaseGauge(
  'parcela_database_log_kept_bytes',
  'What of its log PostgreSQL keeps on its disk because it is not archived, or a replication slot has not taken it.',
  ['for'],
);
const DATA_FREE = gauge(
  'parcela_data_folder_free_bytes',
  'Free space on the disk of PARCELA_DATA_DIR, for this process; that of the database shows as errors of kind full.',
);
const DATA_SIZE = gauge('parcela_data_folder_size_bytes', 'Size of that disk.');

export function openInstallationMetrics(
  { configuration, database, metrics, outages }: AppContext,
  isReady: () => boolean,
): { readonly works: readonly Work[] } {
  const { environment, dataFolder } = configuration;
  const labels = { version: packageJson.version, node_version: process.versions.node, environment };
  metrics.gauge(BUILD_INFO).set(labels, 1);
  metrics.gauge(READY, (gauge) => gauge.set(isReady() ? 1 : 0));
  const version = metrics.gauge(SCHEMA_VERSION);
  const size = metrics.gauge(DATABASE_SIZE);
  const free = metrics.gauge(DATA_FREE);
  const dataSize = metrics.gauge(DATA_SIZE);
  const lookAtLog = openLogMetrics(metrics, database);
  const look = everySoOften('lookAtDatabase', LOOK_MILLISECONDS, async () => {
    // The folder does not exist if the service keeps nothing itself.
    const room = await roomIn(dataFolder);
    if (room !== null) {
      const { freeBytes, sizeBytes, lack } = room;
      free.set(freeBytes);
      dataSize.set(sizeBytes);
      const says = `${(freeBytes / 1e6).toFixed(0)} MB are free in ${dataFolder}`;
      outages.diskRead(lack === 'full' ? says : null);
    }
    const found = await lookAtDatabase(database);
    version.set(found.schemaVersion);
    size.set(found.sizeBytes);
    await lookAtLog();
  });
  return { works: [alsoWhileHeld(look)] };
}

/** Shows whether PostgreSQL's write-ahead log is archived: if not, it fills the disk. */
function openLogMetrics(metrics: Metrics, database: Database): () => Promise<void> {
  const failing = metrics.gauge(ARCHIVE_FAILING);
  const age = metrics.gauge(ARCHIVE_AGE);
  const kept = metrics.gauge(LOG_KEPT);
  return async () => {
    const { isOn, failingFile, ageSeconds, unarchivedBytes, slot } = await lookAtArchive(database);
    if (isOn) {
      failing.set(failingFile === null ? 0 : 1);
      age.set(ageSeconds ?? 0);
      kept.set({ for: 'archive' }, unarchivedBytes ?? 0);
    }
    kept.set({ for: 'slot' }, slot?.keptBytes ?? 0);
  };
}
