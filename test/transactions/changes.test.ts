import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../kit/service.ts';
import { type ChangesService, openChangesService } from './changes-service.ts';

let service: ChangesService;

before(async () => {
  service = await openChangesService();
});
afterEach(() => {
  service.bridge.spoil(null);
  service.bridge.release();
});
after(() => service.close());

async function forced(paymentId: string, type: string, installmentNumber: number): Promise<string> {
  const reply = await service.force(paymentId, type, installmentNumber);
  assert.equal(reply.status, 200, reply.text);
  const { statusDescription, ...rest } = reply.body;
  assert.deepEqual(rest, { paymentId, installmentNumber, type });
  return statusDescription as string;
}

async function forbidden(paymentId: string, type: string, installmentNumber: number): Promise<void> {
  const reply = await service.force(paymentId, type, installmentNumber);
  assert.equal(reply.status, 409, `${type}: ${reply.text}`);
  assert.equal(reply.body[0].tag, '__general__');
}

test('an installment that the acquirer pays is Paga, and the others stay Autorizada', async () => {
  const paymentId = await service.sell(10_000, 3);
  assert.equal(await forced(paymentId, 'settle', 1), 'Paga');
  const payment = await service.read(paymentId);
  assert.equal(payment.statusDescription, 'Autorizada');
  assert.deepEqual(
    payment.installments.map(({ status }: { status: string }) => status),
    ['Paga', 'Autorizada', 'Autorizada'],
  );
  assert.deepEqual((await service.movements(paymentId)).at(-1), [1, 'Pagamento', 'authorized', 'paid']);
  assert.equal(await forced(paymentId, 'settle', 2), 'Paga');
  assert.equal(await forced(paymentId, 'settle', 3), 'Paga');
  assert.equal((await service.read(paymentId)).statusDescription, 'Paga');
});

test('a block that is lifted leaves an installment as it was before', async () => {
  const paymentId = await service.sell(9_000, 2);
  await forced(paymentId, 'settle', 1);
  for (const [number, status] of [
    [1, 'Paga'],
    [2, 'Autorizada'],
  ] as const) {
    assert.equal(await forced(paymentId, 'block', number), 'Bloqueada');
    assert.equal((await service.read(paymentId)).statusDescription, 'Bloqueada');
    assert.equal(await forced(paymentId, 'unblock', number), status);
  }
  assert.deepEqual((await service.movements(paymentId)).slice(2), [
    [1, 'Pagamento', 'authorized', 'paid'],
    [1, 'Bloqueio', 'paid', 'blocked'],
    [1, 'Desbloqueio', 'blocked', 'paid'],
    [2, 'Bloqueio', 'authorized', 'blocked'],
    [2, 'Desbloqueio', 'blocked', 'authorized'],
  ]);
});

test('a blocked installment can be paid, and can be canceled', async () => {
  const paymentId = await service.sell(9_000, 2);
  await forced(paymentId, 'block', 1);
  assert.equal(await forced(paymentId, 'settle', 1), 'Paga');
  await forced(paymentId, 'block', 2);
  assert.equal((await service.cancel(paymentId, 4_500)).status, 200);
  assert.deepEqual(await service.statuses(paymentId), ['Paga', 'Cancelada']);
  assert.equal((await service.cancel(paymentId)).body.amount, 4_500);
  assert.deepEqual(await service.statuses(paymentId), ['Cancelada', 'Cancelada']);
  assert.deepEqual((await service.movements(paymentId)).slice(-2), [
    [2, 'Cancelamento', 'blocked', 'canceled'],
    [1, 'Cancelamento', 'paid', 'canceled'],
  ]);
});

