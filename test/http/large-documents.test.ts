import assert from 'node:assert/strict';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import { send } from '../../src/platform/http/answers.ts';
import { BodyMemory, MOST_BODY_BYTES } from '../../src/platform/http/body-memory.ts';
import { CallerConnections } from '../../src/platform/http/caller-connections.ts';
import { drainConnections, openDrain } from '../../src/platform/http/draining.ts';
import { until } from '../kit/service.ts';

/** Far more than the system takes of an answer that is not read. */
const DOCUMENT = Buffer.alloc(24 * 1024 * 1024, 'Every line of it is the same.\n');
let app: FastifyInstance;
let connections: CallerConnections;
let openNow = 0;
/** The ends of the connections here, the newest last. */
const ends: Socket[] = [];

before(async () => {
  connections = new CallerConnections(
    { inAll: 1_000, perAddress: 1_000 },
    { isTrusted: () => true, hasTrusted: true, isServed: () => true },
    new BodyMemory(MOST_BODY_BYTES, { held() {}, refused() {} }),
    {
      opened(count) {
        openNow = count;
      },
      refused() {},
      cut() {},
    },
  );
  app = fastify({ serverFactory: (handle) => connections.createServer(handle) });
  drainConnections(app, openDrain(), connections);
  app.server.on('connection', (socket) => ends.push(socket));
  app.route({
    method: ['GET', 'HEAD'],
    url: '/',
    handler: (request, reply) =>
      send(request, reply, { status: 200, text: { content: DOCUMENT, type: 'text/plain' } }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});

after(async () => {
  await app.close();
  connections.close();
});

/** Asks and reads nothing; gives both ends once the system takes no more of the answer. */
async function askAndStall(): Promise<{ readonly reader: Socket; readonly end: Socket }> {
  const reader = connect((app.server.address() as AddressInfo).port, '127.0.0.1').pause();
  reader.on('error', () => {});
  const before = ends.length;
  reader.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const end = await until('it is connected', async () => ends[before] ?? false);
  await until('the system takes no more', async () => end.writableNeedDrain);
  return { reader, end };
}

test('a document that is read slowly comes whole', async () => {
  const { reader } = await askAndStall();
  const came: Buffer[] = [];
  for await (const bytes of reader) came.push(bytes);
  const answer = Buffer.concat(came);
  const head = answer.subarray(0, answer.indexOf('\r\n\r\n') + 4);
  assert.match(
    head.toString(),
    new RegExp(`^HTTP/1\\.1 200 .*\r\ncontent-length: ${DOCUMENT.length}\r\n`, 'is'),
  );
  assert.ok(answer.subarray(head.length).equals(DOCUMENT), 'what came is the document');
});

test('without its body the document has its length', async () => {
  const reply = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`, {
    method: 'HEAD',
  });
  assert.equal(reply.headers.get('content-length'), String(DOCUMENT.length));
  assert.equal(reply.headers.get('content-type'), 'text/plain');
  assert.equal(await reply.text(), '');
});

test('a reader that leaves in the middle frees its connection', async () => {
  const { reader, end } = await askAndStall();
  const openBefore = openNow;
  reader.destroy();
  await until('its connection is free', async () => end.destroyed && openNow < openBefore);
});
