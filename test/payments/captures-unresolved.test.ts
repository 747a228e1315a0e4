import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { arrive } from '../kit/clock.ts';
import { call, type Reply } from '../kit/merchant.ts';
import { databaseSettings, openService, until } from '../kit/service.ts';
import type { BridgeQuestion, Spoiling } from '../kit/spoiling-acquirer.ts';
import { askToPreauthorize, captureOf, ledgerOf, movementsOf, preauthorize } from './preauthorized.ts';
import { openResolvingService, type ResolvingService } from './resolving-service.ts';

const TIMEOUT = 1_500;
let service: ResolvingService;

before(async () => {
  service = await openResolvingService(TIMEOUT);
});
beforeEach(() => service.bridge.spoil(null));
after(() => service.close());

const capture = (paymentId: string, amount?: number, headers: Record<string, string> = {}) =>
  captureOf(service, paymentId, amount, { headers });

function cancel(paymentId: string, headers: Record<string, string> = {}): Promise<Reply> {
  const { gatewayUrl, token } = service;
  return call(gatewayUrl, `/v1/payments/${paymentId}/cancel`, {
    token,
    body: {},
    headers,
    timeoutMilliseconds: 60_000,
  });
}

function spoil(kind: BridgeQuestion['kind'], how: Spoiling): void {
  service.bridge.spoil((question) => (question.kind === kind ? how : null));
}

function untilShown(paymentId: string, status: string): Promise<unknown> {
  const isShown = async () => (await service.read(paymentId)).statusDescription === status;
  return until(`the payment is ${status}`, isShown, 90_000);
}

const timesAsked = (kind: BridgeQuestion['kind'], from: number) =>
  service.bridge.asked.slice(from).filter((question) => question.kind === kind).length;

test('an authorization of unknown outcome is voided, as any charge whose caller got an error', async () => {
  const { reply } = await askToPreauthorize(service, 1_004);
  assert.equal(reply.status, 500, reply.text);
  const paymentId = reply.headers.get('x-payment-id') as string;
  assert.equal((await capture(paymentId)).status, 409);
  await untilShown(paymentId, 'Desfeita');
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 1_004, status: 'undone' });
});

test('a capture that was booked and not answered is found, and not made twice', async () => {
  const { paymentId } = await preauthorize(service, 10_000, { installments: 2 });
  const from = service.bridge.asked.length;
  spoil('capture', 'garbage');
  const key = { 'idempotency-key': randomUUID() };
  const lost = await capture(paymentId, 7_000, key);
  assert.equal(lost.status, 500, lost.text);
  await untilShown(paymentId, 'Autorizada');
  assert.deepEqual([timesAsked('capture', from), timesAsked('findCapture', from)], [1, 1]);
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 7_000, status: 'approved' });
  assert.equal((await movementsOf(service, paymentId)).length, 2);
  const again = await capture(paymentId, 7_000, key);
  assert.equal(again.status, 200, again.text);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(again.body.captureAuthorization.amount, 7_000);
});

test('a capture that did not arrive is finished; until then nothing else happens to the payment', async () => {
  const { paymentId } = await preauthorize(service, 10_000);
  service.bridge.spoil(({ kind }) => (kind === 'capture' || kind === 'findCapture' ? 'unavailable' : null));
  const key = { 'idempotency-key': randomUUID() };
  assert.equal((await capture(paymentId, 4_000, key)).status, 500);
  const { statusDescription, capturingAmount } = await service.read(paymentId);
  assert.deepEqual([statusDescription, capturingAmount], ['Pré-autorizada', 4_000]);
  for (const other of [await capture(paymentId, 4_000), await capture(paymentId), await cancel(paymentId)]) {
    assert.deepEqual([other.status, other.body[0].tag], [409, '__general__'], other.text);
  }
  assert.equal((await capture(paymentId, 4_000, key)).status, 409, 'its key says that it is under way');
  // Its days pass meanwhile: what is being captured is not let go.
  await arrive(service.gatewayUrl, service.token, { advanceDays: 8 });
  assert.equal((await service.read(paymentId)).statusDescription, 'Pré-autorizada');
  assert.deepEqual(await movementsOf(service, paymentId), []);
  service.bridge.spoil(null);
  await untilShown(paymentId, 'Autorizada');
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 4_000, status: 'approved' });
  assert.equal((await movementsOf(service, paymentId)).length, 1);
  assert.equal((await capture(paymentId, 4_000, key)).body.captureAuthorization.amount, 4_000);
});

test('a capture that the acquirer refuses leaves the payment as it was', async () => {
  const { paymentId } = await preauthorize(service, 20_000);
  const key = { 'idempotency-key': randomUUID() };
  const refused = await capture(paymentId, 1_051, key);
  assert.deepEqual([refused.status, refused.body[0].tag], [409, '__general__']);
  assert.deepEqual((await capture(paymentId, 1_051, key)).body, refused.body);
  const { statusDescription, capturingAmount } = await service.read(paymentId);
  assert.deepEqual([statusDescription, capturingAmount], ['Pré-autorizada', undefined]);
  assert.equal((await capture(paymentId, 2_000)).status, 200, 'another capture may be made');
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 2_000, status: 'approved' });
});

