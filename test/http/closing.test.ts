import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fastify from 'fastify';
import { answerInParts } from '../../src/platform/http/answers.ts';
import { BodyMemory, MOST_BODY_BYTES } from '../../src/platform/http/body-memory.ts';
import { CallerConnections } from '../../src/platform/http/caller-connections.ts';
import { Connection } from '../../src/platform/http/connection.ts';
import { drainConnections, openDrain } from '../../src/platform/http/draining.ts';
import { patiently } from '../kit/patience.ts';

/** More than the system holds of an answer that is not read. */
/** More than seven reads of a busy machine take: one alone may take some MiB. */
const LONG = 'x'.repeat(96 * 1024 * 1024);

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
  answerInParts(app);
  app.addHook('onRequest', async ({ raw }, reply) => {
    const connection = Connection.of(raw.socket);
    if (connection !== undefined) served.push(connection);
    if (hasToken) connection?.acceptCaller(raw);
    if (raw.method === 'POST') return reply.code(401).send();
  });
  app.get('/long', async () => LONG);
  app.get('/', async () => {
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
  const beganAt = performance.now();
  const agent = converse(port);
  const head = 'GET / HTTP/1.1\r\nHo';
  agent.send(`${head}st: a\r\n\r\n`);
  await until(() => agent.answers() === 1);
  const [connection] = served;
  assert.ok(connection !== undefined);
  // Its answer may be read here before the server is through with it.
  await until(() => connection.isKept());
  const now = performance.now();
  assert.equal(connection.isIdle(beganAt + 299, beganAt), false, 'its answer came behind the stop');
  assert.equal(connection.isIdle(now + 299, now), false, 'its answer came before the stop');
  assert.equal(connection.isIdle(now + 300, now), true);
  agent.send(head);
  await until(() => !connection.isIdle(now + 300, now));
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
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes < LONG.length) came += chunk.toString();
  });
  socket.on('error', () => {});
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return {
    send: (text: string) => socket.write(text),
    ended,
    answers: () => came.match(/HTTP\/1\.1 \d/g)?.length ?? 0,
    socket,
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
  const caller = converse(port);
  const [head, rest] = ['GET / HTTP/1.1\r\nHo', 'st: a\r\n\r\n'];
  caller.send(`${head}${rest}${head}`);
  await until(() => caller.answers() === 1);
  const [connection] = served;
  assert.ok(connection !== undefined);
  await until(() => connection.isKept());
  // As a look of a server that has just begun to stop sees it, however late this one is.
  const now = performance.now();
  connections.end(app.server, (one) => one.isIdle(now + 250, now));
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

test('a connection over which a body came behind its answer is idle again', async () => {
  const { app, connections, port, served } = await openServer();
  const agent = converse(port);
  agent.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n');
  await until(() => agent.answers() === 1);
  const [connection] = served;
  assert.ok(connection !== undefined);
  assert.equal(connection.isKept(), false);
  agent.send('body');
  await until(() => connection.isIdle(performance.now() + 300, 0));
  await app.close();
  await agent.ended;
  connections.close();
});

/** Asks for the long answer and reads no more than its beginning. */
async function openSlowReader(t: TestContext) {
  const { app, connections, port, served } = await openServer();
  // Only the looks of the test count.
  connections.close();
  const sockets: Socket[] = [];
  app.server.on('connection', (socket: Socket) => sockets.push(socket));
  const agent = converse(port);
  await until(() => sockets.length === 1);
  const taken = () => (sockets[0] as Socket).bytesWritten - (sockets[0] as Socket).writableLength;
  const wait = () => agent.socket.pause();
  agent.socket.on('data', wait);
  const readSome = (isEnough: () => boolean) =>
    until(() => {
      if (isEnough()) return true;
      agent.socket.resume();
      return false;
    });
  const ask = async () => {
    const before = taken();
    agent.send('GET /long HTTP/1.1\r\nHost: a\r\n\r\n');
    await readSome(() => taken() > before);
  };
  t.after(async () => {
    agent.socket.destroy();
    await app.close();
  });
  await ask();
  const connection = served[0] as Connection;
  const readAll = async () => {
    agent.socket.off('data', wait).resume();
    await until(() => connection.isKept());
    agent.socket.on('data', wait);
  };
  return { connection, taken, readSome, readAll, ask };
}

test('a reader that takes a part of a long answer within ten seconds is served, for a minute', async (t) => {
  const { connection, taken, readSome } = await openSlowReader(t);
  const beganAt = performance.now();
  for (let seconds = 0; seconds < 60; seconds += 9) {
    assert.equal(connection.whyCut(beganAt + seconds * 1_000), null);
    const before = taken();
    await readSome(() => taken() > before);
  }
  assert.equal(connection.whyCut(beganAt + 60_000), 'unreadAnswer');
});

test('each answer of a connection has a time of its own, also when the one before was as long', async (t) => {
  const { connection, readAll, ask } = await openSlowReader(t);
  const beganAt = performance.now();
  assert.equal(connection.whyCut(beganAt), null);
  await readAll();
  await ask();
  assert.equal(connection.whyCut(beganAt + 61_000), null);
});
