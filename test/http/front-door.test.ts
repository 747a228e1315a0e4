import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { FAMILY } from '../../src/app/family.ts';
import { call, logIn, pay, paymentRequest } from '../kit/merchant.ts';
import { patiently } from '../kit/patience.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { ENDPOINTS } from '../published.ts';

let service: TestService;
let gateway: string;
let recurrence: string;
let integration: string;
let url: string;

before(async () => {
  service = await openTestService();
  url = service.gatewayUrl;
  const demo = await service.demo();
  gateway = await logIn(url, demo.gateway);
  recurrence = await logIn(url, demo.recurrence);
  integration = await logIn(service.integrationUrl, demo.integration, '/api/authentication/login');
});
after(() => service.close());

/** Sends bytes as they are and gives everything that comes back until the connection ends. */
function exchange(bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.setTimeout(patiently(25_000), () => socket.destroy(new Error('no end came')));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.write(bytes);
  });
}

const protectedPaths = ENDPOINTS.filter((endpoint) => endpoint.scope !== null);

test('every protected endpoint, and every path that does not exist, answers 401 with an empty body without a token', async () => {
  for (const { method, path } of [
    ...protectedPaths,
    { method: 'GET', path: '/nowhere' },
    { method: 'PUT', path: '/' },
  ]) {
    for (const token of [null, 'x', 'A'.repeat(43), 'A'.repeat(5_000)]) {
      const reply = await call(url, path, {
        method,
        token,
        ...(method === 'GET' ? {} : { raw: '{"broken' }),
      });
      assert.equal(reply.status, 401, `${method} ${path}`);
      assert.equal(reply.text, '');
      assert.ok(reply.headers.get('x-request-id'));
    }
  }
});

test('a malformed URL is refused like an unknown path: 401 without a token, 400 with one', async () => {
  const { host } = new URL(url);
  const without = await exchange(`GET /%zz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  assert.match(without, /^HTTP\/1\.1 401 /);
  const authorization = `Authorization: Bearer ${gateway}`;
  const withToken = await exchange(
    `GET /%zz HTTP/1.1\r\nHost: ${host}\r\n${authorization}\r\nConnection: close\r\n\r\n`,
  );
  assert.match(withToken, /^HTTP\/1\.1 400 /);
});

test('two Authorization headers are no authorization', async () => {
  const { host } = new URL(url);
  const one = `Authorization: Bearer ${gateway}\r\n`;
  const answer = await exchange(
    `GET /v1/cards/public-key HTTP/1.1\r\nHost: ${host}\r\n${one}${one}Connection: close\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1\.1 401 /);
});

test('a token of one API is not taken by the other', async () => {
  assert.equal((await call(url, '/v1/cards/public-key', { token: integration })).status, 401);
  assert.equal((await call(url, '/v1/cards/public-key', { token: gateway })).status, 200);
  assert.equal((await call(url, '/homologation/acquirer/charges', { token: integration })).status, 200);
});

test('a credential without the scope is forbidden', async () => {
  const reply = await call(url, '/v1/cards/public-key', { token: recurrence });
  assert.equal(reply.status, 403);
  assert.equal(reply.body[0].tag, 'gateway', 'the scope that is missing');
  assert.match(reply.body[0].description, /escopo gateway/);
});

test('a charge by hand, which takes no fields, does not ignore one', async () => {
  const path = `/v1/recurrences/billing/${randomUUID()}/charge`;
  const ask = (body: object) => call(url, path, { token: recurrence, body });
  const refused = await ask({ amount: 100 });
  assert.deepEqual([refused.status, refused.body[0].tag], [400, 'amount'], refused.text);
  for (const body of [{}, []]) assert.equal((await ask(body)).status, 404);
  assert.equal((await call(url, path, { method: 'POST', token: recurrence })).status, 404);
});

test('every method that Node parses is 405 with Allow on a known path, with a token or where none is needed', async () => {
  const statusOf = async (method: string, path: string, token: string) =>
    exchange(
      `${method} ${path} HTTP/1.1\r\nHost: a.example\r\n${token}Connection: close\r\nContent-Length: 0\r\n\r\n`,
    );
  const others = METHODS.filter((method) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(method));
  assert.ok(others.includes('QUERY') && others.includes('PROPFIND'));
  for (const method of others) {
    const ofPayments = await statusOf(method, '/v1/payments', `Authorization: Bearer ${gateway}\r\n`);
    assert.match(ofPayments, /^HTTP\/1\.1 405 [\s\S]*\r\nallow: (?=.*GET)(?=.*HEAD)(?=.*POST)/i, method);
    assert.match(
      await statusOf(method, '/health/live', ''),
      /^HTTP\/1\.1 405 [\s\S]*\r\nallow: GET, HEAD/i,
      method,
    );
  }
});

