import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { runningAs, serverAccount } from '../../homologation/embedded-postgres/server-account.ts';
import { programPath, skipWithout } from '../../tools/test-programs.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { until } from '../kit/service.ts';
import { startHereInVain } from '../kit/service-here.ts';

const needed = { skip: skipWithout('pgbouncer') };
/** Without these it lets no connection of Parcela through. */
const IGNORED = 'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout';

let folder: string;
let database: TestDatabase;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-pooler-'));
  // Under root it runs as another account, which must read its settings.
  await chmod(folder, 0o755);
  database = await createTestDatabase({ migrated: true });
});

after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts Parcela behind a PgBouncer, and gives what it says. */
async function saidBehind(mode: string, ignored: string): Promise<string> {
  const port = await freePort();
  const { host, port: serverPort, user, password, database: name } = database.address;
  const file = join(folder, `${mode}-${port}.ini`);
  const lines = [
    '[databases]',
    `${name} = host=${host} port=${serverPort} user=${user} password=${password}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
    ...[`pool_mode = ${mode}`, ...(ignored === '' ? [] : [`ignore_startup_parameters = ${ignored}`])],
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  await chmod(file, 0o644);
  const account = runningAs(await serverAccount(null));
  const pooler: ChildProcess = spawn(programPath('pgbouncer') ?? '', [file], { ...account, stdio: 'ignore' });
  const ended = new Promise((resolve) => pooler.once('exit', resolve));
  const url = `postgres://${user}@127.0.0.1:${port}/${name}`;
  try {
    await until('the pooler answers', async () => {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => {});
      return client
        .connect()
        .then(() => true)
        .catch(() => false)
        .finally(() => client.end().catch(() => {}));
    });
    const settings = { PARCELA_PORT: '0', PARCELA_DATA_DIR: folder, DATABASE_URL: url };
    const { code, said } = await startHereInVain(settings);
    return code === 0 ? 'it started' : said;
  } finally {
    pooler.kill('SIGKILL');
    await ended;
  }
}

test('behind PgBouncer in transaction mode Parcela does not start, and says why', needed, async () => {
  const said = await saidBehind('transaction', IGNORED);
  assert.match(said, /DATABASE_URL: prepared statements do not stay on their connection.*PgBouncer/);
});

test('behind PgBouncer in session mode it does not start where its settings get lost', needed, async () => {
  assert.match(
    await saidBehind('session', IGNORED),
    /DATABASE_URL: the connection lost the settings .*PgBouncer/,
  );
});

test('behind a PgBouncer that takes no settings it does not start, and says which', needed, async () => {
  const said = await saidBehind('session', '');
  assert.match(said, /DATABASE_URL: unsupported startup parameter: \w+.*PgBouncer/);
});
