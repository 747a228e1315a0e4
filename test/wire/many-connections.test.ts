import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
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
      const held = Array.from({ length: 25 }, () => openOne(service));
      await until('five are refused', async () => (await refusedFor(service, 'inAll')) === 5);
      await until('they are closed', async () => stillOpen(held).length === 20);
      assert.equal(await openCount(service), 20);
      for (const { socket } of held) socket.destroy();
      await until('all are free', async () => (await openCount(service)) === 0);
    },
  ));