test('a login that fails says what is missing, and a NUL is refused in an unknown field too', async () => {
  for (const path of ['/api/auth/token', '/api/authentication/login']) {
    const { status, headers } = await call(url, path, { body: { userName: 'nobody', password: 'x' } });
    assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer']);
  }
  const raw = '{"desconhecido":"a\\u0000b"}';
  const { status, body } = await call(url, '/v1/antifraud/sessions', { method: 'POST', token: gateway, raw });
  assert.deepEqual([status, body[0].tag], [400, 'desconhecido']);
});

test('a known path with another method is 405, an unknown path is 404', async () => {
  const reply = await call(url, '/v1/payments', { method: 'PUT', token: gateway, raw: '{}' });
  assert.equal(reply.status, 405);
  assert.equal(reply.headers.get('allow'), 'POST, GET, HEAD');
  const unknownPath = await call(url, '/v1/nothing', { token: gateway });
  const unknownId = await call(url, `/v1/payments/${randomUUID()}`, { token: gateway });
  assert.deepEqual([unknownPath.status, unknownId.status], [404, 404]);
  assert.match(unknownPath.body[0].description, /caminho/);
  assert.notEqual(unknownPath.body[0].description, unknownId.body[0].description);
});

test('HEAD is answered as GET is, without the body', async () => {
  const { reply } = await pay(url, gateway, 1000);
  const payment = `/v1/payments/${reply.body.paymentAuthorization.paymentId}`;
  for (const path of [
    '/v1/cards/public-key',
    payment,
    '/v1/payments/none',
    '/health/live',
    '/docs',
    '/openapi.json',
  ]) {
    const headers = { authorization: `Bearer ${gateway}` };
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => fetch(url + path, { method, headers })),
    );
    assert.ok(get !== undefined && head !== undefined);
    assert.equal(head.status, get.status, path);
    for (const name of ['content-type', 'content-length', 'cache-control', 'content-security-policy'])
      assert.equal(head.headers.get(name), get.headers.get(name), `${name} of ${path}`);
    assert.equal(await head.text(), '');
    assert.notEqual(await get.text(), '');
  }
  assert.equal((await fetch(`${url}/v1/cards/public-key`, { method: 'HEAD' })).status, 401);
  assert.equal((await call(url, '/v1/cards/tokenization', { method: 'HEAD', token: gateway })).status, 405);
});

test('a browser at the door is led to the console, or to the documents; a program, and any other path, meets no more than before', async () => {
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  for (const [path, place] of [
    ['/', '/console'],
    ['/docs/', '/docs'],
  ]) {
    const led = await fetch(url + path, { headers, redirect: 'manual' });
    assert.deepEqual([led.status, led.headers.get('location'), await led.text()], [302, place, '']);
    assert.equal((await fetch(url + path)).status, 401);
  }
  assert.equal((await fetch(`${url}/v1/`, { headers })).status, 401);
  assert.equal((await fetch(`${url}/`, { method: 'POST', headers })).status, 401);
});

test('malformed JSON is reported by line and column, in both languages, and nothing of it is shown', async () => {
  const raw = '{\n  "payment": {\n    "amount": 12x90 }\n}';
  const reported = async (language: string) => {
    const headers = { 'accept-language': language };
    return (await call(url, '/v1/payments', { token: gateway, raw, headers })).body[0].description;
  };
  assert.equal(await reported('pt-BR'), 'O corpo não é um JSON válido: linha 3, coluna 17.');
  assert.equal(await reported('en'), 'The body is not valid JSON: line 3, column 17.');
});

test('an unknown path and a wrong method are reported before the body is looked at', async () => {
  const headers = { 'content-type': 'text/plain' };
  assert.equal((await call(url, '/nope', { method: 'POST', token: gateway, raw: 'x', headers })).status, 404);
  assert.equal(
    (await call(url, '/v1/payments', { method: 'PUT', token: gateway, raw: 'x', headers })).status,
    405,
  );
  assert.equal((await call(url, `/v1/payments/${'x'.repeat(500)}`, { token: gateway })).status, 404);
});

