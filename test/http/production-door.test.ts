import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { openProductionProcess, type ProductionService } from '../antifraud/production-service.ts';
import { call, encryptCard, TEST_CARD } from '../kit/merchant.ts';
import { type Service, until } from '../kit/service.ts';
import { exchange } from '../wire/wire.ts';

/** Production behind named proxies, and without its documents. */
let production: ProductionService<Service>;
let url: string;

const PROXY = '127.0.0.1';
/** The whole of 127.0.0.0/8 is this machine, on Linux without being asked for. */
const OTHER = '127.0.0.2';
const skip = process.platform === 'linux' ? false : `${OTHER} is no address of this machine`;

before(async () => {
  production = await openProductionProcess({
    PARCELA_TRUSTED_PROXIES: PROXY,
    PARCELA_PAGES_ORIGIN: 'https://pagamentos.parcela.example',
    PARCELA_DOCS: '0',
  });
  url = production.service.gatewayUrl;
});
after(() => production.close());

type Answered = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

function askFrom(
  localAddress: string,
  path: string,
  headers: Record<string, string> = {},
  body: object | null = null,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const method = body === null ? 'GET' : 'POST';
    const asking = request(url + path, { method, localAddress, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    asking.on('error', reject);
    asking.end(body === null ? undefined : JSON.stringify(body));
  });
}

test('once its proxies are named no other peer is served, but for health', { skip }, async () => {
  const bearer = { authorization: `Bearer ${production.token}` };
  assert.equal((await askFrom(PROXY, '/v1/cards/public-key', bearer)).status, 200);
  for (const headers of [bearer, {}, { ...bearer, 'x-forwarded-for': PROXY }]) {
    for (const path of ['/v1/cards/public-key', '/nowhere', '/docs']) {
      const refused = await askFrom(OTHER, path, headers);
      assert.equal(refused.status, 421, path);
      assert.equal(refused.headers.connection, 'close');
      assert.match(refused.body, /proxies/);
    }
  }
  for (const path of ['/health/live', '/health/ready'])
    assert.deepEqual(
      [await askFrom(OTHER, path)].map(({ status, headers }) => [status, headers.connection]),
      [[200, 'close']],
      path,
    );
});

test('peers that are not served have a handful of connections, and take none from the proxy', {
  skip,
}, async () => {
  const { hostname: host, port } = new URL(url);
  const ends = Array.from({ length: 60 }, (_, index) => {
    const socket = connect({ host, port: Number(port), localAddress: `127.0.0.${10 + (index % 3)}` });
    socket.on('error', () => {}).resume();
    return socket;
  });
  await until('all but a handful are closed', async () => {
    const open = ends.filter((socket) => !socket.closed && !socket.readableEnded);
    return open.length <= 16;
  });
  const bearer = { authorization: `Bearer ${production.token}` };
  assert.equal((await askFrom(PROXY, '/v1/cards/public-key', bearer)).status, 200);
  assert.equal((await askFrom(OTHER, '/health/live')).status, 200);
  for (const socket of ends) socket.destroy();
});

test('every encrypted card that does not open gets the same answer', { skip }, async () => {
  const bearer = { authorization: `Bearer ${production.token}`, 'content-type': 'application/json' };
  const { body } = await askFrom(PROXY, '/v1/cards/public-key', bearer);
  const { key, merchantId, createdAt } = JSON.parse(body);
  const whole = { cardNumber: TEST_CARD, merchantId, createdAt };
  const answers = new Set<string>();
  for (const encryptedCard of [
    'AAAA',
    'not base64 !',
    Buffer.alloc(384, 7).toString('base64'),
    await encryptCard(key, { ...whole, merchantId: 'another' }),
    await encryptCard(key, { ...whole, createdAt: '2020-01-01T00:00:00Z' }),
    await encryptCard(key, { ...whole, cardNumber: '1234567890123456' }),
    await encryptCard(key, { ...whole, expirationMonth: '1' }),
  ]) {
    const refused = await askFrom(PROXY, '/v1/cards/tokenization', bearer, { encryptedCard });
    assert.equal(refused.status, 400);
    answers.add(refused.body);
  }
  assert.equal(answers.size, 1);
  const encryptedCard = await encryptCard(key, whole);
  assert.equal((await askFrom(PROXY, '/v1/cards/tokenization', bearer, { encryptedCard })).status, 200);
});

