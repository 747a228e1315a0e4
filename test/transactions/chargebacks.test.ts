import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
  clearChargebackMark,
  findUnprocessedChargeback,
  listUnprocessedChargebacks,
} from '../../src/transactions/changes/chargebacks.sql.ts';
import { until } from '../kit/service.ts';
import { type BillingChargesService, openBillingChargesService } from './billing-charges-service.ts';

let service: BillingChargesService;

before(async () => {
  service = await openBillingChargesService();
});
after(() => service.close());

function receive(transactionId: string): Promise<boolean> {
  return service.books.transaction((tx) => clearChargebackMark(tx, service.merchantId, transactionId));
}

/** What waits to be heard, of this test's merchant and of all. */
async function unheard(): Promise<string[]> {
  const listed = await listUnprocessedChargebacks(service.books, 100);
  const first = await findUnprocessedChargeback(service.books, service.merchantId);
  assert.deepEqual(first, listed[0] ?? null);
  return listed.map(({ transactionId }) => transactionId);
}

test('a billing’s charge that its holder took back is to be applied once; a payment’s is not', async () => {
  const { transactionId, billingId } = await service.charge(4_990);
  const payment = await service.sell(4_990, 1);
  assert.equal((await service.force(payment, 'chargeback', 1)).status, 200);
  assert.deepEqual(await unheard(), []);
  assert.equal((await service.force(transactionId, 'chargeback', 1)).status, 200);
  assert.deepEqual(await listUnprocessedChargebacks(service.books, 100), [
    { merchantId: service.merchantId, transactionId, referenceTransaction: billingId },
  ]);
  assert.deepEqual(await unheard(), [transactionId]);
  assert.equal(await findUnprocessedChargeback(service.books, 'OUTRA'), null);
  assert.equal((await service.read(transactionId)).statusDescription, 'Cancelada');
  assert.equal(await receive(transactionId), true);
  assert.deepEqual(await unheard(), []);
  assert.equal(await receive(transactionId), false);
});

test('a part that is taken back is to be applied, and so is more than is left, which is refused', async () => {
  const { transactionId } = await service.charge(4_990);
  for (const amount of [1, 2]) {
    assert.equal((await service.force(transactionId, 'chargeback', 1, amount)).status, 200);
    assert.deepEqual(await unheard(), [transactionId]);
    assert.equal(await receive(transactionId), true);
  }
  const changeId = randomUUID();
  await service.auditor.query(
    `insert into acquirer_changes (merchant_id, change_id, reference, installment_number, event, happened_at, amount, source)
     values ($1, $2, $3, 1, 'chargeback', now(), 4990, 'feed')`,
    [service.merchantId, changeId, transactionId],
  );
  assert.equal((await service.untilChange(changeId, 'refused')).reason, 'otherAmount');
  assert.deepEqual(await unheard(), [transactionId]);
  assert.equal(await receive(transactionId), true);
});

test('a block, a payment and a cancel of a billing’s charge are nothing to apply', async () => {
  const { transactionId } = await service.charge(4_990);
  for (const type of ['block', 'unblock', 'settle'])
    assert.equal((await service.force(transactionId, type, 1)).status, 200);
  assert.equal((await service.cancel(transactionId)).status, 200);
  assert.deepEqual(await unheard(), []);
});

test('a chargeback of what a cancel took already is applied as well', async () => {
  const { transactionId } = await service.charge(5_000, { installmentCount: 2 });
  assert.equal((await service.cancel(transactionId, 2_500)).status, 200);
  assert.deepEqual(await service.statuses(transactionId), ['Autorizada', 'Cancelada']);
  const changeId = randomUUID();
  await service.auditor.query(
    `insert into acquirer_changes (merchant_id, change_id, reference, installment_number, event, happened_at, amount, source)
     values ($1, $2, $3, 2, 'chargeback', now(), 2500, 'feed')`,
    [service.merchantId, changeId, transactionId],
  );
  await service.untilChange(changeId, 'applied');
  assert.deepEqual(await service.statuses(transactionId), ['Cancelada', 'Cancelada']);
  await until('it is told', async () => (await unheard()).length === 1);
  assert.equal(await receive(transactionId), true);
});
