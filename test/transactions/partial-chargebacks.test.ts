import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import fc from 'fast-check';
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

async function takenBack(paymentId: string, installmentNumber: number, amount?: number): Promise<string> {
  const reply = await service.force(paymentId, 'chargeback', installmentNumber, amount);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.statusDescription as string;
}

/** What the acquirer's own books say was given back of a charge. */
async function canceledAtAcquirer(paymentId: string): Promise<number> {
  const query = new URLSearchParams({ merchantId: service.merchantId, reference: paymentId });
  const { items } = (await (await fetch(`${service.simulatorUrl}/ledger?${query}`)).json()) as {
    items: { canceledAmount: number }[];
  };
  return items[0]?.canceledAmount ?? Number.NaN;
}

/**
 * What is left of each installment, and that every sum of ours agrees with every other and with the
 * acquirer's.
 */
async function restsThatAgree(paymentId: string): Promise<number[]> {
  const payment = await service.read(paymentId);
  const installments = payment.installments as { amount: number; canceledAmount: number; status: string }[];
  const canceled = installments.reduce((sum, { canceledAmount }) => sum + canceledAmount, 0);
  assert.equal(payment.canceledAmount, canceled);
  assert.equal(await canceledAtAcquirer(paymentId), canceled);
  const shares = await service.auditor.query(
    `select i.installment_number, i.amount - i.canceled_amount as rest, sum(s.amount - s.canceled_amount) as left,
       bool_and(s.canceled_amount between 0 and s.amount) as is_within,
       max(abs(s.canceled_amount - s.amount * i.canceled_amount::numeric / i.amount)) as error
     from installments i join shares s using (merchant_id, transaction_id, installment_number)
     where i.transaction_id = $1 group by i.installment_number, i.amount, i.canceled_amount`,
    [paymentId],
  );
  for (const share of shares) {
    assert.ok(Number(share.left) <= Number(share.rest), 'the merchant has no debt to a beneficiary');
    assert.ok(share.is_within && Number(share.error) < 1, 'each gives back in proportion, to the cent');
  }
  const rests = installments.map(({ amount, canceledAmount }) => amount - canceledAmount);
  assert.deepEqual(
    installments.map(({ status }) => status === 'Cancelada'),
    rests.map((rest) => rest === 0),
  );
  return rests;
}

test('a chargeback of a part comes off its installment, which stays what it is, and is reported', async () => {
  const paymentId = await service.sell(10_000, 3, [50, 12.5]);
  assert.equal(await takenBack(paymentId, 2, 1_000), 'Autorizada');
  assert.deepEqual(await restsThatAgree(paymentId), [3_334, 2_333, 3_333]);
  assert.deepEqual((await service.movements(paymentId)).slice(3), [
    [2, 'Cancelamento', 'authorized', 'authorized'],
  ]);
  assert.equal(await takenBack(paymentId, 2, 2_333), 'Cancelada');
  assert.deepEqual(await restsThatAgree(paymentId), [3_334, 0, 3_333]);
  assert.deepEqual((await service.movements(paymentId)).at(-1), [
    2,
    'Cancelamento',
    'authorized',
    'canceled',
  ]);
});

/** As a file of the acquirer, or its feed, comes to the same table. */
async function reported(
  paymentId: string,
  amount: number,
  source: 'file' | 'feed',
  changeId: string = randomUUID(),
): Promise<string> {
  await service.auditor.query(
    `insert into acquirer_changes
       (merchant_id, change_id, reference, installment_number, event, happened_at, amount, source)
     values ($1, $2, $3, 1, 'chargeback', now(), $4, $5)`,
    [service.merchantId, changeId, paymentId, amount, source],
  );
  return changeId;
}

