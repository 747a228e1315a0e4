import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openProxy } from '../../examples/adiq-proxy/proxy.ts';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import {
  isGenuine,
  NoAnswer,
  openParcela,
  type Parcela,
  ParcelaError,
} from '../../packages/client/src/index.ts';
import type { PaymentRequest } from '../../packages/client/src/operations.ts';
import { addDays, instant, saoPauloDay } from '../../src/values/instant.ts';
import { cleanEnvironment, openTestService, type TestService } from '../kit/service.ts';
import { snippetVectors } from '../webhooks/snippet-vectors.ts';
import { type LosingProxy, openLosingProxy } from './losing-proxy.ts';

/** The client for TypeScript against the service, through a proxy that loses what it is told to. */

let service: TestService;
let proxy: LosingProxy;
let demo: Demo;
let parcela: Parcela;

before(async () => {
  service = await openTestService();
  proxy = await openLosingProxy(service.gatewayUrl);
  demo = await service.demo();
  parcela = openParcela({ url: proxy.url, logins: demo });
});
beforeEach(() => proxy.loseNothing());
after(async () => {
  proxy?.close();
  await service?.close();
});

async function order(amount: number): Promise<PaymentRequest & { readonly referenceTransaction: string }> {
  const [card] = await parcela.tokenizeCard({ body: { cardNumber: '5155901222280001' } });
  return {
    payment: { transactionType: 'credit', amount, productType: 'avista', installments: 1 },
    referenceTransaction: `PEDIDO-${randomUUID().slice(0, 13)}`,
    sellerInfo: { codeAntiFraud: randomUUID() },
    cardInfo: {
      numberToken: card?.numberToken,
      cardholderName: 'ANA SOUZA',
      securityCode: '123',
      brand: 'mastercard',
      expirationMonth: '12',
      expirationYear: '39',
    },
  };
}

const newPlan = () =>
  parcela.createPlan({
    body: {
      ...{ name: 'Clube', description: 'Um livro por mês', amount: 49.9, planType: 'Monthly' },
      paymentMethod: 'CreditCard',
    },
  });
const paymentsOf = async (referenceTransaction: string) =>
  (await parcela.listPayments({ referenceTransaction })).items;
const sentTo = (path: string) => proxy.seen.filter((line) => line === `POST ${path}`).length;

test('an answer that is lost is asked for again with the same key: one charge', async () => {
  const body = await order(12_990);
  const before = sentTo('/v1/payments');
  proxy.lose('/v1/payments', 'answerLost', 'badGateway', 'lost');
  const { paymentAuthorization } = await parcela.createPayment({ body });
  assert.equal(sentTo('/v1/payments') - before, 4);
  const found = await paymentsOf(body.referenceTransaction);
  assert.deepEqual(
    found.map(({ paymentId }) => paymentId),
    [paymentAuthorization.paymentId],
  );
});

test('a caller who keeps the key charges once, also from another program', async () => {
  const body = await order(4_990);
  const idempotencyKey = `${body.referenceTransaction}-1`;
  const first = await parcela.createPayment({ body }, { idempotencyKey });
  const other = openParcela({ url: service.gatewayUrl, logins: demo });
  const again = await other.createPayment({ body }, { idempotencyKey });
  assert.equal(again.paymentAuthorization.paymentId, first.paymentAuthorization.paymentId);
});

test('a decline says what the buyer can do, and is not repeated', async () => {
  const before = sentTo('/v1/payments');
  const body = await order(1_051);
  const refusal = await parcela.createPayment({ body }).catch((error: unknown) => error);
  assert.ok(refusal instanceof ParcelaError, String(refusal));
  assert.deepEqual([refusal.isDecline, refusal.mayBeDone], [true, false]);
  assert.ok(refusal.problems[0]?.buyerMessage && refusal.paymentId && refusal.requestId);
  assert.equal(sentTo('/v1/payments') - before, 1);
});

test('a fault of the request names its fields, in the language that was chosen', async () => {
  const english = openParcela({ url: service.gatewayUrl, logins: demo, language: 'en' });
  const body = { ...(await order(100)), payment: { transactionType: 'credit' } } as unknown as PaymentRequest;
  await assert.rejects(english.createPayment({ body }), (error: ParcelaError) => {
    assert.equal(error.status, 400);
    assert.match(error.message, /payment\.amount: This field is required/);
    return true;
  });
});

