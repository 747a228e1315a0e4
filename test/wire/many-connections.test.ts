import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { call, logIn } from '../kit/merchant.ts';
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

function openOne({ gatewayUrl }: TestService, localAddress = '127.0.0.1'): Held {
  const { hostname: host, port } = new URL(gatewayUrl);
  const held = { socket: connect({ host, port: Number(port), localAddress }), isOpen: true };
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
  withService({ PARCELA_CONNECTIONS: '20', PARCELA_TRUSTED_PROXIES: '127.0.0.0/8' }, async (service) => {
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

/** Asks over one connection of its own and keeps it; gives what is answered, head and all. */
function keeper({ gatewayUrl }: TestService, localAddress: string) {
  const { hostname: host, port } = new URL(gatewayUrl);
  const socket = connect({ host, port: Number(port), localAddress });
  let received = '';
  socket
    .on('error', () => {})
    .on('data', (bytes) => {
      received += bytes;
    });
  return {
    socket,
    isOpen: () => !socket.destroyed && !socket.readableEnded,
    async ask(path: string, token: string | null = null): Promise<string> {
      received = '';
      const authorization = token === null ? '' : `Authorization: Bearer ${token}\r\n`;
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n${authorization}\r\n`);
      return until(`${path} is answered over the kept connection`, async () => {
        if (!isWhole(received)) return null;
        return received;
      });
    },
  };
}

function isWhole(answer: string): boolean {
  const [head = '', body = ''] = answer.split(/\r\n\r\n(.*)/s);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return length !== undefined && Buffer.byteLength(body) >= Number(length);
}

const ADDRESSES = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 2}`);

for (const proxies of ['', '127.0.0.1'])
  test(`eight addresses that hold all connections keep out neither others nor a token holder (proxies: ${proxies || 'none'})`, () =>
    withService(
      {
        PARCELA_CONNECTIONS: '64',
        PARCELA_CONNECTIONS_PER_ADDRESS: '8',
        ...(proxies !== '' && { PARCELA_TRUSTED_PROXIES: proxies }),
      },
      async (service) => {
        const demo = await service.demo();
        const token = await logIn(service.gatewayUrl, demo.gateway);
        const holder = keeper(service, '127.0.0.20');
        assert.match(await holder.ask('/v1/cards/public-key', token), /^HTTP\/1\.1 200 /);
        // Half heads, and idle after an answer: neither is in anybody's service.
        const held = ADDRESSES.flatMap((address) =>
          Array.from({ length: 4 }, () => openOne(service, address)),
        );
        const asked = ADDRESSES.flatMap((address) =>
          Array.from({ length: 4 }, () => keeper(service, address)),
        );
        for (const one of asked) {
          const answer = await one.ask('/health/live');
          assert.match(answer, /^HTTP\/1\.1 200 .*keep-alive: timeout=10\r\n/is);
        }
        const full = proxies === '' ? 64 : 56;
        await until('all that strangers may have is taken', async () => (await openCount(service)) >= full);
        for (let turn = 0; turn < 12; turn += 1) {
          const [docs, login] = [
            await fetch(`${service.gatewayUrl}/docs`, { headers: { connection: 'close' } }),
            await call(service.gatewayUrl, '/api/auth/token', { body: demo.gateway }),
          ];
          await docs.text();
          assert.deepEqual([docs.status, login.status], [200, 200]);
        }
        assert.match(await holder.ask('/v1/cards/public-key', token), /^HTTP\/1\.1 200 /, 'it was kept');
        assert.ok(holder.isOpen());
        assert.ok((await openCount(service)) <= 64);
        // A stranger finds room as well: the oldest of an address with most makes it.
        const stranger = keeper(service, '127.0.0.30');
        assert.match(await stranger.ask('/health/live'), /^HTTP\/1\.1 200 /);
        const room = await metric(service, 'parcela_connections_cut_total{reason="roomForOthers"}');
        assert.ok(room > 0);
        for (const { socket } of [...held, ...asked, holder, stranger]) socket.destroy();
      },
    ));

test('an address has so many requests a second without a good token or need of one, on every path but health', () =>
  withService({ PARCELA_REQUESTS_PER_SECOND_PER_ADDRESS: '3' }, async (service) => {
    const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
    const strange = async (path: string, headers: Record<string, string> = {}) => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => fetch(service.gatewayUrl + path, { headers, redirect: 'manual' })),
      );
      return answers.map(
        ({ status, headers: sent }) => `${status}${sent.has('retry-after') ? ' later' : ''}`,
      );
    };
    const bad = { authorization: `Bearer ${'x'.repeat(43)}` };
    for (const [path, headers] of [
      ['/docs', {}],
      ['/v1/payments', {}],
      ['/v1/payments', bad],
      ['/nowhere', {}],
      ['/api/auth/token', {}],
      ['/docs', bad],
      ['/openapi.json', { authorization: 'Bearer' }],
      ['/api/auth/token', { authorization: 'Basic eDp4' }],
      ['/api/auth/token', { authorization: `Bearer ${token}`, cookie: 'a=b' }],
      ['/boletos/0123456789abcdef0123456789abcdef', {}],
      ['/console/sign-in', {}],
      ['/favicon.ico', { cookie: 'a=b' }],
      ['/%zz', {}],
    ] as const)
      assert.ok((await strange(path, headers)).includes('429 later'), `${path} ${JSON.stringify(headers)}`);
    assert.ok((await strange('/health/live')).every((answer) => answer === '200'));
    const known = await strange('/v1/cards/public-key', { authorization: `Bearer ${token}` });
    assert.ok(
      known.every((answer) => answer === '200'),
      known.join(),
    );
  }));
