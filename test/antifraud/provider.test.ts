import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startSimulator } from '../../simulators/antifraud/running-simulator.ts';
import { type Answering, type Listener, startListener } from '../kit/listener.ts';
import { call, logIn, pay, paymentRequest, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { startHereInVain } from '../kit/service-here.ts';

const TOKEN = 'o-token-do-provedor';

let service: TestService;
let token: string;
/** Stands before the simulator, or in its place. */
let provider: Listener;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-test-'));
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, `${TOKEN}\n`);
  simulator = await startSimulator(['--token', TOKEN]);
  provider = await startListener(askSimulator);
  service = await openTestService({
    PARCELA_ANTIFRAUD_URL: `${provider.url}/of/loja/`,
    PARCELA_ANTIFRAUD_TOKEN_FILE: tokenFile,
    PARCELA_ANTIFRAUD_RULES: 'document/hour/attempts/1=reject address/hour/attempts/1=review',
    // What is decided here is decided in time, however slow the machine.
    PARCELA_ANTIFRAUD_PROVIDER_TIMEOUT_MILLISECONDS: '10000',
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: '60000',
  });
  token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
});
after(async () => {
  await service.close();
  await provider.close();
  await simulator.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A connection that is kept may be found closed, and the question be asked again. */
const NO_KEEPING = { connection: 'close' };

const askSimulator: Answering = async ({ method, path, headers, body }) => {
  try {
    const answer = await fetch(simulator.url + path.replace('/of/loja', ''), {
      method,
      headers: { authorization: String(headers.authorization) },
      ...(method === 'POST' ? { body } : {}),
    });
    return { status: answer.status, headers: NO_KEEPING, body: await answer.text() };
  } catch {
    // It ended before it answered, as it is asked to for one of the buyers.
    return 'hang';
  }
};

/** The questions about sales that the provider got since this is called. */
function questions(): () => Record<string, unknown>[] {
  const before = provider.received.length;
  return () => {
    const asked = provider.received.slice(before).filter(({ path }) => path.endsWith('/decisions'));
    return asked.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  };
}

async function payAs(customer: Record<string, string>) {
  const { request, reply } = await pay(service.gatewayUrl, token, 1_000, { customer });
  const path = `/homologation/acquirer/charges?reference=${request.referenceTransaction}`;
  const booked = (await call(service.gatewayUrl, path, { token })).body.items.length as number;
  return { reply, booked, reference: request.referenceTransaction };
}

/** What a payment that was charged shows of its decision. */
async function shownAs(customer: Record<string, string>): Promise<unknown[]> {
  const { reply, booked } = await payAs(customer);
  assert.deepEqual([reply.status, booked], [200, 1], reply.text);
  const { paymentId } = reply.body.paymentAuthorization;
  const { antifraud, antifraudReasons } = (
    await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token })
  ).body;
  return [antifraud, antifraudReasons];
}

const SILENT = ['review', ['provider/silent']];

test('what the provider accepts and reviews is charged, and what it rejects never reaches the acquirer', async () => {
  assert.deepEqual(await shownAs({ email: 'ana@example.com' }), ['accept', []]);
  assert.deepEqual(await shownAs({ email: 'fraud-review@test.com' }), [
    'review',
    ['provider/new-email', 'provider/score-600'],
  ]);
  const { reply, booked, reference } = await payAs({ email: 'fraud-reject@test.com' });
  assert.deepEqual([reply.status, reply.body[0].tag, booked], [402, 'antifraud', 0]);
  const rows = await service.auditor.query('select 1 from transactions where reference_transaction = $1', [
    reference,
  ]);
  assert.deepEqual(rows, []);
});

test('an answer that is none leaves the payment charged and under review', async () => {
  for (const name of ['garbage', 'other', 'unavailable'])
    assert.deepEqual(await shownAs({ email: `fraud-${name}@test.com` }), SILENT, name);
  const text = await (await fetch(service.metricsUrl)).text();
  assert.match(text, /parcela_anti_fraud_provider_call_duration_seconds_count\{result="silent"\} [3-9]/);
});

test('a provider that says nothing until the deadline leaves the payment charged and under review', async () => {
  assert.deepEqual(await shownAs({ email: 'fraud-silent@test.com' }), SILENT);
});

test('while the answer about one sale does not come, sales beside it are decided', async () => {
  const held = Promise.withResolvers<void>();
  const isAsked = Promise.withResolvers<void>();
  provider.answerWith(async (asked, before) => {
    if (!asked.body.includes('held@example.com')) return askSimulator(asked, before);
    isAsked.resolve();
    await held.promise;
    return askSimulator(asked, before);
  });
  const slow = payAs({ email: 'held@example.com' });
  await isAsked.promise;
  assert.deepEqual(await shownAs({ email: 'beside@example.com' }), ['accept', []]);
  held.resolve();
  assert.equal((await slow).reply.status, 200);
  provider.answerWith(askSimulator);
});

test('a connection that breaks is tried again, once; a provider that breaks all of them was silent', async () => {
  const asked = questions();
  provider.answerWith('reset');
  assert.deepEqual(await shownAs({ email: 'ana@example.com' }), SILENT);
  const [first, again, ...more] = asked();
  assert.deepEqual([again, more], [first, []]);
  let broken = 0;
  provider.answerWith((question, before) => {
    broken += 1;
    return broken === 1 ? 'reset' : askSimulator(question, before);
  });
  assert.deepEqual(await shownAs({ email: 'ana@example.com' }), ['accept', []]);
  provider.answerWith(askSimulator);
});

