import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fastify from 'fastify';
import { BodyMemory, MOST_BODY_BYTES } from '../../src/platform/http/body-memory.ts';
import { CallerConnections } from '../../src/platform/http/caller-connections.ts';
import { Connection } from '../../src/platform/http/connection.ts';
import { drainConnections, openDrain } from '../../src/platform/http/draining.ts';
import { patiently } from '../kit/patience.ts';

/** A server that closes as ours do, with work that keeps its process busy. */
async function openServer({ isProxy = true, hasToken = false } = {}) {
  const served: Connection[] = [];
  const connections = new CallerConnections(
    { inAll: 1_000, perAddress: 1_000 },
    { isTrusted: () => isProxy, hasTrusted: isProxy, isServed: () => true },
    new BodyMemory(MOST_BODY_BYTES, { held() {}, refused() {} }),
    { opened() {}, refused() {}, cut() {} },
  );
  const app = fastify({
    serverFactory: (handle) => connections.createServer(handle),
    return503OnClosing: false,
  });
  drainConnections(app, openDrain(), connections);
  app.get('/', async ({ raw }) => {
    const connection = Connection.of(raw.socket);
    if (connection !== undefined) served.push(connection);
    if (hasToken) connection?.acceptCaller(raw);
    for (const beganAt = performance.now(); performance.now() - beganAt < 2; );
    return 'served';
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, connections, port, served };
}

/** What came over a new connection until its end; null when it was refused. */
function ask(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    let came = '';
    let isConnected = false;
    const socket = connect(port, '127.0.0.1', () => {
      isConnected = true;
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    });
    socket.on('data', (chunk: Buffer) => {
      came += chunk.toString();
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(isConnected ? came : null));
  });
}

test('what waits to be accepted as a server closes is served, also when its request comes a moment later', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { app, connections, port } = await openServer();
    // They wait in the system when the closing begins, and their requests come meanwhile.
    const answers = Array.from({ length: 40 }, () => ask(port));
    await app.close();
    connections.close();
    for (const answer of await Promise.all(answers)) assert.match(answer ?? '', /^HTTP\/1\.1 200 /);
  }
});

test('a connection that is kept for a next request, and one that never sent anything, end with the server', async () => {
  const { app, connections, port } = await openServer();
  const kept = await fetch(`http://127.0.0.1:${port}/`);
  assert.equal(await kept.text(), 'served');
  const silent = connect(port, '127.0.0.1');
  const ended = new Promise((resolve) => silent.once('close', resolve));
  silent.resume();
  await new Promise((resolve) => silent.once('connect', resolve));
  await app.close();
  await ended;
  connections.close();
});

test('a kept connection is idle from a moment after its answer until a byte of a next request comes', async () => {
  const { app, connections, port, served } = await openServer();
  const agent = converse(port);
  const head = 'GET / HTTP/1.1\r\nHo';
  agent.send(`${head}st: a\r\n\r\n`);
  await until(() => agent.answers() === 1);
  const [connection] = served;
  assert.ok(connection !== undefined);
  // Its answer may be read here before the server is through with it.
  await until(() => connection.isKept());
  const beganAt = performance.now() - patiently(30_000);
  assert.equal(connection.isIdle(beganAt), false);
  await until(() => connection.isIdle(performance.now()));
  agent.send(head);
  await until(() => !connection.isIdle(performance.now()));
  agent.send('st: a\r\n\r\n');
  await until(() => agent.answers() === 2);
  await app.close();
  await agent.ended;
  connections.close();
});

/** Over a connection of its own: what is sent, and all that came so far. */
function converse(port: number) {
  const socket = connect(port, '127.0.0.1');
  let came = '';
  socket.on('data', (chunk: Buffer) => {
    came += chunk.toString();
  });
  socket.on('error', () => {});
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return {
    send: (text: string) => socket.write(text),
    ended,
    answers: () => came.match(/HTTP\/1\.1 200 /g)?.length ?? 0,
  };
}

async function until(condition: () => boolean): Promise<void> {
  const endsAt = performance.now() + patiently(30_000);
  while (!condition()) {
    assert.ok(performance.now() < endsAt, 'waited in vain');
    await pause(1);
  }
}

test('a connection over which half of a next head came with the request before is not ended as idle', async () => {
  const { app, connections, port, served } = await openServer();
  const restedAt = performance.now();
  const caller = converse(port);
  const [head, rest] = ['GET / HTTP/1.1\r\nHo', 'st: a\r\n\r\n'];
  caller.send(`${head}${rest}${head}`);
  await until(() => caller.answers() === 1);
  const [connection] = served;
  assert.ok(connection !== undefined);
  await until(() => connection.isKept());
  // As a look of a server that closes sees it at once, however late this one is.
  connections.end(app.server, (one) => one.isIdle(restedAt));
  caller.send(rest);
  await Promise.race([caller.ended, until(() => caller.answers() === 2)]);
  assert.equal(caller.answers(), 2, 'its second request was answered');
  await app.close();
  await caller.ended;
  connections.close();
});

test('a connection that is kept without a token is kept for some seconds, and one with a token, or a proxy’s, for longer', async () => {
  for (const [isProxy, hasToken] of [
    [false, false],
    [false, true],
    [true, false],
  ] as const) {
    const { app, connections, port, served } = await openServer({ isProxy, hasToken });
    const agent = converse(port);
    agent.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => agent.answers() === 1);
    const [connection] = served;
    assert.ok(connection !== undefined);
    await until(() => connection.isKept());
    const now = performance.now();
    assert.equal(connection.isKeptTooLong(now + 5_000), false);
    assert.equal(connection.isKeptTooLong(now + 20_000), !isProxy && !hasToken);
    agent.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => agent.answers() === 2);
    await app.close();
    await agent.ended;
    connections.close();
  }
});