test('a chargeback that feed and file report is taken once, whichever comes first, and two are two', async () => {
  const paymentId = await service.sell(9_000, 1);
  const early = await reported(paymentId, 500, 'file');
  await service.untilChange(early, 'applied');
  await service.force(paymentId, 'chargeback', 1, 500);
  assert.deepEqual(await restsThatAgree(paymentId), [8_500]);

  await takenBack(paymentId, 1, 500);
  assert.deepEqual(await restsThatAgree(paymentId), [8_000]);
  const late = await reported(paymentId, 500, 'file');
  assert.equal((await service.untilChange(late, 'refused')).reason, 'takenAlready');
  assert.deepEqual(await restsThatAgree(paymentId), [8_000]);
});

test('how the acquirer names its changes says nothing of the way they came', async () => {
  const paymentId = await service.sell(9_000, 1);
  const odd = await reported(paymentId, 500, 'feed', `file-${randomUUID()}`);
  await service.untilChange(odd, 'applied');
  const again = await reported(paymentId, 500, 'feed');
  await service.untilChange(again, 'applied');
  const forced = await service.bookAtAcquirer(paymentId, 'chargeback', 1, 700);
  const { source: way } = await service.untilChange(forced, 'applied');
  assert.equal(way, 'feed');
});

test('a later cancel of all that is left gives back the rest alone', async () => {
  const paymentId = await service.sell(10_000, 2);
  await takenBack(paymentId, 1, 1_234);
  assert.equal((await service.cancel(paymentId, 8_767)).status, 409, 'no cent is given back twice');
  assert.equal((await service.cancel(paymentId)).body.amount, 8_766);
  assert.deepEqual(await restsThatAgree(paymentId), [0, 0]);
});

test('an installment is paid, held back and released around the parts that are taken of it', async () => {
  const paymentId = await service.sell(9_000, 1);
  assert.equal((await service.force(paymentId, 'settle', 1)).status, 200);
  assert.equal(await takenBack(paymentId, 1, 4_000), 'Paga');
  assert.equal((await service.force(paymentId, 'block', 1)).status, 200);
  assert.equal(await takenBack(paymentId, 1, 3_000), 'Bloqueada');
  assert.equal((await service.force(paymentId, 'unblock', 1)).body.statusDescription, 'Paga');
  assert.equal(await takenBack(paymentId, 1), 'Cancelada');
  assert.deepEqual(await restsThatAgree(paymentId), [0]);
  assert.deepEqual((await service.movements(paymentId)).slice(1), [
    [1, 'Pagamento', 'authorized', 'paid'],
    [1, 'Cancelamento', 'paid', 'paid'],
    [1, 'Bloqueio', 'paid', 'blocked'],
    [1, 'Cancelamento', 'blocked', 'blocked'],
    [1, 'Desbloqueio', 'blocked', 'paid'],
    [1, 'Cancelamento', 'paid', 'canceled'],
  ]);
});

test('the simulator takes back no more than is left, and only a chargeback has an amount', async () => {
  const paymentId = await service.sell(9_000, 2);
  assert.equal((await service.force(paymentId, 'chargeback', 1, 4_501)).status, 409);
  for (const [type, amount] of [
    ['settle', 100],
    ['chargeback', 0],
    ['chargeback', 1.5],
  ] as const) {
    const reply = await service.force(paymentId, type, 1, amount);
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.body[0].tag, 'amount');
  }
  assert.deepEqual(await restsThatAgree(paymentId), [4_500, 4_500]);
});

test('a part that is taken while a cancel is under way waits for it', async () => {
  const paymentId = await service.sell(10_000, 2);
  service.bridge.spoil(({ kind }) => (kind === 'cancellation' ? 'holdAnswer' : null));
  const canceling = service.cancel(paymentId, 6_000);
  await until('the cancel is with the acquirer', async () => service.bridge.held() > 0);
  const changeId = await service.bookAtAcquirer(paymentId, 'chargeback', 1, 1_500);
  await until('the chargeback waits', async () => {
    const [row] = await service.auditor.query('select reason from acquirer_changes where change_id = $1', [
      changeId,
    ]);
    return row?.reason === 'beingCanceled';
  });
  service.bridge.spoil(null);
  service.bridge.release();
  assert.ok([200, 500].includes((await canceling).status));
  await service.untilChange(changeId, 'applied');
  assert.deepEqual(await restsThatAgree(paymentId), [2_500, 0]);
});