test('a body that is not JSON by its type is 415; without a body the type does not matter', async () => {
  for (const type of ['text/plain', 'application/xml', 'application/json; charset=latin1']) {
    const reply = await call(url, '/v1/payments', {
      token: gateway,
      raw: '{}',
      headers: { 'content-type': type },
    });
    assert.equal(reply.status, 415, type);
  }
  const zipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  assert.equal((await call(url, '/v1/payments', { token: gateway, raw: '{}', headers: zipped })).status, 415);
  const typed = await call(url, '/v1/cards/public-key', {
    token: gateway,
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(typed.status, 200);
  const empty = await call(url, '/v1/payments', {
    method: 'POST',
    token: gateway,
    headers: { 'content-type': 'text/plain' },
  });
  assert.equal(empty.status, 400);
});

test('64 KiB is read, one byte more is 413', async () => {
  const padded = (size: number) =>
    `${JSON.stringify(paymentRequest('x', 1000)).slice(0, -1)},"x":"`.padEnd(size - 2, 'y').concat('"}');
  const whole = await call(url, '/v1/payments', { token: gateway, raw: padded(65_536) });
  assert.equal(whole.status, 400);
  assert.equal(whole.body[0].tag, 'cardInfo.numberToken');
  assert.equal((await call(url, '/v1/payments', { token: gateway, raw: padded(65_537) })).status, 413);
});

const broken: Record<string, [string | Uint8Array<ArrayBuffer>, string]> = {
  'cut off': ['{"payment":', ''],
  'with a name sent twice': ['{"payment":{"amount":1,"amount":2}}', 'payment.amount'],
  'with a name sent twice, once with a capital letter': [
    '{"referenceTransaction":"a","ReferenceTransaction":"b"}',
    'ReferenceTransaction',
  ],
  'with NUL in a text': ['{"referenceTransaction":"a\\u0000b"}', 'referenceTransaction'],
  'with half a surrogate pair': ['{"referenceTransaction":"\\ud800"}', 'referenceTransaction'],
  'with __proto__': ['{"payment":{"__proto__":{"amount":1}}}', 'payment'],
  'that is not UTF-8': [new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), ''],
  'that is a list': ['[]', ''],
  'that is a text': ['"hello"', ''],
  'that is nothing': ['null', ''],
  'nested a thousand deep': ['['.repeat(1_000) + ']'.repeat(1_000), ''],
};
for (const [name, [raw, tag]] of Object.entries(broken)) {
  test(`a body ${name} is refused with 400`, async () => {
    const reply = await call(url, '/v1/payments', { token: gateway, raw });
    assert.equal(reply.status, 400);
    const tags = reply.body.map((error: { tag: string }) => error.tag);
    assert.ok(
      tags.some((reported: string) => reported.startsWith(tag)),
      `${tag} is not in ${tags}`,
    );
  });
}

test('a hundred thousand faults give at most a hundred sentences', async () => {
  const raw = JSON.stringify({
    ...paymentRequest('x', 1000),
    configSplit: Array.from({ length: 20_000 }, () => 0),
  });
  const reply = await call(url, '/v1/payments', { token: gateway, raw });
  assert.equal(reply.status, 400);
  assert.ok(reply.body.length <= 100);
});

test('request smuggling shapes are refused and the connection is closed', async () => {
  const { host } = new URL(url);
  const head = `POST /v1/payments HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${gateway}\r\nContent-Type: application/json\r\n`;
  for (const tail of [
    'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    'Transfer-Encoding: xchunked\r\n\r\n{}',
    'Content-Length : 2\r\n\r\n{}',
  ]) {
    const answer = await exchange(head + tail);
    assert.match(answer, /^HTTP\/1\.1 400 /, JSON.stringify(tail));
    assert.match(answer, /\r\n\r\n\[\{"tag":""/, 'the errors of malformed HTTP have the usual shape');
  }
});

test('a large body that nobody reads does not keep a caller without token connected', async () => {
  const { host } = new URL(url);
  const answer = await exchange(
    `POST /v1/payments HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100000000\r\n\r\n${'x'.repeat(10_000)}`,
  );
  assert.match(answer, /^HTTP\/1\.1 401 /);
  assert.match(answer, /connection: close/i);
});

test('every answer forbids caching and sniffing, and carries the id under which it is logged', async () => {
  const reply = await call(url, `/v1/payments/${randomUUID()}`, { token: gateway });
  assert.equal(reply.headers.get('cache-control'), 'no-store');
  assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.match(reply.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
});

test('the documents are in the language that is asked for, Portuguese unless one is', async () => {
  const languageAt = async (path: string, accept?: string) => {
    const headers = accept === undefined ? {} : { 'accept-language': accept };
    const reply = await call(url, path, { headers });
    assert.match(reply.headers.get('vary') ?? '', /Accept-Language/i);
    const isEnglish = reply.text.includes('Charge a card');
    assert.notEqual(isEnglish, reply.text.includes('Cobrar um cartão'), path);
    assert.equal(reply.headers.get('content-language'), isEnglish ? 'en' : 'pt-BR');
    return isEnglish ? 'en' : 'pt';
  };
  for (const path of ['/docs', '/openapi.json']) {
    assert.equal(await languageAt(path), 'pt');
    assert.equal(await languageAt(path, 'en-US,en;q=0.9'), 'en');
    assert.equal(await languageAt(`${path}?lang=pt`, 'en'), 'pt');
    assert.equal(await languageAt(`${path}?lang=en`, 'pt-BR'), 'en');
    assert.equal((await call(url, `${path}?lang=fr`)).status, 400);
  }
});

test('the examples of the page name the address that it was asked under, and repeat nothing else', async () => {
  const shownFor = async (host: string) => {
    const page = await exchange(`GET /docs?lang=en HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.match(page, /^HTTP\/1\.1 200 /);
    return /URL=(\S+) /.exec(page)?.[1];
  };
  assert.equal(await shownFor('gateway.loja.example'), 'http://gateway.loja.example');
  assert.equal(await shownFor('[::1]:8443'), 'http://[::1]:8443');
  for (const host of ['"><script>alert(1)</script>', 'a.example/path', 'a.example:99999x', '-']) {
    assert.equal(await shownFor(host), 'http://localhost:8080', host);
  }
});

test('the document says where it is served: at the address that it was asked under', async () => {
  const serversFor = async (host: string) => {
    const answer = await exchange(`GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    return /"servers":\[\{"url":"([^"]*)"/.exec(answer)?.[1];
  };
  assert.equal(await serversFor('gateway.loja.example'), 'http://gateway.loja.example');
  assert.equal(await serversFor('[::1]:8443'), 'http://[::1]:8443');
  for (const host of ['a.example/path', '-']) assert.equal(await serversFor(host), '/', host);
});

test('health, metrics and the documents need no token', async () => {
  assert.equal((await call(url, '/health/live')).status, 200);
  assert.equal((await call(url, '/health/ready')).status, 200);
  assert.equal((await call(url, '/openapi.json')).body.openapi.slice(0, 3), '3.1');
  assert.match((await call(url, '/docs')).text, /createPayment/);
  const metrics = await (await fetch(service.metricsUrl)).text();
  assert.match(metrics, /http_server_request_duration_seconds_count\{http_request_method="GET"/);
});

/** Null where none is asked for. */
async function tokenAt(path: string): Promise<string | null> {
  // Its own each time: it is ended.
  if (path === '/api/auth/logout') return logIn(url, (await service.demo()).gateway);
  if (path.startsWith('/api/auth') || path.startsWith('/health')) return null;
  return path.startsWith('/api/') ? integration : gateway;
}

const isSynonym = (method: string, path: string): boolean =>
  FAMILY.some(({ doors = [] }) =>
    doors.some((door) => door.method === method.toUpperCase() && door.path === path),
  );

test('every served route is described, by itself or as a synonym, and every description is served', async () => {
  const { paths } = (await call(url, '/openapi.json')).body as {
    paths: Record<string, Record<string, unknown>>;
  };
  for (const [path, operations] of Object.entries(paths)) {
    for (const method of ['get', 'post', 'delete', 'put', 'patch']) {
      const exact = path.replaceAll(/\{\w+\}/g, randomUUID());
      const token = await tokenAt(path);
      const response = await fetch(url + exact, {
        method: method.toUpperCase(),
        headers: token === null ? {} : { authorization: `Bearer ${token}` },
      });
      const isServed = response.status !== 405;
      assert.equal(
        isServed,
        method in operations || isSynonym(method, path),
        `${method} ${path} answered ${response.status}`,
      );
    }
  }
});
