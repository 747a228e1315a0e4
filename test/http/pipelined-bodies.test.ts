import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fastify from 'fastify';
import { BodyMemory, MOST_BODY_BYTES } from '../../src/platform/http/body-memory.ts';
import { CallerConnections } from '../../src/platform/http/caller-connections.ts';

const CALLERS = 100;
const BODY = 'x'.repeat(60_000);
/** Of the eighth of callers who are not known, one address has what it leaves free. */
const SHARE = MOST_BODY_BYTES / 8 / 2;

/** A server whose GET waits until it is let go. */
async function openServer() {
  const counts = { held: 0, mostHeld: 0, refused: 0, cut: 0 };
  const bodies = new BodyMemory(MOST_BODY_BYTES, {
    held(bytes) {
      counts.held = bytes;
      counts.mostHeld = Math.max(counts.mostHeld, bytes);
    },
    refused() {
      counts.refused += 1;
    },
  });
  const connections = new CallerConnections(
    { inAll: 1_000, perAddress: 1_000 },
    { isTrusted: () => true, hasTrusted: true, isServed: () => true },
    bodies,
    {
      opened() {},
      refused() {},
      cut() {
        counts.cut += 1;
      },
    },
  );
  const app = fastify({ serverFactory: (handle) => connections.createServer(handle) });
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  const { promise: letGo, resolve } = Promise.withResolvers<void>();
  app.get('/', async () => {
    await letGo;
    return 'first';
  });
  app.post('/', async () => 'second');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, connections, counts, port, letGo: resolve };
}

/** What came over a new connection until its end. */
function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    let came = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      const lines = `Content-Type: text/plain\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n`;
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${lines}\r\n${BODY}`);
    });
    socket.on('data', (chunk: Buffer) => {
      came += chunk.toString();
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(came));
  });
}

test('bodies that wait behind a first request are within the bound of all bodies, by address', async () => {
  const { app, connections, counts, port, letGo } = await openServer();
  const asked = Array.from({ length: CALLERS }, () => ask(port));
  const most = Math.floor(SHARE / BODY.length) + 1;
  while (counts.held < (most - 1) * BODY.length || counts.cut < CALLERS - most) await pause(1);
  assert.ok(counts.mostHeld <= SHARE + BODY.length, `${counts.mostHeld} bytes`);
  assert.equal(counts.refused, counts.cut);
  letGo();
  const answers = await Promise.all(asked);
  // A connection that ends with bytes on their way may take its last answer along.
  const both = answers.filter((answer) => answer.endsWith('second'));
  assert.equal(both.length, CALLERS - counts.cut);
  assert.equal(counts.held, 0);
  await app.close();
  connections.close();
});