test('a chargeback takes the rest of its installment back, with the shares of it', async () => {
  const paymentId = await service.sell(10_000, 3, [50, 12.5]);
  assert.equal((await service.cancel(paymentId, 1_000)).status, 200);
  assert.equal(await forced(paymentId, 'settle', 3), 'Paga');
  assert.equal(await forced(paymentId, 'chargeback', 3), 'Cancelada');
  const payment = await service.read(paymentId);
  assert.equal(payment.canceledAmount, 3_333);
  assert.equal(payment.cancelingAmount, 0);
  assert.deepEqual(payment.installments, [
    { installmentNumber: 1, amount: 3_334, canceledAmount: 0, status: 'Autorizada' },
    { installmentNumber: 2, amount: 3_333, canceledAmount: 0, status: 'Autorizada' },
    { installmentNumber: 3, amount: 3_333, canceledAmount: 3_333, status: 'Cancelada' },
  ]);
  const shares = await service.auditor.query(
    'select amount, canceled_amount from shares where transaction_id = $1 and installment_number = 3',
    [paymentId],
  );
  assert.equal(shares.length, 2);
  for (const share of shares) assert.equal(share.canceled_amount, share.amount);
  assert.deepEqual((await service.movements(paymentId)).at(-1), [3, 'Cancelamento', 'paid', 'canceled']);
  const tooMuch = await service.cancel(paymentId, 6_668);
  assert.equal(tooMuch.status, 409, 'no cent is given back twice');
  assert.equal((await service.cancel(paymentId)).body.amount, 6_667);
  assert.equal((await service.read(paymentId)).statusDescription, 'Cancelada');
  const query = new URLSearchParams({ merchantId: service.merchantId, reference: paymentId });
  const { items } = (await (await fetch(`${service.simulatorUrl}/ledger?${query}`)).json()) as {
    items: Record<string, unknown>[];
  };
  assert.equal(items[0]?.canceledAmount, 10_000, "the acquirer's own books agree");
});

test('what the state of an installment forbids is refused, and nothing changes', async () => {
  const paymentId = await service.sell(5_000, 2);
  await forbidden(paymentId, 'unblock', 1);
  await forced(paymentId, 'settle', 1);
  await forbidden(paymentId, 'settle', 1);
  await forbidden(paymentId, 'unblock', 1);
  await forced(paymentId, 'block', 1);
  await forbidden(paymentId, 'block', 1);
  await forced(paymentId, 'chargeback', 1);
  const movements = await service.movements(paymentId);
  for (const type of ['settle', 'block', 'unblock', 'chargeback']) await forbidden(paymentId, type, 1);
  assert.deepEqual(await service.movements(paymentId), movements);
  assert.deepEqual(await service.statuses(paymentId), ['Cancelada', 'Autorizada']);
});

test('an event of a payment or an installment that does not exist is not found', async () => {
  const paymentId = await service.sell(5_000, 2);
  for (const [id, number] of [
    [randomUUID(), 1],
    ['no-payment', 1],
    [paymentId, 3],
  ] as const)
    assert.equal((await service.force(id, 'settle', number)).status, 404, `${id} ${number}`);
  assert.equal((await service.force(paymentId, 'settle', 0)).status, 400);
  assert.equal((await service.force(paymentId, 'refund', 1)).status, 400);
  const declined = await service.pay(`PEDIDO-${randomUUID().slice(0, 8)}`, 11_051);
  assert.equal(declined.status, 402);
});

test('what the acquirer does by itself arrives without being asked for', async () => {
  const paymentId = await service.sell(5_000, 1);
  const changeId = await service.bookAtAcquirer(paymentId, 'settled', 1);
  await service.untilChange(changeId, 'applied');
  assert.deepEqual(await service.statuses(paymentId), ['Paga']);
  assert.ok((await service.metric('parcela_acquirer_changes_total{outcome="applied"}')) > 0);
});

test('a change that is reported twice is applied once', async () => {
  const paymentId = await service.sell(5_000, 1);
  const changeIds = [];
  for (const type of ['settled', 'blocked', 'unblocked'])
    changeIds.push(await service.bookAtAcquirer(paymentId, type, 1));
  for (const changeId of changeIds) await service.untilChange(changeId, 'applied');
  const movements = await service.movements(paymentId);
  await service.auditor.query(
    `update acquirer_cursors set cursor = null, due_at = now() where merchant_id = $1`,
    [service.merchantId],
  );
  const [before] = await service.auditor.query('select max(fence) as fence from acquirer_cursors');
  await until('everything is told again', async () => {
    const [now] = await service.auditor.query('select max(fence) as fence from acquirer_cursors');
    return Number(now?.fence) > Number(before?.fence);
  });
  assert.equal(await forced(paymentId, 'block', 1), 'Bloqueada');
  assert.deepEqual(await service.movements(paymentId), [...movements, [1, 'Bloqueio', 'paid', 'blocked']]);
});