test('a call without any answer ends in time, and says that it may be done', async () => {
  const hurried = openParcela({ url: proxy.url, logins: demo, patienceMilliseconds: 1_500 });
  const body = await order(7_990);
  await hurried.listTrialCards();
  proxy.lose('/v1/payments', ...Array.from({ length: 9 }, () => 'answerLost' as const));
  const lost = await hurried.createPayment({ body }).catch((error: unknown) => error);
  assert.ok(lost instanceof NoAnswer, String(lost));
  assert.equal(lost.mayBeDone, true);
  const again = openParcela({ url: service.gatewayUrl, logins: demo });
  const { idempotencyKey } = lost;
  assert.ok(idempotencyKey);
  const { paymentAuthorization } = await again.createPayment({ body }, { idempotencyKey });
  const found = await again.listPayments({ referenceTransaction: body.referenceTransaction });
  assert.deepEqual(
    found.items.map(({ paymentId }) => paymentId),
    [paymentAuthorization.paymentId],
  );
});

test('a token that is not taken any more is asked for anew, once for all calls', async () => {
  let authorization: string | null = null;
  const recording: typeof fetch = (request, options) => {
    authorization = (request as Request).headers.get('authorization');
    return fetch(request, options);
  };
  const mine = openParcela({ url: proxy.url, logins: demo, fetch: recording });
  await mine.listTrialCards();
  const headers = { authorization: String(authorization) };
  assert.equal(
    (await fetch(`${service.gatewayUrl}/api/auth/logout`, { method: 'POST', headers })).status,
    200,
  );
  const before = sentTo('/api/auth/token');
  await Promise.all(Array.from({ length: 8 }, () => mine.listTrialCards()));
  assert.equal(sentTo('/api/auth/token') - before, 1);
});

test('a login that is refused is not tried for ever', async () => {
  const gateway = { ...demo.gateway, password: 'wrong' };
  const stranger = openParcela({ url: service.gatewayUrl, logins: { gateway } });
  await assert.rejects(stranger.listTrialCards(), (error: ParcelaError) => {
    assert.equal(error.status, 401);
    return true;
  });
  await assert.rejects(stranger.listPlans(), /logins\.recurrence is missing/);
});

test('what can be done twice is not repeated without an answer', async () => {
  const planId = await newPlan();
  const path = `/v1/recurrences/plans/${planId}/status`;
  proxy.lose(path, 'answerLost');
  const lost = await parcela
    .changePlanStatus({ planId, body: { status: 'Inactive' } })
    .catch((error: unknown) => error);
  assert.ok(lost instanceof NoAnswer, String(lost));
  assert.deepEqual([lost.mayBeDone, lost.idempotencyKey, sentTo(path)], [true, null, 1]);
  assert.equal((await parcela.getPlan({ planId })).status, 'Inactive');
});

test('lists are read to their end, page after page', async () => {
  const wanted = new Set<string>();
  const vaultIds = new Set<string>();
  for (let made = 0; made < 3; made += 1) {
    const body = await order(2_500 + made);
    const { paymentAuthorization } = await parcela.createPayment({ body });
    wanted.add(paymentAuthorization.nsu);
    const [card] = await parcela.tokenizeCard({ body: { cardNumber: '5155901222280001' } });
    const { securityCode: _, numberToken: __, ...holder } = body.cardInfo;
    const { vaultId } = await parcela.storeVaultCard({
      body: { ...holder, numberToken: card?.numberToken } as never,
    });
    vaultIds.add(vaultId);
  }
  for await (const { nsu } of parcela.each('listMovements', { accountNumber: '1000001', limit: 2 }))
    wanted.delete(nsu);
  for await (const { vaultId } of parcela.each('listVaultCards', { limit: 2 })) vaultIds.delete(vaultId);
  assert.deepEqual([wanted, vaultIds], [new Set(), new Set()]);
});

