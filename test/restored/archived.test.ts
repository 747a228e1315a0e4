import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Diagnosis } from '../../src/cli/doctor/diagnosis.ts';
import { runCommandHere } from '../kit/command.ts';
import { databaseUrl, type OpenedService, openService, until } from '../kit/service.ts';
import { type Cluster, type Clusters, openClusters } from './clusters.ts';

let folder: string;
let archive: string;
let clusters: Clusters;
let cluster: Cluster;
let service: OpenedService;

/** A server whose log cannot be archived: the folder for it is not there. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-archived-'));
  await chmod(folder, 0o711);
  archive = join(folder, 'archive');
  clusters = await openClusters();
  cluster = await clusters.make();
  await cluster.start({
    ...{ archive_mode: 'on', archive_timeout: '60', wal_level: 'replica' },
    archive_command: `cp %p ${archive}/%f`,
  });
  await cluster.sql(`select pg_create_physical_replication_slot('gone', true)`);
  await cluster.sql('select pg_switch_wal()');
  await until('it cannot archive', async () => {
    const [row] = await cluster.sql('select failed_count::int from pg_stat_archiver');
    return Number(row?.failed_count) > 0;
  });
  const home = join(folder, 'home');
  await mkdir(home);
  service = await openService({ folder: home, settings: { DATABASE_URL: databaseUrl(cluster.address) } });
});
after(async () => {
  await service.stop();
  await clusters.close();
  await rm(folder, { recursive: true, force: true });
});

async function measured(name: string): Promise<number | null> {
  const lines = (await (await fetch(service.metricsUrl)).text()).split('\n');
  const found = lines.find((line) => line.startsWith(`${name} `));
  return found === undefined ? null : Number(found.slice(name.length + 1));
}

async function diagnosed(): Promise<Diagnosis | undefined> {
  const settings = { DATABASE_URL: databaseUrl(cluster.address), PARCELA_DATA_DIR: service.folder };
  const { printed, said } = await runCommandHere(['doctor', '--json'], settings);
  assert.match(printed, /^\{/, said);
  const { diagnoses } = JSON.parse(printed) as { diagnoses: Diagnosis[] };
  return diagnoses.find(({ name }) => name === 'database.archive');
}

test('an archive that fails is measured, with what PostgreSQL keeps for those that have not taken it', async () => {
  const kept = 'parcela_database_log_kept_bytes{for="slot"}';
  await until('the database was looked at', async () => (await measured(kept)) !== null);
  assert.ok(Number(await measured(kept)) > 0);
  assert.equal(await measured('parcela_database_archive_failing'), 1);
  assert.equal(await measured('parcela_database_archive_age_seconds'), 0);
});

test('the doctor names the file that cannot be archived, and is content once it is', async () => {
  const found = await diagnosed();
  assert.equal(found?.state, 'fault');
  assert.match(found.says, /cannot archive 0000000100000000[0-9A-F]{8}, \d+ tries failed/);
  await mkdir(archive);
  await chmod(archive, 0o777);
  await until('it is archived', async () => {
    await cluster.sql('select pg_switch_wal()');
    const [row] = await cluster.sql('select archived_count::int from pg_stat_archiver');
    return Number(row?.archived_count) > 0;
  });
  const mended = await diagnosed();
  assert.equal(mended?.state, 'ok', mended?.says ?? '');
  assert.match(mended?.says ?? '', /archives its log, \d+ s ago; \d+ MB wait/);
});
