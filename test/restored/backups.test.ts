import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newestServer } from '../../chaos/failover/cluster.ts';
import {
  giveTo,
  runToEnd,
  type ServerAccount,
  serverAccount,
} from '../../homologation/embedded-postgres/server-account.ts';
import { skipWithout } from '../../tools/test-programs.ts';
import { runCommandHere } from '../kit/command.ts';
import { call, logIn } from '../kit/merchant.ts';
import {
  databaseUrl,
  openSimulator,
  type Service,
  type Simulator,
  startService,
  until,
} from '../kit/service.ts';
import { type Cluster, type Clusters, openClusters } from './clusters.ts';
import { ledgerOf, paid, type Shop } from './lost-shop.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** Debian's pgBackRest knows the PostgreSQL of its own Debian; the embedded one is newer. */
const SERVERS = newestServer();
const skip =
  skipWithout('pgbackrest') ||
  (SERVERS === null && 'no PostgreSQL of Debian is installed: npm run chaos -- failover --install');

/** As the page has them, in its order. */
const COMMANDS = [...read('docs/backups.md').matchAll(/^ *```sh\n(.*?)^ *```$/gms)]
  .flatMap(([, text = '']) => text.split('\n'))
  .map((line) => line.trim())
  .filter((line) => line !== '');

let root: string;
let account: ServerAccount | null;
let clusters: Clusters;
let live: Cluster;
let restored: Cluster;
let simulator: Simulator;
let onLive: Service;
let shop: Shop;
let config: string;
let instant: string;
const ids: Record<'full' | 'diff' | 'log' | 'lost', string> = { full: '', diff: '', log: '', lost: '' };

/** What the page says of pgBackRest and its configuration, with the places of this test. */
async function pgbackrest(command: string): Promise<string> {
  const here = command
    .replace(/^pgbackrest /, `pgbackrest --config=${config} `)
    .replace('/var/lib/postgresql/15/restored', join(restored.folder, 'data'))
    .replace(/--target='[^']+'/, `--target='${instant}'`);
  const { exitCode, output } = await runToEnd(account, '/bin/sh', ['-c', here]);
  assert.equal(exitCode, 0, `${command}: ${output}`);
  return output;
}

async function configure(): Promise<void> {
  for (const name of ['repository', 'log', 'lock', 'spool']) {
    await mkdir(join(root, name));
    await giveTo(account, join(root, name));
  }
  const text = read('deploy/pgbackrest/pgbackrest.conf')
    .replace('/backup/pgbackrest', join(root, 'repository'))
    .replace('cipher-pass=REPLACE', 'cipher-pass=of-a-test')
    .replace('/var/lib/postgresql/15/main', join(live.folder, 'data'))
    .replace('/var/run/postgresql', live.folder);
  assert.ok(!/REPLACE|\/var\/|\/backup\//.test(text), text);
  const own = ['log', 'lock', 'spool'].map((name) => `${name}-path=${join(root, name)}\n`).join('');
  config = join(root, 'pgbackrest.conf');
  const ofUser = 'pg1-user=parcela\npg1-database=postgres\n';
  await writeFile(config, `${text.replace('[global]\n', `[global]\n${own}`)}${ofUser}`);
}

/** The settings of the page, as the server is given them. */
function archiving(): Record<string, string> {
  const lines = read('deploy/pgbackrest/postgresql.conf').matchAll(/^(\w+) = '?([^'\n]+)'?$/gm);
  const settings = Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
  const command = settings.archive_command ?? '';
  return { ...settings, archive_command: command.replace('pgbackrest ', `pgbackrest --config=${config} `) };
}

const settingsOf = (cluster: Cluster) => ({
  DATABASE_URL: databaseUrl(cluster.address),
  PARCELA_ACQUIRER_URL: simulator.url,
});
const parcela = (cluster: Cluster, ...words: string[]) =>
  runCommandHere(words, { ...settingsOf(cluster), PARCELA_DATA_DIR: join(root, 'home') });
const readiness = async ({ gatewayUrl }: Service) => {
  const answer = await fetch(new URL('/health/ready', gatewayUrl));
  return ((await answer.json()) as { reason?: string }).reason ?? answer.status;
};
const statusOf = async (service: Service, paymentId: string) =>
  (await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token: shop.token })).status;

before(async () => {
  if (skip !== false) return;
  root = await mkdtemp(join(tmpdir(), 'parcela-backups-'));
  await chmod(root, 0o711);
  account = await serverAccount(null);
  clusters = await openClusters(SERVERS as string);
  live = await clusters.make();
  restored = await clusters.empty();
  await configure();
  await live.start(archiving());
  simulator = await openSimulator(join(root, 'ledger'));
  await mkdir(join(root, 'home'));
  const making = await startService({
    folder: join(root, 'home'),
    settings: { DATABASE_URL: databaseUrl(live.address) },
  });
  const { merchantId, gateway } = await making.demo();
  await making.stop();
  onLive = await startService({ folder: join(root, 'home'), settings: settingsOf(live) });
  const token = await logIn(onLive.gatewayUrl, gateway);
  shop = { gatewayUrl: onLive.gatewayUrl, token, merchantId, simulatorUrl: simulator.url };
});
after(async () => {
  if (skip !== false) return;
  await onLive?.stop();
  await clusters?.close();
  await simulator?.stop();
  await rm(root, { recursive: true, force: true });
});

