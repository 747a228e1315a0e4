import assert from 'node:assert/strict';
import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connectorWith, SharedPool } from './open-channel.ts';

const LONG = 60_000;
const NONE = { ca: null, clientCertificate: null, token: null };

async function silentPort(t: TestContext): Promise<string> {
  const server = createServer((socket) => void t.after(() => socket.destroy()));
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return String((server.address() as { port: number }).port);
}

test('only a connect whose own look-up is pending has no name server', async (t) => {
  const port = await silentPort(t);
  let looks = 0;
  const firstOnly = ((_host: string, _options: object, found: (...answer: unknown[]) => void) => {
    looks += 1;
    if (looks === 1) process.nextTick(() => found(null, [{ address: '127.0.0.1', family: 4 }]));
  }) as typeof lookup;
  const connect = connectorWith(NONE, 500, firstOnly);
  const codeOf = () =>
    new Promise((resolve) => {
      const target = { hostname: 'bridge.example', host: 'bridge.example', protocol: 'https:', port };
      connect(target, (...[error]) => resolve((error as NodeJS.ErrnoException | null)?.code));
    });
  assert.deepEqual(await Promise.all([codeOf(), codeOf()]), ['UND_ERR_CONNECT_TIMEOUT', 'EAI_AGAIN']);
});

test('what has no time left when its turn comes is not sent, and needs no timer', async (t) => {
  const came: ServerResponse[] = [];
  const server = createHttpServer((_request, response) => void came.push(response));
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const channel = { connect: connectorWith(NONE, LONG) };
  const pool = new SharedPool('acquirer', `http://127.0.0.1:${port}`, channel, 1);
  t.after(() => pool.destroy());
  const ask = (timeout: number) =>
    pool.ask({ merchantId: '1' }, { method: 'POST', path: '/', body: '{}', headers: {} }, timeout);
  const now = performance.now.bind(performance);
  let gone = 0;
  t.mock.method(performance, 'now', () => now() + gone);
  const timers = t.mock.method(globalThis, 'setTimeout');
  const noTime = { kind: 'notSent', reason: 'too little time was left' };
  const noTurn = { kind: 'notSent', reason: 'no connection was free' };

  const first = ask(LONG);
  await once(server, 'request');
  const behind = ask(LONG);
  for (const timeout of [-1, 0]) assert.deepEqual(await ask(timeout), noTurn);
  gone = 2 * LONG;
  came[0]?.end('{}');
  assert.deepEqual(await first, { kind: 'answer', status: 200, body: {} });
  assert.deepEqual(await behind, noTime);
  for (const timeout of [-1, 0]) assert.deepEqual(await ask(timeout), noTime);
  assert.equal(came.length, 1);
  const past = timers.mock.calls.filter(({ arguments: [, delay = 0] }) => delay < 0);
  assert.deepEqual(past, []);
});