test('what a program gets wrong is said before anything is sent', async () => {
  const body = await order(100);
  const before = proxy.seen.length;
  const wrong: [Promise<unknown>, RegExp][] = [
    [
      parcela.createPayment({ body, idempotencyKey: 'K' } as never),
      /createPayment is not given idempotencyKey/,
    ],
    [parcela.createPayment({ body }, { idempotencyKey: '' }), /takes no such idempotencyKey/],
    [parcela.createPayment({ body: { ...body, amount: 1n } } as never), /BigInt/],
    [parcela.listPlans({}, { idempotencyKey: 'K' }), /takes no such idempotencyKey/],
    [parcela.getPayment({ paymentId: '..' }), /paymentId names nothing/],
    [parcela.getPayment({} as never), /lacks a part/],
  ];
  for (const [called, said] of wrong) await assert.rejects(called, said);
  assert.equal(proxy.seen.length, before);
});

test('a proxy that answers JSON of its own gives no answer', async () => {
  const body = await order(3_300);
  proxy.lose('/v1/payments', 'otherJson');
  const { paymentAuthorization } = await parcela.createPayment({ body });
  const found = await paymentsOf(body.referenceTransaction);
  assert.deepEqual(
    found.map(({ paymentId }) => paymentId),
    [paymentAuthorization.paymentId],
  );
});

test('an aborted call ends at once', async () => {
  const stopping = new AbortController();
  proxy.lose('/v1/payments', ...Array.from({ length: 9 }, () => 'lost' as const));
  const body = await order(100);
  const called = parcela.createPayment({ body }, { signal: stopping.signal });
  stopping.abort(new Error('the program ends'));
  await assert.rejects(called, /the program ends/);
});

test('a notification is judged as the receivers of the page judge it', async () => {
  const { now, vectors } = snippetVectors();
  for (const { name, secret, headers, body, isGenuine: wanted } of vectors) {
    const received = { headers, body: Buffer.from(body), secret, now: now * 1_000 };
    assert.equal(await isGenuine(received), wanted, name);
    assert.equal(await isGenuine({ ...received, headers: new Headers(headers) }), wanted, name);
  }
});

test('the program of the README charges, and says what became of an order', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-client-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const page = await readFile(new URL('../../packages/client/README.md', import.meta.url), 'utf8');
  const program = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  assert.ok(program.split('\n').length < 40, 'a shop in under forty lines');
  const client = new URL('../../packages/client/src/index.ts', import.meta.url).href;
  const file = join(folder, 'charge.mjs');
  await writeFile(file, program.replace("'@parcela/client'", JSON.stringify(client)));
  Object.assign(process.env, { PARCELA_URL: proxy.url, PARCELA_LOGINS: JSON.stringify(demo) });
  const { charge } = await import(pathToFileURL(file).href);
  const { cardInfo, referenceTransaction: id } = await order(1);
  const { numberToken: _, ...holder } = cardInfo;
  const asked = { id, card: '5155901222280001', holder, session: randomUUID() };
  proxy.lose('/v1/payments', 'answerLost');
  const paid = await charge({ ...asked, amount: 12_990 });
  assert.equal(paid.state, 'paid');
  assert.deepEqual(await charge({ ...asked, amount: 12_990 }), paid);
  const declined = await charge({ ...asked, id: `${id}-2`, amount: 1_051 });
  assert.deepEqual([declined.state, typeof declined.message], ['declined', 'string']);
});