test('a provider that refuses the token, or sends the question elsewhere, was silent', async () => {
  const location = `${simulator.url}/decisions`;
  for (const [status, headers] of [
    [401, NO_KEEPING],
    [302, { ...NO_KEEPING, location }],
  ] as const) {
    const asked = questions();
    provider.answerWith({ status, headers });
    assert.deepEqual(await shownAs({ email: 'ana@example.com' }), SILENT);
    assert.equal(asked().length, 1);
  }
  provider.answerWith(askSimulator);
});

test('rules come first: what they reject the provider is not asked, and a stricter word of the provider holds', async () => {
  const buyer = { documentNumber: '529.982.247-25' };
  assert.equal((await payAs(buyer)).reply.status, 200);
  const asked = questions();
  assert.equal((await payAs(buyer)).reply.status, 402);
  assert.deepEqual(asked(), []);
  const address = { ipAddress: '203.0.113.7' };
  assert.deepEqual(await shownAs({ ...address, email: 'ana@example.com' }), ['accept', []]);
  assert.deepEqual(await shownAs({ ...address, email: 'ana@example.com' }), [
    'review',
    ['address/hour/attempts'],
  ]);
  assert.equal((await payAs({ ...address, email: 'fraud-reject@test.com' })).reply.status, 402);
});

test('the provider gets the sale and the buyer as sent, and nothing of the card that could pay', async () => {
  const customer = {
    firstName: 'Ana',
    email: 'ana@example.com',
    phoneNumber: '1140000000',
    zipCode: '1',
  };
  const asked = questions();
  const { request, reply } = await pay(service.gatewayUrl, token, 1_000, { customer });
  assert.equal(reply.status, 200, reply.text);
  const [question, ...more] = asked() as [Record<string, unknown>, ...unknown[]];
  assert.deepEqual(more, [], 'once');
  const {
    askedAt,
    card,
    customer: sent,
    session,
    ...rest
  } = question as Record<string, Record<string, unknown>>;
  assert.deepEqual(rest, {
    transactionId: reply.body.paymentAuthorization.paymentId,
    merchantId: (await service.demo()).merchantId,
    merchantReference: request.referenceTransaction,
    amount: 1_000,
    installments: 1,
    antiFraudCode: request.sellerInfo.codeAntiFraud,
    split: null,
  });
  assert.ok(!Number.isNaN(Date.parse(String(askedAt))));
  const { fingerprints, ...shown } = card as Record<string, unknown>;
  const [firstSix, lastFour] = [TEST_CARD.slice(0, 6), TEST_CARD.slice(-4)];
  assert.deepEqual(shown, { brand: 'mastercard', firstSix, lastFour, isStored: false });
  assert.match(String((fingerprints as string[])[0]), /^[\w-]{43}$/);
  const given = Object.entries(sent as object).filter(([, value]) => value !== null);
  assert.deepEqual(Object.fromEntries(given), customer);
  assert.deepEqual(session, { addressFingerprints: [], deviceFingerprints: [] });
  const texts = provider.received.map(({ body }) => body).join();
  for (const secret of [TEST_CARD, request.cardInfo.numberToken, '"securityCode"', 'ANA SOUZA'])
    assert.ok(!texts.includes(secret), secret);
  assert.equal(provider.received.at(-1)?.headers.authorization, `Bearer ${TOKEN}`);
});

test('a request that is sent again with its key is not decided again', async () => {
  const body = paymentRequest(await tokenize(service.gatewayUrl, token), 1_000);
  const headers = { 'idempotency-key': randomUUID() };
  const asked = questions();
  for (const time of ['first', 'again']) {
    const reply = await call(service.gatewayUrl, '/v1/payments', { token, body, headers });
    assert.equal(reply.status, 200, `${time}: ${reply.text}`);
  }
  assert.equal(asked().length, 1);
});

test('a provider that is away keeps no service from starting, and what its silence means is a setting', async () => {
  const away = await startListener();
  await away.close();
  const other = await openTestService({
    PARCELA_ANTIFRAUD_URL: away.url,
    PARCELA_ANTIFRAUD_WHEN_SILENT: 'reject',
  });
  const itsToken = await logIn(other.gatewayUrl, (await other.demo()).gateway);
  const { reply } = await pay(other.gatewayUrl, itsToken, 1_000);
  assert.deepEqual([reply.status, reply.body[0].tag], [402, 'antifraud'], reply.text);
  const accepted = await pay(other.gatewayUrl, itsToken, 1_000, { customer: { email: 'accept@test.com' } });
  assert.equal(accepted.reply.status, 200, 'the triggers of homologation come first');
  await other.close();
});

test('settings of a provider that cannot be meant refuse to start, and are named', async () => {
  for (const [settings, wanted] of [
    [{ PARCELA_ANTIFRAUD_URL: 'http://antifraud.example' }, /PARCELA_ANTIFRAUD_URL: must start with https/],
    [{ PARCELA_ANTIFRAUD_TOKEN_FILE: '/x' }, /PARCELA_ANTIFRAUD_TOKEN_FILE: has no effect without/],
    [
      {
        PARCELA_ANTIFRAUD_URL: 'https://antifraud.example',
        PARCELA_ANTIFRAUD_PROVIDER_TIMEOUT_MILLISECONDS: '5000',
      },
      /PARCELA_ANTIFRAUD_PROVIDER_TIMEOUT_MILLISECONDS: .* must fit into/,
    ],
  ] as const) {
    const { code, said } = await startHereInVain({ PARCELA_DATA_DIR: folder, ...settings });
    assert.equal(code, 1);
    assert.match(said, wanted);
  }
});