test('a cancel that crossed a part of which we did not know leaves the same sums here and there', async () => {
  const paymentId = await service.sell(10_000, 2);
  const receive = (when: string) =>
    service.auditor.query(`update acquirer_cursors set due_at = ${when}, fence = fence + 1`);
  await receive(`now() + interval '1 hour'`);
  const changeId = await service.bookAtAcquirer(paymentId, 'chargeback', 2, 2_000);
  assert.equal((await service.cancel(paymentId, 6_000)).status, 200);
  await receive('now()');
  await service.untilChange(changeId, 'applied');
  assert.deepEqual(await restsThatAgree(paymentId), [2_000, 0]);
});

test('more than is left is refused, and the operator is notified: in the log and by a counter', async () => {
  const paymentId = await service.sell(5_000, 2);
  const counter = 'parcela_acquirer_changes_total{outcome="otherAmount"}';
  const before = await service.metric(counter);
  const changeId = randomUUID();
  await service.auditor.query(
    `insert into acquirer_changes (merchant_id, change_id, reference, installment_number, event, happened_at, amount, source)
     values ($1, $2, $3, 1, 'chargeback', now(), 5001, 'feed')`,
    [service.merchantId, changeId, paymentId],
  );
  const { reason } = await service.untilChange(changeId, 'refused');
  assert.equal(reason, 'otherAmount');
  await until('it is counted', async () => (await service.metric(counter)) === before + 1);
  await until('the log tells of it', async () =>
    service.log.some((line) => line.includes(changeId) && line.includes('was not applied')),
  );
  assert.deepEqual(await restsThatAgree(paymentId), [2_500, 2_500]);
});

/** One step: a part of an installment is taken back, or canceled by the merchant. */
const STEP = fc.record({
  isCancel: fc.boolean(),
  installment: fc.nat(),
  /** Of what is left, in thousandths. */
  portion: fc.integer({ min: 1, max: 1_000 }),
});
const SALE = fc.record({
  amount: fc.integer({ min: 1_000, max: 900_000 }).filter((amount) => amount % 10_000 < 1_000),
  installments: fc.integer({ min: 1, max: 6 }),
  percents: fc.constantFrom([], [33.33], [50, 12.5], [0.01, 99.99]),
  steps: fc.array(STEP, { minLength: 2, maxLength: 8 }),
});

test('random parts are taken until nothing is left, and both books agree to the cent after each', async () => {
  for (const sale of fc.sample(SALE, 12)) {
    const reported = JSON.stringify(sale);
    const paymentId = await service.sell(sale.amount, sale.installments, sale.percents);
    for (const { isCancel, installment, portion } of sale.steps) {
      const rests = await restsThatAgree(paymentId);
      const left = isCancel ? rests.reduce((sum, rest) => sum + rest, 0) : rests[installment % rests.length];
      if (left === undefined || left === 0) continue;
      const amount = Math.max(1, Math.floor((left * portion) / 1_000));
      if (isCancel) assert.equal((await service.cancel(paymentId, amount)).status, 200, reported);
      else await takenBack(paymentId, (installment % rests.length) + 1, amount);
    }
    for (const [index, rest] of (await restsThatAgree(paymentId)).entries())
      if (rest > 0) assert.equal(await takenBack(paymentId, index + 1, rest), 'Cancelada', reported);
    assert.deepEqual(new Set(await restsThatAgree(paymentId)), new Set([0]), reported);
    assert.equal((await service.read(paymentId)).statusDescription, 'Cancelada', reported);
  }
});