test('backups are made as the page says, and the archive is watched', { skip }, async () => {
  const verbs = COMMANDS.map((command) => /(?:--type=(\w+) .*?)?([\w-]+)$/.exec(command)?.slice(1).join(' '));
  assert.deepEqual(verbs, [
    ...[' stanza-create', ' check', 'full backup', 'diff backup', 'incr backup', ' verify', ' info'],
    'time restore',
  ]);
  const next = COMMANDS.values();
  const goOn = async () => pgbackrest(next.next().value ?? '');
  await goOn();
  await goOn();
  ids.full = await paid(shop, 10_000, 'BEFORE-ALL');
  await goOn();
  ids.diff = await paid(shop, 11_000, 'BEHIND-THE-FULL');
  for (const _of of ['diff', 'incr', 'verify']) await goOn();
  const told = await goOn();
  assert.match(told, /status: ok[\s\S]*full backup[\s\S]*diff backup[\s\S]*incr backup/);
  const { printed, said } = await parcela(live, 'doctor');
  assert.match(printed, /ok {7}database\.archive: PostgreSQL archives its log, \d+ s ago/, said);
});

test('an instant is restored beside the live one, which goes on', { skip }, async () => {
  ids.log = await paid(shop, 12_000, 'BEHIND-ALL-BACKUPS');
  const [row] = await live.sql(
    `select to_char(now() + interval '1 ms', 'YYYY-MM-DD HH24:MI:SS.MSTZH') as now`,
  );
  instant = row?.now as string;
  ids.lost = await paid(shop, 13_000, 'LOST');
  await live.sql('select pg_switch_wal()');
  const [written] = await live.sql('select pg_walfile_name(pg_current_wal_lsn()) as file');
  await until('the log is archived', async () => {
    await live.sql('select pg_switch_wal()');
    const [found] = await live.sql('select last_archived_wal as file from pg_stat_archiver');
    return String(found?.file) >= String(written?.file);
  });
  await pgbackrest(COMMANDS.at(-1) as string);
  await restored.start();
  await until('it takes writes', async () => {
    const [found] = await restored.sql('select pg_is_in_recovery() as is_recovering');
    return found?.is_recovering === false;
  });
  const known = Object.values(ids)
    .map((id) => `'${id}'`)
    .join();
  const rows = await restored.sql(
    `select transaction_id from transactions where transaction_id in (${known})`,
  );
  assert.equal(rows.length, 3);
  assert.deepEqual(await restored.sql('show archive_mode'), [{ archive_mode: 'off' }]);
  assert.equal(await statusOf(onLive, ids.lost), 200);
});

test('the restored one acts only when it was compared, accepted and released', { skip }, async () => {
  await onLive.kill();
  await live.stop('immediate');
  const shown = await parcela(restored, 'restore', 'show');
  assert.equal(shown.code, 1, shown.said);
  const held = await startService({ folder: join(root, 'home'), settings: settingsOf(restored) });
  try {
    assert.equal(await readiness(held), 'restored');
    const since = new Date(`${instant.replace(' ', 'T')}:00`).toISOString();
    const compared = await parcela(restored, 'restore', 'reconcile', '--since', since);
    // Charged within two minutes of the loss: its merchant may not have been answered.
    assert.match(compared.printed, /^ +4 {2}charges that the acquirer has[\s\S]*^ +1 {2}to be decided/m);
    await parcela(restored, 'restore', 'decide', '--all', '--as', 'kept', '--reason', 'answered 200');
    const accepted = await parcela(restored, 'restore', 'accept', '--reason', 'the disk is lost');
    assert.equal(accepted.code, 0, accepted.said);
    const released = await parcela(restored, 'restore', 'release', '--all', '--reason', 'all was asked');
    assert.equal(released.code, 0, released.said);
    await until('work goes on', async () => (await readiness(held)) === 200);
    for (const [name, id] of Object.entries(ids)) assert.equal(await statusOf(held, id), 200, name);
    await paid({ ...shop, gatewayUrl: held.gatewayUrl }, 14_000, 'AFTERWARDS');
    const live = (await ledgerOf(simulator.url, shop.merchantId)).filter(
      ({ status }) => status === 'approved',
    );
    assert.equal(live.length, 5);
  } finally {
    await held.stop();
  }
});

test('systemd takes the units and timers of the backups', {
  skip: skipWithout('systemd-analyze'),
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-backup-units-'));
  try {
    const units = globSync('deploy/pgbackrest/*.{service,timer}', { cwd: ROOT });
    assert.equal(units.length, 3);
    const paths = units.map((unit) => join(folder, basename(unit).replace('@', '@full')));
    for (const [index, unit] of units.entries()) {
      // pgBackRest need not be here.
      const text = read(unit).replace('/usr/bin/pgbackrest', '/bin/true');
      await writeFile(paths[index] ?? '', text);
    }
    const { exitCode, output } = await runToEnd(null, 'systemd-analyze', ['verify', '--man=no', ...paths]);
    assert.deepEqual([exitCode, output], [0, '']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
