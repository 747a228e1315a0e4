import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { call } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';

/** Connections are held by the test; what else asks the service would count too. */
async function withService(settings: Record<string, string>, use: (service: TestService) => Promise<void>) {
  const service = await openTestService(settings);
  try {
    await use(service);
  } finally {
    await service.close();
  }
}

/** Beyond the limit, for health. */
const RESERVED = 16;

type Held = { readonly socket: Socket; isOpen: boolean };

function openOne({ gatewayUrl }: TestService): Held {
  const { hostname, port } = new URL(gatewayUrl);
  const held = { socket: connect(Number(port), hostname), isOpen: true };
  held.socket.on('error', () => {});
  held.socket.once('close', () => {
    held.isOpen = false;
  });
  // It sends the beginning of a request, and is idle in its middle.
  held.socket.write('GET /health/live HTTP/1.1\r\n');
  held.socket.resume();
  return held;
}

async function metric({ metricsUrl }: TestService, line: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const found = text.split('\n').find((one) => one.startsWith(`${line} `));
  return Number(found?.slice(line.length) ?? 0);
}

const openCount = (service: TestService) => metric(service, 'parcela_connections');
const refusedFor = (service: TestService, reason: string) =>
  metric(service, `parcela_connections_refused_total{reason="${reason}"}`);

const stillOpen = (held: readonly Held[]) => held.filter(({ isOpen }) => isOpen);

test('an address has so many connections and no more, and may open another when it closes one', () =>
  withService({ PARCELA_CONNECTIONS_PER_ADDRESS: '10' }, async (service) => {
    const held = Array.from({ length: 15 }, () => openOne(service));
    await until('five are refused', async () => (await refusedFor(service, 'perAddress')) === 5);
    await until('they are closed', async () => stillOpen(held).length === 10);
    assert.equal(await openCount(service), 10);
    for (const { socket } of stillOpen(held).slice(0, 2)) socket.destroy();
    await until('two are free', async () => (await openCount(service)) === 8);
    const [first, second] = [openOne(service), openOne(service)];
    await until('they are taken', async () => (await openCount(service)) === 10);
    assert.ok(first.isOpen && second.isOpen);
    for (const { socket } of [...held, first, second]) socket.destroy();
    const logged = () => service.log.filter((line) => line.includes('perAddress')).length;
    await until('it is logged', async () => logged() > 0);
    assert.equal(logged(), 1);
  }));

test('the connections of a trusted proxy count in all, and there is an end to them too', () =>
  withService(
    {
      PARCELA_CONNECTIONS: '20',
      PARCELA_CONNECTIONS_PER_ADDRESS: '5',
      PARCELA_TRUSTED_PROXIES: '127.0.0.0/8',
    },
    async (service) => {
      const held = Array.from({ length: 20 + RESERVED + 5 }, () => openOne(service));
      await until('five are refused', async () => (await refusedFor(service, 'inAll')) === 5);
      await until('they are closed', async () => stillOpen(held).length === 20 + RESERVED);
      assert.equal(await openCount(service), 20);
      for (const { socket } of held) socket.destroy();
      await until('all are free', async () => (await openCount(service)) === 0);
    },
  ));

test('health is answered while others have all connections and flood what is kept for it, and nothing else is', () =>
  withService({ PARCELA_CONNECTIONS: '20', PARCELA_CONNECTIONS_PER_ADDRESS: '1000' }, async (service) => {
    const held = Array.from({ length: 20 + 3 * RESERVED }, () => openOne(service));
    await until('all are taken', async () => (await refusedFor(service, 'inAll')) === 2 * RESERVED);
    for (const path of ['/health/live', '/health/ready', '/health/live']) {
      const answer = await fetch(service.gatewayUrl + path);
      assert.deepEqual([answer.status, answer.headers.get('connection')], [200, 'close'], path);
      await answer.text();
    }
    assert.equal((await fetch(service.metricsUrl)).status, 200);
    const refused = await call(service.gatewayUrl, '/api/auth/token', {
      body: (await service.demo()).gateway,
    });
    assert.equal(refused.status, 503, refused.text);
    assert.equal(await openCount(service), 20, 'the others have what they had');
    for (const { socket } of held) socket.destroy();
    await until('all are free', async () => (await openCount(service)) === 0);
    const served = await call(service.gatewayUrl, '/api/auth/token', {
      body: (await service.demo()).gateway,
    });
    assert.equal(served.status, 200, served.text);
  }));
