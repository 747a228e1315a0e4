import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { call, type Reply, tokenize } from '../client.ts';
import { until } from '../running-service.ts';
import type { BridgeQuestion } from './resolving-bridge.ts';
import {
  newOrder,
  openSettlingHouse,
  type Printed,
  payUnknown,
  type SettlingHouse,
  untilState,
} from './resolving-house.ts';

const ACQUIRER_TIMEOUT = 4_000;
const TIMEOUT = { timeout: 180_000 };
const REASON = 'Maria at the acquirer’s desk, case 4711';

const house: SettlingHouse = await openSettlingHouse(ACQUIRER_TIMEOUT);
beforeEach(() => {
  house.bridge.spoil(null);
  house.bridge.release();
});
after(() => house.close());

/** Nobody at the acquirer acknowledges the undo of this order. */
const voidRefused =
  (order: string) =>
  ({ kind, order: asked }: BridgeQuestion) =>
    kind === 'undo' && asked === order ? 'unavailable' : null;
const cancelsRefused = ({ kind }: BridgeQuestion) => (kind === 'cancellation' ? 'unavailable' : null);

function decide(id: string, as: string, reason = REASON): Promise<Printed> {
  return house.parcela('resolve', 'decide', id, '--as', as, '--reason', reason);
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
async function printed(...words: string[]): Promise<any> {
  const { exitCode, printed: text, errors } = await house.parcela(...words, '--json');
  assert.equal(exitCode, 0, errors);
  return JSON.parse(text);
}

async function refusalOf(running: Promise<Printed>): Promise<string> {
  const { exitCode, printed: text, errors } = await running;
  assert.equal(exitCode, 1, text + errors);
  return errors;
}

async function paid(amount: number): Promise<string> {
  const reply = await house.pay(newOrder(), amount);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.paymentAuthorization.paymentId as string;
}

function cancel(paymentId: string, amount: number): Promise<Reply> {
  const path = `/v1/payments/${paymentId}/cancel`;
  return call(house.service.gatewayUrl, path, { token: house.token, body: { amount } });
}

async function cancelIdOf(paymentId: string): Promise<string> {
  const [row] = await house.auditor.query('select cancel_id from cancels where transaction_id = $1', [
    paymentId,
  ]);
  return row?.cancel_id as string;
}

test(
  'a charge that cannot be voided is listed and shown, decided once, and read by its merchant',
  TIMEOUT,
  async () => {
    const order = newOrder();
    house.bridge.spoil(voidRefused(order));
    const numberToken = await tokenize(house.service.gatewayUrl, house.token);
    const id = await payUnknown(house, order, numberToken);
    await until('it was tried', async () => ((await house.transaction(order)).resolve_tries as number) >= 2);

    const [listed] = (await printed('resolve', 'list', '--merchant', house.merchantId)).items;
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
    assert.match(await refusalOf(decide(randomUUID(), 'voided')), /is no charge and no cancel here/);
    assert.equal((await house.transaction(order)).state, 'unresolved');

    const decided = await decide(id, 'voided');
    assert.equal(decided.exitCode, 0, decided.errors);
    assert.match(decided.printed, /is voided; it was unresolved/);
    assert.equal((await house.read(id)).statusDescription, 'Desfeita');
    assert.match(await refusalOf(decide(id, 'declined')), /is final already: voided/);
    assert.equal((await house.read(id)).statusDescription, 'Desfeita');

    const after = await printed('resolve', 'show', id);
    assert.equal(
      after.acquirerNow.kind,
      'approved',
      'what the acquirer says stays visible beside the decision',
    );
    const [told] = after.decisions;
    assert.deepEqual(
      [told.detail.before, told.detail.after, told.detail.reason],
      ['unresolved', 'voided', REASON],
    );
    const { items } = await printed('audit', 'list', '--action', 'resolve.decide');
    const entry = items.find((one: { resource: string }) => one.resource.endsWith(id));
    assert.equal(entry.entryNumber, told.entryNumber);
    assert.equal(entry.resource, `merchants/${house.merchantId}/transactions/${id}`);
    assert.equal((await house.parcela('audit', 'verify')).exitCode, 0);
    assert.equal(
      (await house.pay(newOrder(), 2_000, numberToken)).status,
      200,
      'the card token is free again',
    );
  },
);

test('of two operators who decide differently at once one wins, and the other is told', TIMEOUT, async () => {
  const order = newOrder();
  house.bridge.spoil(voidRefused(order));
  const id = await payUnknown(house, order);
  await until('it was tried', async () => ((await house.transaction(order)).resolve_tries as number) >= 1);
  const both = await Promise.all([decide(id, 'voided'), decide(id, 'declined')]);
  assert.deepEqual(both.map(({ exitCode }) => exitCode).sort(), [0, 1]);
  const loser = both.find(({ exitCode }) => exitCode === 1);
  assert.match(loser?.errors ?? '', /is final already/);
  const { items } = await printed('audit', 'list', '--action', 'resolve.decide');
  assert.equal(items.filter((entry: { resource: string }) => entry.resource.endsWith(id)).length, 1);
});

test('a cancel that is decided as refused sets its amount free', TIMEOUT, async () => {
  const paymentId = await paid(5_000);
  house.bridge.spoil(cancelsRefused);
  assert.equal((await cancel(paymentId, 2_000)).status, 500);
  const id = await cancelIdOf(paymentId);
  const { items } = await printed('resolve', 'list');
  const listed = items.find((item: { id: string }) => item.id === id);
  assert.deepEqual([listed.kind, listed.amount], ['cancel', 2_000]);
  assert.match(await refusalOf(decide(id, 'voided')), /--as must be canceled or refused/);
  const decided = await decide(id, 'refused');
  assert.equal(decided.exitCode, 0, decided.errors);
  house.bridge.spoil(null);
  const payment = await house.read(paymentId);
  assert.deepEqual([payment.canceledAmount, payment.cancelingAmount], [0, 0]);
  const shown = await printed('resolve', 'show', id);
  assert.deepEqual([shown.state, shown.transactionId], ['refused', paymentId]);
  assert.equal(shown.decisions[0].detail.reason, REASON);
  assert.equal((await cancel(paymentId, 5_000)).status, 200, 'all of it can still be given back');
});

test(
  'a cancel that is decided as canceled gives the money back in our books, with its movement',
  TIMEOUT,
  async () => {
    const paymentId = await paid(5_000);
    house.bridge.spoil(cancelsRefused);
    assert.equal((await cancel(paymentId, 5_000)).status, 500);
    const id = await cancelIdOf(paymentId);
    assert.equal((await decide(id, 'canceled')).exitCode, 0);
    const since = house.bridge.asked.length;
    house.bridge.spoil(null);
    const payment = await house.read(paymentId);
    assert.deepEqual([payment.statusDescription, payment.canceledAmount], ['Cancelada', 5_000]);
    const movements = await house.auditor.query(
      `select type, old_state, new_state from movements where transaction_id = $1 order by movement_id`,
      [paymentId],
    );
    assert.deepEqual(movements.at(-1), {
      type: 'Cancelamento',
      old_state: 'authorized',
      new_state: 'canceled',
    });
    assert.match(await refusalOf(decide(id, 'refused')), /is final already: canceled/);
    const sent = house.bridge.asked.slice(since).filter(({ kind }) => kind === 'cancellation');
    assert.deepEqual(sent, [], 'it is not sent again beside the decision');
  },
);

test(
  'when the acquirer answers a cancel while somebody decides on it, its answer counts',
  TIMEOUT,
  async () => {
    const paymentId = await paid(5_000);
    house.bridge.spoil(cancelsRefused);
    assert.equal((await cancel(paymentId, 2_000)).status, 500);
    const id = await cancelIdOf(paymentId);
    house.bridge.spoil(({ kind }) => (kind === 'cancellation' ? 'holdAnswer' : null));
    await until('it is being sent again', async () => house.bridge.held() === 1);
    const deciding = decide(id, 'refused');
    await until('the decision has taken the cancel', async () => {
      const text = `select 1 from cancels where cancel_id = $1 and due_at > now() + interval '25 seconds'`;
      return (await house.auditor.query(text, [id])).length === 1;
    });
    house.bridge.spoil(null);
    house.bridge.release();
    const payment = await until('the answer is recorded', async () => {
      const found = await house.read(paymentId);
      return found.cancelingAmount === 0 && found;
    });
    assert.equal(payment.canceledAmount, 2_000);
    assert.match(await refusalOf(deciding), /is final already: canceled/);
  },
);

test('when the acquirer cannot be reached, show says so and shows the rest', TIMEOUT, async () => {
  const order = newOrder();
  house.bridge.spoil(voidRefused(order));
  const id = await payUnknown(house, order);
  house.bridge.spoil(({ kind }) => (kind === 'find' || kind === 'undo' ? 'reset' : null));
  const { exitCode, printed: text } = await house.parcela('resolve', 'show', id);
  assert.equal(exitCode, 0);
  assert.match(text, /acquirer now +no clear answer: the connection failed/);
  assert.match(text, new RegExp(`reference +${order}`));
  assert.match(text, /resolve decide .* --as voided\|declined/);
  house.bridge.spoil(null);
  await untilState(house, order, 'voided');
});