test('a peer that is no named proxy is answered 421 whatever it sends', { skip }, async () => {
  const host = new URL(url).host;
  const get = (path: string, lines = '') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${lines}\r\n`;
  const malformed = [
    'no HTTP at all\r\n\r\n',
    get('/v1/payments', 'a b: c\r\n'),
    get('/v1/payments', `Host: ${host}\r\n`),
    get('/health/live', `Host: ${host}\r\n`),
    get('/v1/payments/%zz', `Authorization: Bearer ${production.token}\r\n`),
    get('/v1/payments/%zz'),
  ];
  for (const bytes of malformed) {
    const { answers } = await exchange(url, [bytes], { localAddress: OTHER });
    assert.deepEqual(
      answers.map(({ status }) => status),
      [421],
      bytes,
    );
    assert.match(answers[0]?.body ?? '', /proxies/);
    const named = await exchange(url, [bytes], { localAddress: PROXY, isEnded: true });
    assert.ok([400, 401].includes(named.answers[0]?.status ?? 0), bytes);
  }
});

test('what a trusted proxy took over TLS is answered so that browsers keep to TLS', { skip }, async () => {
  const header = 'strict-transport-security';
  const secure = { 'x-forwarded-proto': 'https' };
  for (const path of ['/health/live', '/v1/payments', '/nowhere'])
    assert.equal((await askFrom(PROXY, path, secure)).headers[header], 'max-age=31536000', path);
  assert.equal((await askFrom(PROXY, '/health/live')).headers[header], undefined);
  const forged = await askFrom(PROXY, '/health/live', { 'x-forwarded-proto': 'https, http' });
  assert.equal(forged.headers[header], undefined, 'what the proxy added counts');
  assert.equal((await askFrom(OTHER, '/health/live', secure)).headers[header], undefined);
});

test('documents that are switched off and the demo shop are unknown paths, and no browser is led to them', async () => {
  const { token } = production;
  const unknown = await call(url, '/nowhere', { token });
  for (const path of ['/docs', '/openapi.json', '/', '/demo', '/demo/club/key']) {
    const headers = { accept: 'text/html' };
    const stranger = await fetch(url + path, { headers, redirect: 'manual' });
    assert.deepEqual([stranger.status, await stranger.text()], [401, ''], path);
    const known = await fetch(url + path, { headers: { ...headers, authorization: `Bearer ${token}` } });
    assert.deepEqual([known.status, await known.json()], [404, unknown.body], path);
  }
  assert.doesNotMatch(production.service.said.join('\n'), /\/docs|Warning/);
});

test('production on loopback that names no proxy starts only where it is said that there is none', async () => {
  const unnamed = await openProductionProcess({ PARCELA_TRUSTED_PROXIES: 'none' });
  try {
    const silent = { ...unnamed.settings, PARCELA_TRUSTED_PROXIES: '' };
    const { code, said } = await unnamed.keys.startInVain(silent);
    assert.equal(code, 1);
    assert.match(said, /PARCELA_TRUSTED_PROXIES: names no proxy, and production listens on loopback/);
    assert.match(
      unnamed.service.said.join('\n'),
      /Warning: PARCELA_TRUSTED_PROXIES says that there is no proxy/,
    );
    const secure = await fetch(`${unnamed.service.gatewayUrl}/health/live`, {
      headers: { 'x-forwarded-proto': 'https' },
    });
    assert.equal(secure.headers.get('strict-transport-security'), null, 'nobody is believed');
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'forged.example' };
    const docs = await fetch(`${unnamed.service.gatewayUrl}/docs`, { headers: forwarded });
    const page = await docs.text();
    assert.ok(page.includes(`URL=${unnamed.service.gatewayUrl} `));
    // What makes trouble in homologation is nothing special here, and is not shown.
    assert.doesNotMatch(page, /reject@test\.com|4000050000000114|\/homologation\//);
  } finally {
    await unnamed.close();
  }
});
