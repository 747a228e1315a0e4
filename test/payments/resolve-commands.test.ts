import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { call, type Reply, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import type { BridgeQuestion } from '../kit/spoiling-acquirer.ts';
import {
  newOrder,
  openResolvingService,
  type Printed,
  payUnknown,
  type ResolvingService,
  untilState,
} from './resolving-service.ts';

const ACQUIRER_TIMEOUT = 4_000;
const REASON = 'Maria at the acquirer’s desk, case 4711';

const service: ResolvingService = await openResolvingService(ACQUIRER_TIMEOUT);
beforeEach(() => {
  service.bridge.spoil(null);
  service.bridge.release();
});
after(() => service.close());

/** The acquirer acknowledges no void of this order. */
const voidRefused =
  (order: string) =>
  ({ kind, order: asked }: BridgeQuestion) =>
    kind === 'undo' && asked === order ? 'unavailable' : null;
const cancelsRefused = ({ kind }: BridgeQuestion) => (kind === 'cancellation' ? 'unavailable' : null);

function decide(id: string, as: string, reason = REASON): Promise<Printed> {
  return service.parcela('resolve', 'decide', id, '--as', as, '--reason', reason);
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
async function printed(...words: string[]): Promise<any> {
  const { exitCode, printed: text, errors } = await service.parcela(...words, '--json');
  assert.equal(exitCode, 0, errors);
  return JSON.parse(text);
}

async function refusalOf(running: Promise<Printed>): Promise<string> {
  const { exitCode, printed: text, errors } = await running;
  assert.equal(exitCode, 1, text + errors);
  return errors;
}

async function paid(amount: number): Promise<string> {
  const reply = await service.pay(newOrder(), amount);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.paymentAuthorization.paymentId as string;
}

function cancel(paymentId: string, amount: number): Promise<Reply> {
  const path = `/v1/payments/${paymentId}/cancel`;
  return call(service.gatewayUrl, path, { token: service.token, body: { amount } });
}

async function cancelIdOf(paymentId: string): Promise<string> {
  const [row] = await service.auditor.query('select cancel_id from cancels where transaction_id = $1', [
    paymentId,
  ]);
  return row?.cancel_id as string;
}

test('a charge that cannot be voided is listed and shown, decided once, and read by its merchant', async () => {
  const order = newOrder();
  service.bridge.spoil(voidRefused(order));
  const numberToken = await tokenize(service.gatewayUrl, service.token);
  const id = await payUnknown(service, order, numberToken);
  await until('it was tried', async () => ((await service.transaction(order)).resolve_tries as number) >= 2);

  const [listed] = (await printed('resolve', 'list', '--merchant', service.merchantId)).items;
  assert.equal(listed.id, id);
  assert.equal(listed.kind, 'charge');
  assert.equal(listed.amount, 1_004);
  assert.equal(listed.reason, 'the acquirer answered 503');
  assert.ok(listed.tries >= 2);
  assert.deepEqual((await printed('resolve', 'list', '--older-than', '60')).items, []);
  assert.deepEqual((await printed('resolve', 'list', '--merchant', 'OUTRA')).items, []);

  const shown = await printed('resolve', 'show', id);
  assert.equal(shown.acquirerNow.kind, 'approved');
  assert.equal(shown.state, 'unresolved');
  assert.deepEqual([shown.firstSix, shown.lastFour, shown.brand], ['515590', '0001', 'mastercard']);
  assert.equal(shown.referenceTransaction, order);
  assert.deepEqual(shown.decisions, []);

  assert.match(await refusalOf(decide(id, 'canceled')), /--as must be voided or declined/);
  assert.match(await refusalOf(decide(randomUUID(), 'voided')), /no such charge, cancel or capture/);
  assert.equal((await service.transaction(order)).state, 'unresolved');

  const decided = await decide(id, 'voided');
  assert.equal(decided.exitCode, 0, decided.errors);
  assert.match(decided.printed, /is voided; it was unresolved/);
  assert.equal((await service.read(id)).statusDescription, 'Desfeita');
  assert.match(await refusalOf(decide(id, 'declined')), /is final already\. It is voided/);
  assert.equal((await service.read(id)).statusDescription, 'Desfeita');

  const after = await printed('resolve', 'show', id);
  assert.equal(
    after.acquirerNow.kind,
    'approved',
    'what the acquirer says stays visible beside the decision',
  );
  const [reported] = after.decisions;
  assert.deepEqual(
    [reported.detail.before, reported.detail.after, reported.detail.reason],
    ['unresolved', 'voided', REASON],
  );
  const { items } = await printed('audit', 'list', '--action', 'resolve.decide');
  const entry = items.find((one: { resource: string }) => one.resource.endsWith(id));
  assert.equal(entry.entryNumber, reported.entryNumber);
  assert.equal(entry.resource, `merchants/${service.merchantId}/transactions/${id}`);
  assert.equal((await service.parcela('audit', 'verify')).exitCode, 0);
  assert.equal(
    (await service.pay(newOrder(), 2_000, numberToken)).status,
    200,
    'the card token is free again',
  );
});

test('of two operators who decide differently at once one wins, and the other is notified', async () => {
  const order = newOrder();
  service.bridge.spoil(voidRefused(order));
  const id = await payUnknown(service, order);
  await until('it was tried', async () => ((await service.transaction(order)).resolve_tries as number) >= 1);
  const both = await Promise.all([decide(id, 'voided'), decide(id, 'declined')]);
  assert.deepEqual(both.map(({ exitCode }) => exitCode).sort(), [0, 1]);
  const loser = both.find(({ exitCode }) => exitCode === 1);
  assert.match(loser?.errors ?? '', /is final already/);
  const { items } = await printed('audit', 'list', '--action', 'resolve.decide');
  assert.equal(items.filter((entry: { resource: string }) => entry.resource.endsWith(id)).length, 1);
});

test('a cancel that is decided as refused sets its amount free', async () => {
  const paymentId = await paid(5_000);
  service.bridge.spoil(cancelsRefused);
  assert.equal((await cancel(paymentId, 2_000)).status, 500);
  const id = await cancelIdOf(paymentId);
  const { items } = await printed('resolve', 'list');
  const listed = items.find((item: { id: string }) => item.id === id);
  assert.deepEqual([listed.kind, listed.amount], ['cancel', 2_000]);
  assert.match(await refusalOf(decide(id, 'voided')), /--as must be canceled or refused/);
  const decided = await decide(id, 'refused');
  assert.equal(decided.exitCode, 0, decided.errors);
  service.bridge.spoil(null);
  const payment = await service.read(paymentId);
  assert.deepEqual([payment.canceledAmount, payment.cancelingAmount], [0, 0]);
  const shown = await printed('resolve', 'show', id);
  assert.deepEqual([shown.state, shown.transactionId], ['refused', paymentId]);
  assert.equal(shown.decisions[0].detail.reason, REASON);
  assert.equal((await cancel(paymentId, 5_000)).status, 200, 'all of it can still be given back');
});

test('a cancel that is decided as canceled gives the money back in our books, with its movement', async () => {
  const paymentId = await paid(5_000);
  service.bridge.spoil(cancelsRefused);
  assert.equal((await cancel(paymentId, 5_000)).status, 500);
  const id = await cancelIdOf(paymentId);
  assert.equal((await decide(id, 'canceled')).exitCode, 0);
  const since = service.bridge.asked.length;
  service.bridge.spoil(null);
  const payment = await service.read(paymentId);
  assert.deepEqual([payment.statusDescription, payment.canceledAmount], ['Cancelada', 5_000]);
  const movements = await service.auditor.query(
    `select type, old_state, new_state from movements where transaction_id = $1 order by movement_id`,
    [paymentId],
  );
  assert.deepEqual(movements.at(-1), {
    type: 'Cancelamento',
    old_state: 'authorized',
    new_state: 'canceled',
  });
  assert.match(await refusalOf(decide(id, 'refused')), /is final already\. It is canceled/);
  const sent = service.bridge.asked.slice(since).filter(({ kind }) => kind === 'cancellation');
  assert.deepEqual(sent, [], 'it is not sent again beside the decision');
});

test('when the acquirer answers a cancel while somebody decides on it, its answer counts', async () => {
  // On a slow machine the answer may come too late to be one: then another is tried.
  await until('an answer comes while somebody decides', async () => {
    const { payment, decided } = await answeredWhileDeciding();
    if (payment.canceledAmount === 0) return false;
    assert.equal(payment.canceledAmount, 2_000);
    assert.match(await refusalOf(Promise.resolve(decided)), /is final already\. It is canceled/);
    return true;
  });
});

async function answeredWhileDeciding() {
  const paymentId = await paid(5_000);
  service.bridge.spoil(cancelsRefused);
  assert.equal((await cancel(paymentId, 2_000)).status, 500);
  const id = await cancelIdOf(paymentId);
  service.bridge.spoil(({ kind }) => (kind === 'cancellation' ? 'holdAnswer' : null));
  await until('it is being sent again', async () => service.bridge.held() === 1);
  const deciding = decide(id, 'refused');
  await until('the decision has taken the cancel', async () => {
    const text = `select 1 from cancels where cancel_id = $1 and due_at > now() + interval '25 seconds'`;
    return (await service.auditor.query(text, [id])).length === 1;
  });
  service.bridge.spoil(null);
  service.bridge.release();
  const payment = await until('the answer is recorded', async () => {
    const found = await service.read(paymentId);
    return found.cancelingAmount === 0 && found;
  });
  return { payment, decided: await deciding };
}

test('when the acquirer cannot be reached, show says so and shows the rest', async () => {
  const order = newOrder();
  service.bridge.spoil(voidRefused(order));
  const id = await payUnknown(service, order);
  service.bridge.spoil(({ kind }) => (kind === 'find' || kind === 'undo' ? 'reset' : null));
  const { exitCode, printed: text } = await service.parcela('resolve', 'show', id);
  assert.equal(exitCode, 0);
  assert.match(text, /acquirer now +no clear answer: the connection failed/);
  assert.match(text, new RegExp(`reference +${order}`));
  assert.match(text, /resolve decide .* --as voided\|declined/);
  service.bridge.spoil(null);
  await untilState(service, order, 'voided');
});