test('by the example of a proxy a client of the acquirer Adiq logs in, pays, captures, cancels and asks', async (t) => {
  const adiq = await openProxy({ parcela: proxy.url, port: 0 });
  t.after(adiq.close);
  const { userName, password } = demo.gateway;
  const basic = `Basic ${Buffer.from(`${userName}:${password}`).toString('base64')}`;
  let authorization = basic;
  const send = async (method: string, path: string, body?: object | string, more: object = {}) => {
    const answered = await fetch(`${adiq.url}${path}`, {
      ...{ method, headers: { authorization, 'content-type': 'application/json', ...more } },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: of another dialect, which no schema here describes.
    return { status: answered.status, body: (await answered.json()) as any };
  };
  const login = await send('POST', '/auth/oauth2/v1/token', { grantType: 'client_credentials' });
  assert.deepEqual([login.status, login.body.tokenType, login.body.expiresIn], [200, 'Bearer', 3_600]);
  authorization = `Basic ${Buffer.from(`${userName}:wrong`).toString('base64')}`;
  const refused = await send('POST', '/auth/oauth2/v1/token', { grantType: 'client_credentials' });
  assert.deepEqual([refused.status, refused.body.error], [401, 'invalid_client']);
  authorization = `Bearer ${login.body.accessToken}`;
  const orderNumber = randomUUID().slice(0, 13);
  const saleBody = async (terms: object, order = orderNumber) => {
    const token = await send('POST', '/v1/tokens/cards', { cardNumber: '5155901222280001' });
    return {
      Payment: {
        TransactionType: 'Credit',
        CurrencyCode: 'BRL',
        productType: 'avista',
        installments: 1,
        ...terms,
      },
      cardInfo: {
        ...{ numberToken: token.body.numberToken, brand: 'MASTERCARD', cardholderName: 'JOSE SILVA' },
        ...{ securityCode: 123, expirationMonth: '12', expirationYear: '39' },
      },
      sellerInfo: { orderNumber: order },
      sellers: [],
    };
  };
  const sale = async (terms: object, version = 'v1') =>
    send('POST', `/${version}/payments`, await saleBody(terms));
  const declined = await sale({ amount: 1_051, captureType: 'ac' });
  assert.deepEqual([declined.status, declined.body[0].tag], [402, '51']);
  const { body: held } = await sale({ amount: 5_000, captureType: 'pa' }, 'v2');
  const { paymentId, returnCode, orderNumber: echoed } = held.paymentAuthorization;
  assert.deepEqual([returnCode, echoed], ['0', orderNumber]);
  const captured = await send('PUT', `/v1/payments/${paymentId}/capture`, { amount: 4_000 });
  assert.deepEqual(captured.body.captureAuthorization.amount, 4_000, JSON.stringify(captured));
  assert.equal((await send('PUT', `/v1/payments/${paymentId}/cancel`, { value: 700 })).status, 400);
  const canceled = await send('PUT', `/v1/payments/${paymentId}/cancel`, { amount: 1_000 });
  const { returnCode: done, amount } = canceled.body.cancelAuthorization;
  assert.deepEqual([done, amount], ['0', 1_000]);
  // A decline and one given back have the same order: who asks by it hears of what stands.
  const { paymentAuthorization: second } = (await sale({ amount: 2_000, captureType: 'ac' })).body;
  assert.equal((await send('PUT', `/v1/payments/${second.paymentId}/cancel`, { amount: 2_000 })).status, 200);
  const [before, day, next, late] = [-1, 0, 1, 2].map((days) =>
    addDays(saoPauloDay(instant(Date.now())), days).replaceAll('-', ''),
  );
  for (const path of [
    `/v2/payments/${paymentId}`,
    ...[before, day, next].map((one) => `/v1/payments/${orderNumber}/${one}`),
  ]) {
    const { paymentAuthorization } = (await send('GET', path)).body;
    assert.deepEqual(
      [paymentAuthorization.paymentId, paymentAuthorization.returnCode],
      [paymentId, '0'],
      path,
    );
  }
  assert.equal((await send('GET', `/v1/payments/none/${day}`)).status, 404);
  assert.equal((await send('GET', `/v1/payments/${orderNumber}/${late}`)).status, 404);
  assert.equal((await send('GET', `/v1/payments/%E0%A4%A/${day}`)).status, 400);
  const twice = await send('POST', '/v1/payments', '{"payment":{"amount":100,"amount":200}}');
  assert.deepEqual([twice.status, twice.body[0].tag], [400, 'payment.amount']);
  const digits = await send('POST', '/v1/payments', await saleBody({ amount: 900 }, '4222222222222'));
  assert.deepEqual([digits.status, digits.body[0].tag], [400, 'sellerInfo.orderNumber']);
  const key = { 'idempotency-key': randomUUID() };
  const keyed = await saleBody({ amount: 700, captureType: 'pa' });
  proxy.lose('/v1/payments', 'answerLost');
  await assert.rejects(send('POST', '/v1/payments', keyed, key), /fetch failed/);
  const [first, again] = [
    await send('POST', '/v1/payments', keyed, key),
    await send('POST', '/v1/payments', keyed, key),
  ].map(({ body }) => body.paymentAuthorization.paymentId);
  assert.equal(first, again);
  const { cardInfo: vaulted } = await saleBody({});
  const { securityCode: _, brand: Brand, ...named } = vaulted;
  const stored = await send('POST', '/v1/vaults/cards', { ...named, Brand });
  assert.deepEqual([stored.status, stored.body.brand, stored.body.last4], [200, 'mastercard', '0001']);
  for (const [method, path, body] of [
    ['PUT', `/v1/payments/${first}/capture`, { amount: 700 }],
    ['GET', `/v1/payments/${orderNumber}/${day}`, undefined],
    ['POST', '/v1/vaults/cards', { ...named, Brand }],
  ] as const) {
    proxy.lose(method === 'POST' ? path : '/v1/payments', 'page');
    await assert.rejects(send(method, path, body), /fetch failed/, path);
  }
  for (const loss of ['lost', 'otherJson', 'page'] as const) {
    proxy.lose('/v1/payments', loss);
    await assert.rejects(sale({ amount: 5_000, captureType: 'ac' }), /fetch failed/, 'no answer is no error');
  }
  const { userName: other, password: its } = demo.recurrence;
  authorization = `Basic ${Buffer.from(`${other}:${its}`).toString('base64')}`;
  authorization = `Bearer ${(await send('POST', '/auth/oauth2/v1/token')).body.accessToken}`;
  assert.equal((await send('GET', '/v1/recurrence/plans')).status, 200);
});

const LANGUAGES = [
  { language: 'Python', program: 'python3', file: 'scenario.py', folder: 'python' },
  { language: 'PHP', program: 'php', file: 'scenario.php', folder: 'php' },
] as const;

for (const { language, program, file, folder } of LANGUAGES) {
  const isThere = spawnSync(program, ['--version']).status === 0;
  test(`the client for ${language} does the same`, {
    skip: isThere ? false : `${program} is not installed`,
  }, async () => {
    const { cardInfo, ...payment } = await order(12_990);
    const { numberToken: _, ...card } = cardInfo;
    const planId = await newPlan();
    const statusPath = `/v1/recurrences/plans/${planId}/status`;
    const { now, vectors } = snippetVectors();
    const before = [sentTo('/v1/payments'), sentTo(statusPath)] as const;
    proxy.lose('/v1/payments', 'answerLost', 'badGateway', 'lost');
    proxy.lose(statusPath, 'answerLost');
    const told = await runScenario(program, file, folder, {
      ...{ url: proxy.url, logins: demo, planId, now, vectors },
      ...{ key: `${payment.referenceTransaction}-1`, payment: { ...payment, cardInfo: card } },
    });
    const [paid, declined] = (await paymentsOf(payment.referenceTransaction)).toReversed();
    assert.deepEqual([told.paid, told.found], [paid?.paymentId, [paid?.paymentId]]);
    assert.equal(declined?.statusDescription, 'Negada');
    assert.deepEqual(told.decline, [402, true, false, true, true]);
    assert.deepEqual(told.lost, [true, null]);
    // Three that were lost, one that was answered, one that was declined.
    assert.deepEqual([sentTo('/v1/payments') - before[0], sentTo(statusPath) - before[1]], [5, 1]);
    assert.ok(Number(told.movements) > 2, `${told.movements} movements`);
    assert.deepEqual(
      told.verdicts,
      vectors.map((one) => one.isGenuine),
    );
  });
}

async function runScenario(
  program: string,
  file: string,
  folder: string,
  plan: object,
): Promise<Record<string, unknown>> {
  const scenario = fileURLToPath(new URL(file, import.meta.url));
  const clientFolder = fileURLToPath(new URL(`../../clients/${folder}`, import.meta.url));
  const environment = cleanEnvironment({ CLIENT_FOLDER: clientFolder, PYTHONDONTWRITEBYTECODE: '1' });
  const child = spawn(program, [scenario], { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(plan));
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, 'close');
  assert.equal(code, 0, Buffer.concat(chunks).toString());
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
}
