import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { programOf } from '../../src/platform/home.ts';
import { createTestDatabase, runSql, type TestDatabase } from '../kit/database.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { sliceOf, turnOf } from '../kit/patience.ts';
import { cleanEnvironment, databaseUrl, openService, until } from '../kit/service.ts';
import { startHereInVain } from '../kit/service-here.ts';
import { type CuttingProxy, openCuttingProxy } from '../kit/wire-cutter.ts';

const MAIN = programOf('src/main.ts');

let folder: string;
let database: TestDatabase;
let proxy: CuttingProxy;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-on-its-way-'));
  // Not migrated: the start does it.
  database = await createTestDatabase({ migrated: false });
  proxy = await openCuttingProxy(database.address);
});
after(async () => {
  await proxy.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * A server of that port which answers every login with an error of this SQLSTATE, as PostgreSQL
 * does on its way up.
 */
async function refuseLogins(port: number, code: string, message: string): Promise<Server> {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(4 + fields.length, 1);
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(Buffer.concat([head, fields])));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

function closed(server: Server): Promise<unknown> {
  return new Promise((resolve) => server.close(resolve));
}

/** The role of the service, by the same way. */
const runtimeThrough = ({ host, port }: { readonly host: string; readonly port: number }) => ({
  ...database.runtime,
  host,
  port,
});

type Start = {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<number | null>;
};

function start(settings: Record<string, string>): Start {
  const child = spawn(process.execPath, [...MAIN], {
    env: cleanEnvironment({ PARCELA_PORT: '0', PARCELA_DATA_DIR: folder, ...settings }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return { child, said: () => said, ended: new Promise((resolve) => child.once('close', resolve)) };
}

test('a start waits for a database that is refused, recovers and loses connections, and goes on', async () => {
  const { port } = proxy.address;
  await proxy.goAway();
  const { child, said, ended } = start({ DATABASE_URL: databaseUrl(proxy.address) });
  try {
    await until('it waits', async () => /Waiting for the database, 0 of 60 s: .*ECONNREFUSED/.test(said()));
    const recovering = await refuseLogins(port, '57P03', 'the database system is in recovery mode');
    let asked = 0;
    recovering.on('connection', () => {
      asked += 1;
    });
    await until('it asks while it recovers', async () => asked > 3);
    await closed(recovering);
    // The migration in the middle loses its connection, with its commit carried out.
    await proxy.comeBack();
    proxy.cutAfter('\u000bcommit\0', 'create table movements');
    await until('it is ready', async () => /Parcela is ready/.test(said()), 60_000);
    assert.equal(said().match(/Waiting for the database/g)?.length, 1, 'it is said once');
    assert.match(said(), /The database is there after \d+ s/);
    assert.equal(proxy.cuts, 1);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
  const [row] = await runSql(
    database.address,
    `select count(*)::int as reported, count(distinct resource)::int as resources,
       (select count(*)::int from schema_migrations) as applied
     from audit_entries where action = 'schema.migrate'`,
  );
  assert.deepEqual(row, { reported: row?.applied, resources: row?.applied, applied: row?.applied });
});

test('connections that break at every step of a start cost it nothing but time', async () => {
  const steps = ['schema_migrations', 'platform.beat', 'keys.list', 'audit.begin', 'merchants.'];
  for (const text of turnOf(steps, 0, 2)) {
    const { cuts } = proxy;
    proxy.cutBefore(text);
    const service = await openService({ folder, settings: { DATABASE_URL: databaseUrl(proxy.address) } });
    try {
      assert.equal(proxy.cuts, cuts + 1, text);
      const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
      assert.equal((await pay(service.gatewayUrl, token, 1_000)).reply.status, 200, text);
    } finally {
      await service.stop();
    }
  }
});

test('a server that goes silent at the migrations costs a start nothing but time', async () => {
  for (const text of ['schema_migrations', 'server_version_num', 'aclexplode'].slice(0, sliceOf(3, 1))) {
    proxy.silenceAfter(text);
    const { child, said, ended } = start({
      DATABASE_URL: databaseUrl(runtimeThrough(proxy.address)),
      PARCELA_OWNER_DATABASE_URL: databaseUrl(proxy.address),
    });
    try {
      await until(`it is ready after ${text}`, async () => /Parcela is ready/.test(said()), 60_000);
      assert.match(said(), /Waiting for the database, .*Query read timeout/);
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  }
});

test('what waiting does not mend ends a start at once', async () => {
  const wrong = { ...database.address, password: 'wrong' };
  const unknown = { ...database.address, database: 'no_such_database' };
  const refusing = await refuseLogins(0, '28P01', 'password authentication failed for user "parcela"');
  const { port } = refusing.address() as { port: number };
  for (const [address, reason] of [
    [{ ...wrong, host: '127.0.0.1', port }, /password authentication failed/],
    [unknown, /no_such_database/],
  ] as const) {
    const { code, said } = await startHereInVain({
      PARCELA_PORT: '0',
      PARCELA_DATA_DIR: folder,
      DATABASE_URL: databaseUrl(address),
      PARCELA_DATABASE_WAIT_SECONDS: '3600',
    });
    assert.equal(code, 1);
    assert.match(said, reason);
    assert.doesNotMatch(said, /Waiting for the database/);
  }
  await closed(refusing);
});

test('a start that waits in vain ends with the reason, and a signal ends the waiting', async () => {
  const nobody = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
  const here = { PARCELA_PORT: '0', PARCELA_DATA_DIR: folder, PARCELA_DATABASE_WAIT_SECONDS: '1' };
  const brief = await startHereInVain({ ...nobody, ...here });
  assert.equal(brief.code, 1);
  assert.match(brief.said, /DATABASE_URL: .*ECONNREFUSED/);
  const long = start({ ...nobody, PARCELA_DATABASE_WAIT_SECONDS: '3600' });
  await until('it waits', async () => /Waiting for the database/.test(long.said()));
  long.child.kill('SIGTERM');
  assert.equal(await long.ended, 0);
});
