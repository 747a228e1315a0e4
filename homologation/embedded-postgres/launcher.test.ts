import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, findRunningPostgres, startEmbeddedPostgres } from './launcher.ts';

// Under root another account must pass through; the folders inside are closed where a test wants
// it.
const ground = await mkdtemp(join(tmpdir(), 'parcela-launcher-'));
await chmod(ground, 0o711);
const stateFolder = join(ground, 'state');
const running = new Set<EmbeddedPostgres>();
after(async () => {
  for (const server of running) await server.stop();
  await rm(ground, { recursive: true, force: true });
});
const isRoot = process.getuid?.() === 0;

async function newFolder(name: string): Promise<string> {
  const folder = join(ground, name);
  await mkdir(folder, { recursive: true });
  await chmod(folder, isRoot ? 0o711 : 0o700);
  return folder;
}

async function start(folder: string): Promise<{ server: EmbeddedPostgres; said: string[] }> {
  const said: string[] = [];
  const server = await startEmbeddedPostgres({ folder, stateFolder, say: (line) => said.push(line) });
  running.add(server);
  return { server, said };
}

async function stop(server: EmbeddedPostgres): Promise<void> {
  await server.stop();
  running.delete(server);
}

async function query(server: EmbeddedPostgres, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Another Parcela on the folder. Its first line says where its server is. */
async function startParcela(folder: string) {
  const program = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('./launcher.ts', import.meta.url).href)};
    const { connection, processId } = await startEmbeddedPostgres(
      { ...${JSON.stringify({ folder, stateFolder })}, say: () => {} });
    console.log(JSON.stringify({ connection, processId }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  return { child, lines };
}

async function startedServerOf(parcela: Awaited<ReturnType<typeof startParcela>>): Promise<EmbeddedPostgres> {
  for await (const line of parcela.lines) {
    const message = JSON.parse(line) as EmbeddedPostgres;
    if (message.processId !== undefined) return message;
  }
  throw new Error('the other Parcela did not start its server');
}

async function kill(child: ReturnType<typeof spawn>): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function comesTrue(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

// Each has a folder of its own; together they take half the time.
describe('the embedded PostgreSQL', { concurrency: 4 }, () => {
  test('the first start makes a durable database that knows accents and is reached by its socket only', async () => {
    const folder = await newFolder('first, with a comma');
    assert.equal(await findRunningPostgres(folder), null);
    const { server, said } = await start(folder);
    assert.deepEqual(said, [`Preparing a PostgreSQL database in ${server.place}`]);

    const [row] = await query(
      server,
      `select upper('ação') as upper, current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as synchronous, current_setting('listen_addresses') as addresses,
            current_setting('data_checksums') as checksums, current_database() as database`,
    );
    assert.deepEqual(row, {
      upper: 'AÇÃO',
      encoding: 'UTF8',
      fsync: 'on',
      synchronous: 'on',
      addresses: '',
      checksums: 'on',
      database: 'parcela',
    });
    assert.equal((await stat(join(folder, 'postgres-password'))).mode & 0o777, 0o600);
    const intruder = new pg.Client({ ...server.connection, password: 'another' });
    await assert.rejects(intruder.connect(), /password authentication failed/);
    await stop(server);
  });

  test('a warm start finds what was committed, and another process finds the server', async () => {
    const folder = await newFolder('warm');
    const first = await start(folder);
    await query(first.server, 'create table kept as select 42 as value');
    assert.deepEqual(await findRunningPostgres(folder), first.server.connection);
    await stop(first.server);
    assert.equal(await findRunningPostgres(folder), null);

    const second = await start(folder);
    assert.deepEqual(second.said, []);
    assert.deepEqual(await query(second.server, 'select value from kept'), [{ value: 42 }]);
    await stop(second.server);
    assert.equal(await Promise.race([second.server.exited, 'still pending']), 'still pending');
  });

  test('a killed PostgreSQL is noticed, and the next start recovers what was committed', async () => {
    const folder = await newFolder('killed-server');
    const { server } = await start(folder);
    await query(server, 'create table kept as select 42 as value');
    process.kill(server.processId, 'SIGKILL');
    assert.match(await server.exited, /SIGKILL/);
    await stop(server);

    const again = await start(folder);
    assert.deepEqual(await query(again.server, 'select value from kept'), [{ value: 42 }]);
    await stop(again.server);
  });

  test('a frozen PostgreSQL is said to run and not to answer', async () => {
    const folder = await newFolder('frozen-server');
    const { server } = await start(folder);
    process.kill(server.processId, 'SIGSTOP');
    await assert.rejects(findRunningPostgres(folder), /runs \(process \d+\) and does not answer/);
    process.kill(server.processId, 'SIGCONT');
    await stop(server);
  });

  const onLinux = { skip: process.platform !== 'linux' };
  test('a busy child of a killed PostgreSQL is ended before the next one starts', onLinux, async () => {
    const folder = await newFolder('busy-child');
    const { server } = await start(folder);
    const busy = query(server, 'select count(*) from generate_series(1, 1e12)').catch(() => {});
    let child = 0;
    await comesTrue(async () => {
      const rows = await query(
        server,
        `select pid from pg_stat_activity where query like '%1e12)' and state = 'active'`,
      );
      child = Number(rows[0]?.pid ?? 0);
      return child !== 0;
    });
    process.kill(server.processId, 'SIGKILL');
    await server.exited;
    assert.ok(isAlive(child));

    const again = await start(folder);
    assert.match(again.said.join('\n'), /Ending what is left of a killed PostgreSQL/);
    await busy;
    await stop(again.server);
  });

  test('the server of a killed Parcela is stopped, said, and started anew', async () => {
    const folder = await newFolder('orphan');
    const parcela = await startParcela(folder);
    const orphan = await startedServerOf(parcela);
    await query(orphan, 'create table kept as select 42 as value');
    await kill(parcela.child);
    assert.ok(isAlive(orphan.processId));

    const { server, said } = await start(folder);
    assert.match(said.join('\n'), new RegExp(`Stopped the PostgreSQL \\(process ${orphan.processId}\\)`));
    assert.deepEqual(await query(server, 'select value from kept'), [{ value: 42 }]);
    assert.notEqual(server.processId, orphan.processId);
    await stop(server);
  });

  test('a start after Parcela and PostgreSQL were both killed recovers', async () => {
    const folder = await newFolder('both-killed');
    const parcela = await startParcela(folder);
    const orphan = await startedServerOf(parcela);
    await query(orphan, 'create table kept as select 42 as value');
    process.kill(orphan.processId, 'SIGKILL');
    await kill(parcela.child);

    const { server } = await start(folder);
    assert.deepEqual(await query(server, 'select value from kept'), [{ value: 42 }]);
    await stop(server);
  });

  test('a database whose making was interrupted is made anew', async () => {
    const folder = await newFolder('interrupted');
    const place = join(folder, 'postgres');
    const parcela = await startParcela(folder);
    await comesTrue(async () => {
      const names = await readdir(place).catch(() => []);
      const unfinished = names.find((name) => name.startsWith('data.unfinished-'));
      return (
        unfinished !== undefined &&
        (await stat(join(place, unfinished, 'data', 'base')).catch(() => null)) !== null
      );
    });
    await kill(parcela.child);
    assert.ok(!(await readdir(place)).includes('data'));

    const { server } = await start(folder);
    assert.deepEqual(await query(server, 'select 1 as one'), [{ one: 1 }]);
    await stop(server);
  });

  test('a lock file whose process number now belongs to another program does not hinder the start', async () => {
    const folder = await newFolder('reused-number');
    const { server } = await start(folder);
    await stop(server);
    const lines = [process.pid, join(server.place, 'data'), 1, 5432, server.connection.host, '', ''];
    await writeFile(join(server.place, 'data', 'postmaster.pid'), lines.join('\n'));
    await writeFile(join(server.connection.host, '.s.PGSQL.5432.lock'), lines.join('\n'));
    await stop((await start(folder)).server);
  });

  test('a server that another container runs on the folder is left alone', async () => {
    const folder = await newFolder('unseen');
    const { server } = await start(folder);
    await stop(server);
    const lines = [process.pid, join(server.place, 'data'), 1, 5432, server.connection.host, '', ''];
    await writeFile(join(server.place, 'data', 'postmaster.pid'), lines.join('\n'));
    const unseen = net.createServer().listen(join(server.connection.host, '.s.PGSQL.5432'));
    await once(unseen, 'listening');
    await assert.rejects(start(folder), /A PostgreSQL that cannot be seen from here/);
    unseen.close();
    await once(unseen, 'close');
    await stop((await start(folder)).server);
  });

  test('a folder with a long name gets its socket elsewhere, for its server only', async () => {
    const { server } = await start(await newFolder('long-name-'.repeat(9)));
    assert.ok(!server.connection.host.startsWith(server.place));
    assert.equal((await stat(server.connection.host)).mode & 0o777, 0o700);
    assert.deepEqual(await query(server, 'select 1 as one'), [{ one: 1 }]);
    await stop(server);
    await rm(server.connection.host, { recursive: true });
  });

  test('a server that does not start is reported with its last words', async () => {
    const folder = await newFolder('broken');
    const { server } = await start(folder);
    await stop(server);
    await appendFile(join(server.place, 'data', 'postgresql.conf'), '\nno_such_setting = 1\n');
    await assert.rejects(start(folder), /PostgreSQL did not start in .*no_such_setting/s);

    await writeFile(join(server.place, 'data', 'PG_VERSION'), '14\n');
    await assert.rejects(start(folder), /made by PostgreSQL 14 and this Parcela brings PostgreSQL 18/);
  });

  test('a database without its password is not replaced by a new one', async () => {
    const folder = await newFolder('no-password');
    await stop((await start(folder)).server);
    await rm(join(folder, 'postgres-password'));
    await assert.rejects(start(folder), /postgres-password is missing/);
  });

  test('the log stays within its bound', async () => {
    const folder = await newFolder('long-log');
    const { server } = await start(folder);
    await stop(server);
    const log = join(server.place, 'server.log');
    await appendFile(log, 'x'.repeat(6 * 1024 * 1024));
    await stop((await start(folder)).server);
    assert.ok((await stat(log)).size < 100_000);
    assert.ok((await readFile(`${log}.1`, 'utf8')).endsWith('xxx'));
  });

  test('under root a folder that PostgreSQL cannot reach keeps its database elsewhere', {
    skip: !isRoot,
  }, async () => {
    const home = join(ground, 'home');
    await mkdir(home, { mode: 0o700 });
    const folder = await newFolder('home/folder');
    const first = await start(folder);
    assert.ok(first.server.place.startsWith(stateFolder));
    assert.match(first.said.join('\n'), new RegExp(`The database is in ${first.server.place}, because`));
    await query(first.server, 'create table kept as select 42 as value');
    await stop(first.server);

    // Remembered, also when the folder could be reached by now or has been moved.
    await chmod(home, 0o711);
    const moved = join(home, 'moved');
    await cp(folder, moved, { recursive: true });
    await assert.rejects(start(moved), /is a copy of .*home\/folder/);
    await rm(folder, { recursive: true });
    const second = await start(moved);
    assert.deepEqual(await query(second.server, 'select value from kept'), [{ value: 42 }]);
    await stop(second.server);

    // A folder made anew at the old path begins empty; the old database is kept.
    await chmod(home, 0o700);
    const { server, said } = await start(await newFolder('home/folder'));
    assert.match(said.join('\n'), /Put aside the database of an earlier data folder/);
    assert.deepEqual(await query(server, `select to_regclass('kept') as kept`), [{ kept: null }]);
    await stop(server);
  });
});
