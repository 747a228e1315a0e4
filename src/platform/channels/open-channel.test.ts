import assert from 'node:assert/strict';
import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connectorWith, SharedPool } from './open-channel.ts';

const NONE = { ca: null, clientCertificate: null, token: null };

/** It takes connections and speaks no TLS: as silent as one that drops what comes. */
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
  let connected = 0;
  const server = createServer(() => {
    connected += 1;
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const pool = new SharedPool(
    'acquirer',
    `http://127.0.0.1:${port}`,
    { connect: connectorWith(NONE, 500) },
    1,
  );
  t.after(() => pool.destroy());
  const question = { method: 'POST', path: '/', body: '{}', headers: {} } as const;
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  t.after(() => process.off('warning', warned));
  for (const timeout of [-1, 0]) {
    const answer = await pool.ask({ merchantId: '1' }, question, timeout);
    assert.deepEqual(answer, { kind: 'notSent', reason: 'too little time was left' });
  }
  // Warnings are told in the next turn.
  await new Promise(setImmediate);
  assert.deepEqual([connected, warnings], [0, []]);
});