test('a chargeback waits for a cancel that is under way', async () => {
  const paymentId = await service.sell(10_000, 2);
  service.bridge.spoil(({ kind }) => (kind === 'cancellation' ? 'holdAnswer' : null));
  const canceling = service.cancel(paymentId, 5_000);
  await until('the cancel is with the acquirer', async () => service.bridge.held() > 0);
  const changeId = await service.bookAtAcquirer(paymentId, 'chargeback', 1);
  await until('the chargeback waits', async () => {
    const [row] = await service.auditor.query(
      `select reason from acquirer_changes where change_id = $1 and state = 'waiting'`,
      [changeId],
    );
    return row?.reason === 'beingCanceled';
  });
  assert.deepEqual(await service.statuses(paymentId), ['Autorizada', 'Autorizada']);
  service.bridge.spoil(null);
  service.bridge.release();
  assert.ok([200, 500].includes((await canceling).status));
  await service.untilChange(changeId, 'applied');
  const payment = await service.read(paymentId);
  assert.equal(payment.canceledAmount, 10_000);
  assert.equal(payment.statusDescription, 'Cancelada');
});

for (const [amount, statuses] of [
  [3_000, ['Autorizada', 'Cancelada']],
  [5_000, ['Cancelada', 'Cancelada']],
] as const) {
  test(`a cancel of ${amount} that the acquirer took after a chargeback we did not know of leaves the same sums here and there`, async () => {
    const paymentId = await service.sell(10_000, 2);
    const receive = (when: string) =>
      service.auditor.query(`update acquirer_cursors set due_at = ${when}, fence = fence + 1`);
    await receive(`now() + interval '1 hour'`);
    const changeId = await service.bookAtAcquirer(paymentId, 'chargeback', 2);
    // Here it comes off the last installment, there the last one is gone already.
    assert.equal((await service.cancel(paymentId, amount)).status, 200);
    await receive('now()');
    await service.untilChange(changeId, 'applied');
    const payment = await service.read(paymentId);
    assert.equal(payment.canceledAmount, 5_000 + amount);
    assert.deepEqual(await service.statuses(paymentId), statuses);
    const [sums] = await service.auditor.query(
      `select sum(canceled_amount)::int as installments from installments where transaction_id = $1`,
      [paymentId],
    );
    assert.equal(sums?.installments, 5_000 + amount);
    // The cancel ends the second installment or the chargeback does, which takes what it lacks off the first.
    const canceled = (await service.movements(paymentId)).filter(([, type]) => type === 'Cancelamento');
    assert.deepEqual(canceled.map(([number, , , state]) => [number, state]).toSorted(), [
      [1, statuses[0] === 'Cancelada' ? 'canceled' : 'authorized'],
      [2, 'canceled'],
    ]);
  });
}

test('of a charge that nobody made through us nothing comes, and the operator is notified', async () => {
  const reference = randomUUID();
  await service.auditor.query(
    `insert into acquirer_changes (merchant_id, change_id, reference, installment_number, event, happened_at, source)
     values ($1, $2, $3, 1, 'settle', now(), 'feed'), ($1, $4, 'not-ours', 1, 'chargeback', now(), 'feed')`,
    [service.merchantId, `unknown-${reference}`, reference, `foreign-${reference}`],
  );
  for (const changeId of [`unknown-${reference}`, `foreign-${reference}`]) {
    const row = await service.untilChange(changeId, 'refused');
    assert.equal(row.reason, 'unknownTransaction');
    await until('the log tells of it', async () =>
      service.log.some((line) => line.includes(changeId) && line.includes('was not applied')),
    );
  }
});

test('a change whose charge has no outcome yet waits for it', async () => {
  const order = `PEDIDO-${randomUUID().slice(0, 8)}`;
  service.bridge.spoil(({ kind }) => {
    if (kind === 'authorization') return 'garbage';
    return kind === 'find' || kind === 'undo' ? 'unavailable' : null;
  });
  assert.equal((await service.pay(order, 5_000)).status, 500);
  const { transaction_id: paymentId } = await service.transaction(order);
  const changeId = await service.bookAtAcquirer(paymentId as string, 'settled', 1);
  await until(
    'it waits',
    async () => {
      const [row] = await service.auditor.query('select reason from acquirer_changes where change_id = $1', [
        changeId,
      ]);
      return row?.reason === 'beingCharged';
    },
    60_000,
  );
  service.bridge.spoil(null);
  const { reason } = await service.untilChange(changeId, 'refused');
  assert.equal(reason, 'notCharged', 'nobody was told that it was charged, so it was voided');
  assert.deepEqual(await service.movements(paymentId as string), []);
});
