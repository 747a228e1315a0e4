import { auditWeakness, RUNTIME_TABLE_RIGHTS } from '../audit/audit-rights.sql.ts';
import { keyWeakness } from '../keys/data-keys.sql.ts';
import { unfitness, weaknesses } from '../platform/database-watch/server-facts.ts';
import { openServerWatch } from '../platform/database-watch/server-watch.ts';
import { type GateKeeper, HOLD_REASONS, type HoldReason, openGate } from '../platform/gate.ts';
import { errorFields, type Log, say, sayWarning } from '../platform/log.ts';
import { gauge, type Metrics } from '../platform/metrics.ts';
import { MIGRATIONS } from '../platform/migrations/migration-files.ts';
import { type DatabaseAddress, type OpenedDatabase, openDatabase } from '../platform/postgres/database.ts';
import { type DatabaseObserver, observeDatabase } from '../platform/postgres/database-metrics.ts';
import { type DatabasePlace, prepareDatabase } from '../platform/postgres/database-place.ts';
import { whyRefused } from '../platform/postgres/database-wait.ts';
import type { Connections } from '../platform/postgres/pools.ts';
import { refuseSharedConnections } from '../platform/postgres/shared-connections.ts';
import { kindOfRefusedWrite } from '../platform/postgres/write-refusals.ts';
import { type Configuration, ConfigurationFault } from './config.ts';
import type { StartContext } from './context.ts';

const HELD = gauge('parcela_held', '1: nothing is charged, settled or sent to merchants, for this reason.', [
  'reason',
]);

export async function openCheckedDatabase(
  { log, closings, configuration, outages, gate, metrics, whileDatabaseStarts }: StartContext,
  place: DatabasePlace,
): Promise<{ database: OpenedDatabase; migrations: readonly string[] }> {
  const { owner, runtime } = place;
  const ownersSetting = place.role === null ? 'DATABASE_URL' : 'PARCELA_OWNER_DATABASE_URL';
  const begun = new Set<string>();
  const migrations = await whileDatabaseStarts(() =>
    prepareDatabase(place, MIGRATIONS, RUNTIME_TABLE_RIGHTS, say, begun),
  ).catch((error) => refuseDatabase(error, owner, ownersSetting));
  const refuseRuntime = (error: Error) => refuseDatabase(error, runtime, 'DATABASE_URL');
  if (runtime !== owner)
    await whileDatabaseStarts(() => refuseSharedConnections(runtime)).catch(refuseRuntime);
  const { database, watch } = openWatched(
    { log, closings, outages, gate, metrics },
    runtime,
    configuration.databaseConnections,
  );
  const facts = await whileDatabaseStarts(() => watch.start(database)).catch(refuseRuntime);
  closings.push({ name: 'watch of the database', close: () => watch.stop() });
  const unfit = unfitness(facts);
  if (unfit !== null) throw new ConfigurationFault(`DATABASE_URL: ${unfit}`);
  for (const warning of weaknesses(facts, configuration.environment === 'production'))
    sayWarning(`Warning: ${warning} (docs/restore.md).`);
  const weakness = await whileDatabaseStarts(
    async () => (await auditWeakness(database)) ?? (await keyWeakness(database)),
  );
  if (weakness !== null && configuration.environment === 'production') {
    sayWarning(
      `Warning: ${weakness}, so that a service that was taken over could change what it wrote. Name a role that owns ` +
        'nothing in DATABASE_URL and the owner in PARCELA_OWNER_DATABASE_URL (docs/audit.md).',
    );
  }
  return { database, migrations };
}

function openWatched(
  {
    log,
    closings,
    outages,
    gate,
    metrics,
  }: Pick<StartContext, 'log' | 'closings' | 'outages' | 'gate' | 'metrics'>,
  address: DatabaseAddress,
  connections: Connections,
) {
  const watch = openServerWatch({
    gate,
    onVouched(words) {
      log.warn({ detail: words }, 'a standby was promoted');
      sayWarning(`A standby was promoted and lacks nothing that was acknowledged here: ${words}.`);
    },
    onError(error) {
      if (!outages.explains(error, 'beat')) log.warn(errorFields(error), 'the database took no beat');
    },
  });
  let isClosing = false;
  const noteIdleConnection = (error: Error) => {
    // The server may stop before the last connection has closed.
    if (!isClosing) outages.connectionBroke(error);
  };
  const seen = observeDatabase(metrics);
  const observer: DatabaseObserver = {
    ...seen,
    used(kind, seconds) {
      seen.used(kind, seconds);
      outages.databaseAnswered();
    },
    failed(kind, error) {
      seen.failed(kind, error);
      const isOwnRoom = kind === 'search' && kindOfRefusedWrite(error) === 'full';
      if (!isOwnRoom) outages.databaseFailed(error);
    },
  };
  const database = openDatabase(address, noteIdleConnection, { watcher: watch, connections, observer });
  const close = () => {
    isClosing = true;
    return database.close();
  };
  closings.push({ name: 'database', close });
  return { database, watch };
}

/** A full disk accepts a heartbeat now and then: the next write fails again. */
const SETTLED_MILLISECONDS = 10_000;

/** Closed until the database was checked. Reports its state to log, metrics and the person. */
export function openWatchedGate(configuration: Configuration, log: Log, metrics: Metrics): GateKeeper {
  const held = metrics.gauge(HELD);
  const observe = (now: string | null) => {
    for (const reason of HOLD_REASONS) held.set({ reason }, reason === now ? 1 : 0);
  };
  const tell = (reason: HoldReason | null, words: string) => {
    if (reason === null) log.warn({}, 'work goes on');
    else log.error({ reason, detail: words }, 'all work is held');
    if (reason === null) say('Work goes on.');
    else say(`All work is held: ${words}. See docs/runbook.md.`, 'error');
  };
  let told: HoldReason | null = null;
  let settling: NodeJS.Timeout | undefined;
  const gate = openGate(configuration.isWorkHeld, (reason, words) => {
    observe(reason);
    const isSettling = settling !== undefined;
    clearTimeout(settling);
    settling = undefined;
    if (reason === null && told === 'unwritable') {
      settling = setTimeout(() => {
        settling = undefined;
        told = null;
        tell(null, '');
      }, SETTLED_MILLISECONDS).unref();
    } else if (reason !== told || (reason !== 'unwritable' && !isSettling)) {
      told = reason;
      tell(reason, words);
    }
  });
  observe(gate.reason());
  if (configuration.isWorkHeld) sayWarning('All work is held: PARCELA_HOLD_WORK is set.');
  return gate;
}

/** Wrong host, user, password or database: the operator must fix this setting. */
function refuseDatabase(error: Error, address: DatabaseAddress, setting: string): never {
  if (error.name === 'MigrationRefused' || typeof address !== 'string') throw error;
  throw new ConfigurationFault(`${setting}: ${whyRefused(error)}`);
}