test('a cancel whose void is not acknowledged is finished, and its key says so', async () => {
  const { paymentId } = await preauthorize(service, 10_000);
  spoil('undo', 'unavailable');
  const key = { 'idempotency-key': randomUUID() };
  assert.equal((await cancel(paymentId, key)).status, 500);
  assert.equal((await service.read(paymentId)).statusDescription, 'Processando');
  assert.equal((await capture(paymentId)).status, 409);
  assert.equal((await cancel(paymentId, key)).status, 409);
  service.bridge.spoil(null);
  await untilShown(paymentId, 'Desfeita');
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 10_000, status: 'undone' });
  const again = await cancel(paymentId, key);
  assert.deepEqual([again.status, again.body.amount], [200, 10_000]);
});

test('an unresolved capture is counted, listed, shown, and decided by a person', async () => {
  const { paymentId } = await preauthorize(service, 10_000);
  service.bridge.spoil(({ kind }) => (kind === 'capture' || kind === 'findCapture' ? 'unavailable' : null));
  assert.equal((await capture(paymentId, 3_000)).status, 500);
  const listed = await service.parcela('resolve', 'list', '--json');
  const { items } = JSON.parse(listed.printed);
  const { id, kind, amount } = items.find((item: { kind: string }) => item.kind === 'capture');
  assert.deepEqual([kind, amount], ['capture', 3_000]);
  await until(
    'it is counted',
    async () => (await service.metric('parcela_unresolved{kind="capture"}')) === 1,
  );
  assert.match((await service.parcela('resolve', 'show', id)).printed, /capturing \(unknown\)/);
  const decide = (...words: string[]) =>
    service.parcela('resolve', 'decide', id, '--reason', 'the desk says so', ...words);
  const wrong = await decide('--as', 'canceled');
  assert.equal(wrong.exitCode, 1, wrong.errors);
  assert.match(wrong.errors, /--as must be captured or refused/);
  const beyond = await decide('--as', 'captured', '--amount', '100.01');
  assert.equal(beyond.exitCode, 1, beyond.errors);
  assert.match(beyond.errors, /up to what was authorized/);
  // The desk shows another amount than was asked for.
  const done = await decide('--as', 'captured', '--amount', '20.00');
  assert.equal(done.exitCode, 0, done.errors);
  const payment = await service.read(paymentId);
  assert.deepEqual([payment.statusDescription, payment.value], ['Autorizada', 2_000]);
  const sql = `select c.amount::integer as captured, sum(i.amount)::integer as due
    from captures c join installments i using (merchant_id, transaction_id) where c.capture_id = $1 group by 1`;
  assert.deepEqual(await service.auditor.query(sql, [id]), [{ captured: 2_000, due: 2_000 }]);
  assert.equal((await movementsOf(service, paymentId)).length, 1);
});

/** A bridge of one's own making, and a service beside the other one that charges over it. */
async function withBridge(
  answers: Readonly<Record<string, (body: Record<string, unknown>) => object>>,
  test: (gatewayUrl: string) => Promise<void>,
): Promise<void> {
  const bridge = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = answers[request.url ?? ''];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer?.(JSON.parse(Buffer.concat(chunks).toString() || '{}')) ?? {}));
  });
  await new Promise<void>((resolve) => bridge.listen(0, '127.0.0.1', resolve));
  const settings = {
    ...databaseSettings(service.database),
    PARCELA_ACQUIRER_URL: `http://127.0.0.1:${(bridge.address() as AddressInfo).port}`,
    PARCELA_CHARGES_AT_ONCE: '0',
  };
  try {
    const beside = await openService({ folder: service.folder, settings });
    await test(beside.gatewayUrl).finally(() => beside.stop());
  } finally {
    bridge.closeAllConnections();
    await new Promise((resolve) => bridge.close(resolve));
  }
}

const ABOUT = { name: 'plain', simulator: true, protocol: 1 };

test('an acquirer that cannot capture later is not asked to: pa is refused by name', async () => {
  await withBridge({ '/about': () => ABOUT }, async (gatewayUrl) => {
    const { order, reply } = await askToPreauthorize({ ...service, gatewayUrl }, 5_000);
    assert.deepEqual([reply.status, reply.body[0].tag], [400, 'payment.captureType'], reply.text);
    const sql = 'select 1 from transactions where reference_transaction = $1';
    assert.equal((await service.auditor.query(sql, [order])).length, 0);
  });
});

test('a bridge that says that it charged what was only to be authorized is not believed', async () => {
  const charged = ({ reference, amount }: Record<string, unknown>) => ({
    reference,
    amount,
    outcome: 'approved',
    authorizationCode: 'ABC123',
    nsu: '77',
  });
  const answers = {
    '/about': () => ({ ...ABOUT, capabilities: { captureLater: true } }),
    '/preauthorizations': charged,
    '/undos': ({ reference }: Record<string, unknown>) => ({ reference, status: 'undone' }),
  };
  await withBridge(answers, async (gatewayUrl) => {
    const { reply } = await askToPreauthorize({ ...service, gatewayUrl }, 5_000);
    assert.equal(reply.status, 500, reply.text);
    await untilShown(reply.headers.get('x-payment-id') as string, 'Desfeita');
  });
});
