import type { Configuration } from '../../app/config.ts';
import { auditWeakness } from '../../audit/audit-rights.sql.ts';
import { keyWeakness } from '../../keys/data-keys.sql.ts';
import { countHeldByRestore } from '../../merchants/merchants.sql.ts';
import {
  type ServerFacts,
  standstill,
  unfitness,
  weaknesses,
} from '../../platform/database-watch/server-facts.ts';
import { readStamp } from '../../platform/database-watch/server-stamp.sql.ts';
import { isAccepted, type Stamp, textOf } from '../../platform/database-watch/server-stamp.ts';
import { MIGRATIONS } from '../../platform/migrations/migration-files.ts';
import { planMigrations } from '../../platform/migrations/migration-plan.ts';
import type { Database, DatabaseAddress } from '../../platform/postgres/database.ts';
import { databaseHosts, hostOf } from '../../platform/postgres/database-hosts.ts';
import type { DatabasePlace } from '../../platform/postgres/database-place.ts';
import { whyRefused } from '../../platform/postgres/database-wait.ts';
import { LOOK_CONNECTIONS } from '../../platform/postgres/pools.ts';
import { refuseSharedConnections } from '../../platform/postgres/shared-connections.ts';
import { type Diagnosis, fault, fine, judgeClock, reasonOf, warning } from './diagnosis.ts';
import { lookAtServer } from './server-looks.sql.ts';

/** Whether both roles reach the database, and its schema is of this version: other checks need that. */
export async function checkWayIn({ owner, runtime, role }: DatabasePlace): Promise<Diagnosis[]> {
  const ways: (readonly [string, DatabaseAddress])[] = [['DATABASE_URL', runtime]];
  if (role !== null && owner !== runtime) ways.push(['PARCELA_OWNER_DATABASE_URL', owner]);
  const found = (await Promise.all(ways.map(checkWay))).flat();
  if (found.some(({ state }) => state === 'fault')) return found;
  return [...found, ...(await checkSchema(owner))];
}

async function checkWay([setting, address]: readonly [string, DatabaseAddress]): Promise<Diagnosis[]> {
  const reached = await checkConnection(setting, address);
  if (reached.state === 'fault' || typeof address !== 'string') return [reached];
  const { addresses } = databaseHosts(address);
  if (addresses.length === 1) return [reached];
  const hosts = await Promise.all(addresses.map((one) => checkHost(setting, one)));
  return [reached, ...hosts.filter((diagnosis) => diagnosis !== null)];
}

/**
 * Looks at one of several hosts; null: it is reached. The service works without it while another takes
 * writes.
 */
async function checkHost(setting: string, address: string): Promise<Diagnosis | null> {
  try {
    await refuseSharedConnections(address);
    return null;
  } catch (error) {
    const says = `${hostOf(address)} of ${setting} is not reached: ${whyRefused(error)}`;
    return warning('database.host', says, 'look at that server: nothing could take over there');
  }
}

async function checkConnection(setting: string, address: DatabaseAddress): Promise<Diagnosis> {
  try {
    await refuseSharedConnections(address);
    return fine('database.reached', `the database of ${setting} is reached, without a pooler in between`);
  } catch (error) {
    const name = (error as Error).name === 'ConnectionsShared' ? 'database.pooler' : 'database.unreachable';
    const says = `${setting}: ${whyRefused(error)}`;
    return fault(name, says, `mend the address, the password or the server of ${setting}`);
  }
}

async function checkSchema(owner: DatabaseAddress): Promise<Diagnosis[]> {
  try {
    const { pending, newer, applied } = await planMigrations(owner, MIGRATIONS);
    if (pending.length > 0) {
      const says = `${pending.length} migrations are not applied, the first is ${pending[0]?.name}`;
      return [fault('schema.pending', says, 'run parcela migrate --dry-run, then parcela migrate')];
    }
    if (newer.length > 0) {
      const says = `the schema is of a newer version: ${newer.join(', ')}`;
      return [warning('schema.newer', says, 'run this version only on the way back from that one')];
    }
    return [fine('schema.current', `all ${applied} migrations are applied`)];
  } catch (error) {
    return [fault('schema.unreadable', reasonOf(error), 'see docs/upgrading.md')];
  }
}

export async function checkDatabase(
  database: Database,
  { environment, databaseConnections }: Configuration,
): Promise<Diagnosis[]> {
  const isProduction = environment === 'production';
  const { stamp, facts } = await readStamp(database);
  const unfit = unfitness(facts);
  const weakness = (await auditWeakness(database)) ?? (await keyWeakness(database));
  const found: Diagnosis[] = [
    unfit === null
      ? fine('database.fit', 'an acknowledged commit survives a crash of the server')
      : fault('database.unfit', unfit, 'change that setting of the server or of the role'),
    ...weaknesses(facts, isProduction).map((words) => warning('database.weak', words, 'see docs/restore.md')),
    weakness === null
      ? fine('database.role', 'the role of the service can alter neither the audit log nor the keys')
      : warning('database.role', weakness, 'name a role that owns nothing in DATABASE_URL: docs/audit.md'),
  ];
  return [
    ...found,
    ...checkStanding(stamp, facts),
    ...(await checkHold(database)),
    ...(await checkServer(
      database,
      databaseConnections.work + databaseConnections.search + LOOK_CONNECTIONS,
    )),
  ];
}

/** A standby has no timeline of its own, so it is not compared with the stamp. */
function checkStanding(stamp: Stamp | null, facts: ServerFacts): Diagnosis[] {
  const standing = standstill(facts);
  const stands =
    standing === null
      ? []
      : [fault('database.standstill', standing, 'lead Parcela to the primary, or mend its standbys')];
  if (facts.isReadOnly || stamp === null) return stands;
  if (isAccepted(stamp, facts)) return stands;
  const says = `the database was stamped as ${textOf(stamp)} and is ${textOf(facts)}: all work is held`;
  return [
    ...stands,
    fault(
      'database.copied',
      says,
      'read docs/restore.md, then parcela restore reconcile, and restore accept behind it',
    ),
  ];
}

/** A hold after a restore is easily forgotten: nothing fails. */
async function checkHold(database: Database): Promise<Diagnosis[]> {
  const held = await countHeldByRestore(database);
  if (held === 0) return [];
  const says = `the due billings of ${held} merchants are held since a restore`;
  return [warning('billings.held', says, 'parcela restore redo, then restore release: docs/restore.md')];
}

async function checkServer(database: Database, connectionsOfProcess: number): Promise<Diagnosis[]> {
  const before = Date.now();
  const look = await lookAtServer(database);
  const found = [
    judgeClock('clock.database', 'the database', look.now, { before, after: Date.now() }),
    fine(
      'database.server',
      `PostgreSQL ${look.version}, ${(look.sizeBytes / 1e6).toFixed(0)} MB in this database`,
    ),
  ];
  if (look.freeConnections < connectionsOfProcess) {
    const says = `the server lets this role open ${look.freeConnections} connections more, and a process takes ${connectionsOfProcess}`;
    found.push(
      fault('database.connections', says, 'raise max_connections, or the limit of the role or the database'),
    );
  }
  if (!look.vacuumsByItself) {
    const says = 'autovacuum is off: tables of deliveries and due work would grow without end';
    found.push(fault('database.vacuum', says, 'set autovacuum = on and track_counts = on'));
  }
  if (!look.hasChecksums) {
    const says = 'data checksums are off: damage of the disk would go unnoticed';
    found.push(warning('database.checksums', says, 'stop the server and run pg_checksums --enable'));
  }
  return found;
}
