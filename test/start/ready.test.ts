import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, runSql } from '../kit/database.ts';
import { databaseSettings, startService, until } from '../kit/service.ts';
import { startHereInVain } from '../kit/service-here.ts';

/** A busy machine has an error of its own to tell. */
const JSON_LINE = /^\{"level":"(?:info|warn|error)","time":"[^"]+Z"/;

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('who reads that the service is ready finds the demo logins, also at the first start', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-ready-'));
  const database = await createTestDatabase({ migrated: true });
  t.after(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  const port = await freePort();
  const settings = { ...databaseSettings(database), PARCELA_PORT: String(port), PARCELA_METRICS_PORT: '0' };
  const starting = startService({ folder, settings });
  // A start that fails is tested below.
  starting.catch(() => {});
  const statuses = new Set<number>();
  const demo = await until(
    'it is ready',
    async () => {
      const signal = AbortSignal.timeout(5_000);
      const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal }).catch(() => null);
      if (answer === null) return null;
      statuses.add(answer.status);
      return answer.status === 200 && readFile(join(folder, 'demo.json'), 'utf8');
    },
    60_000,
  );
  assert.match(demo, /"gateway"/);
  assert.ok([...statuses].every((status) => [200, 503].includes(status)));
  const service = await starting;
  // Nobody has said who reads it: lines for programs, and sentences for people.
  assert.ok(service.log.some((line) => line.includes('auditSeal')));
  for (const line of service.log) assert.match(line, JSON_LINE);
  for (const line of service.said) assert.doesNotMatch(line, /^\{/);
  assert.equal(await service.stop(), 0);
});

test('a start that fails audits nothing and starts no work; one whose port is taken changes nothing at all', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-ready-'));
  const database = await createTestDatabase({ migrated: false });
  const holder = createServer();
  t.after(async () => {
    holder.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const { port } = holder.address() as { port: number };
  const settings = { PARCELA_DATA_DIR: folder, PARCELA_PORT: '0', ...databaseSettings(database) };
  const found = async (text: string) => (await runSql(database.address, text)).length;
  for (const name of ['PARCELA_PORT', 'PARCELA_METRICS_PORT', 'PARCELA_INTEGRATION_PORT']) {
    const taken = await startHereInVain({ ...settings, [name]: String(port) });
    assert.equal(taken.code, 1);
    assert.match(taken.said, new RegExp(`EADDRINUSE.*127\\.0\\.0\\.1:${port};.*another one in ${name}\\n`));
    assert.equal(await found("select 1 from pg_tables where schemaname = 'public'"), 0, name);
  }
  const noToken = join(folder, 'token');
  await writeFile(noToken, 'two words\n', { mode: 0o600 });
  const late = await startHereInVain({ ...settings, PARCELA_METRICS_TOKEN_FILE: noToken });
  assert.equal(late.code, 1, late.said);
  assert.match(late.said, /PARCELA_METRICS_TOKEN_FILE/);
  assert.ok((await found('select 1 from schema_migrations')) > 0);
  assert.equal(await found("select 1 from audit_entries where action like 'service.%'"), 0);
});

/** Its entry waits for the holder of this lock, and is then refused. */
const REFUSED_START = `
  create function refuse_start() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(4711);
    raise exception 'no start is written';
  end $$;
  create trigger refuse_start before insert on audit_entries for each row
    when (new.action = 'service.start') execute function refuse_start()`;
const WAITING_START = "select 1 from pg_locks where locktype = 'advisory' and objid = 4711 and not granted";

test('a start that fails while a caller waits for it ends, and lets go of the caller', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-ready-'));
  const database = await createTestDatabase({ migrated: true });
  const holder = new pg.Client(database.address);
  t.after(async () => {
    await holder.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  await runSql(database.address, REFUSED_START);
  await holder.connect();
  await holder.query('select pg_advisory_lock(4711)');
  const port = await freePort();
  const settings = { PARCELA_DATA_DIR: folder, PARCELA_PORT: String(port), PARCELA_METRICS_PORT: '0' };
  const starting = startHereInVain({ ...settings, ...databaseSettings(database) });
  const isWaiting = async () => (await runSql(database.address, WAITING_START)).length > 0;
  await until('the start waits for its entry', isWaiting, 120_000);
  const caller = connect(port, '127.0.0.1');
  const ended = new Promise<string>((resolve) => {
    let came = '';
    caller.on('data', (chunk: Buffer) => {
      came += chunk.toString();
    });
    caller.on('error', () => {});
    caller.on('close', () => resolve(came));
  });
  await new Promise<void>((resolve) =>
    caller.write('GET /v1/payments/none HTTP/1.1\r\nHost: a\r\n\r\n', () => resolve()),
  );
  await isWaiting();
  await holder.query('select pg_advisory_unlock(4711)');
  const { code, said } = await starting;
  assert.equal(code, 1);
  assert.match(said, /no start is written/);
  assert.match(await ended, /^(?:HTTP\/1\.1 50[03] |$)/);
});

/** A fault that nobody catches, when it is asked for. */
const FAULT = `data:text/javascript,process.on('SIGUSR2',()=>{throw%20new%20Error('nobody caught it',{cause:new%20AggregateError([new%20Error('the root')],'all')})})`;

test('people read lines, machines read JSON with its level as a word', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-ready-'));
  const database = await createTestDatabase({ migrated: true });
  t.after(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  for (const [format, line] of [
    ['json', JSON_LINE],
    ['pretty', /^\d\d:\d\d:\d\d\.\d{3} (?:info|warn|error) +/],
  ] as const) {
    const settings = { ...databaseSettings(database), PARCELA_LOG_FORMAT: format };
    const service = await startService({
      folder,
      settings,
      nodeOptions: ['--disable-sigusr1', '--import', FAULT],
    });
    await fetch(`${service.gatewayUrl}/v1/payments/none`);
    const ended = new Promise((resolve) => service.process.once('exit', resolve));
    service.process.kill('SIGUSR2');
    assert.equal(await ended, 1);
    assert.ok(service.log.length > 0, format);
    for (const one of service.log) assert.match(one, line);
    const isForPrograms = format === 'json';
    for (const one of service.said) assert.equal(line.test(one), isForPrograms, one);
    const last = isForPrograms
      ? /"level":"error".*ends by a fault of its own: Error: nobody caught it.*by: AggregateError: all\\n {2}by: Error: the root/
      : /^Parcela ends by/;
    assert.ok(
      service.said.some((one) => last.test(one)),
      service.said.join('\n'),
    );
    assert.equal(
      service.log.some((one) => one.includes('auditSeal')),
      format !== 'pretty',
    );
  }
  const refused = startService({
    folder,
    settings: { ...databaseSettings(database), PARCELA_LOG_FORMAT: 'json', PARCELA_PROT: '1' },
  });
  await assert.rejects(
    refused,
    /\n\{"level":"error","time":[^\n]*"msg":"Parcela does not start:\\nPARCELA_PROT/,
  );
});
