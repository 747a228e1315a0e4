import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
  findUnprocessedChargeback,
  hearChargebackStep,
  listUnprocessedChargebacks,
} from '../../src/transactions/changes/chargebacks.sql.ts';
import { until } from '../running-service.ts';
import { type BillingChargesHouse, openBillingChargesHouse } from './billing-charges-house.ts';

let house: BillingChargesHouse;

before(async () => {
  house = await openBillingChargesHouse();
});
after(() => house.close());

const TIMEOUT = { timeout: 180_000 };

async function hear(transactionId: string): Promise<number> {
  const [rows = []] = await house.books.commit([hearChargebackStep(house.merchantId, transactionId)]);
  return rows.length;
}

/** What waits to be heard, of this test's merchant and of all. */
async function unheard(): Promise<string[]> {
  const listed = await listUnprocessedChargebacks(house.books, 100);
  const first = await findUnprocessedChargeback(house.books, house.merchantId);
  assert.deepEqual(first, listed[0] ?? null);
  return listed.map(({ transactionId }) => transactionId);
}

test(
  'a billing’s charge that its holder took back is to be heard once; a payment’s is not',
  TIMEOUT,
  async () => {
    const { transactionId, billingId } = await house.charge(4_990);
    const payment = await house.sell(4_990, 1);
    assert.equal((await house.force(payment, 'chargeback', 1)).status, 200);
    assert.deepEqual(await unheard(), []);
    assert.equal((await house.force(transactionId, 'chargeback', 1)).status, 200);
    assert.deepEqual(await listUnprocessedChargebacks(house.books, 100), [
      { merchantId: house.merchantId, transactionId, referenceTransaction: billingId },
    ]);
    assert.deepEqual(await unheard(), [transactionId]);
    assert.equal(await findUnprocessedChargeback(house.books, 'OUTRA'), null);
    assert.equal((await house.read(transactionId)).statusDescription, 'Cancelada');
    assert.equal(await hear(transactionId), 1);
    assert.deepEqual(await unheard(), []);
    assert.equal(await hear(transactionId), 0);
  },
);

test(
  'a part that is taken back is to be heard, and so is more than is left, which is refused',
  TIMEOUT,
  async () => {
    const { transactionId } = await house.charge(4_990);
    for (const amount of [1, 2]) {
      assert.equal((await house.force(transactionId, 'chargeback', 1, amount)).status, 200);
      assert.deepEqual(await unheard(), [transactionId]);
      assert.equal(await hear(transactionId), 1);
    }
    const changeId = randomUUID();
    await house.auditor.query(
      `insert into acquirer_changes (merchant_id, change_id, reference, installment_number, event, happened_at, amount)
     values ($1, $2, $3, 1, 'chargeback', now(), 4990)`,
      [house.merchantId, changeId, transactionId],
    );
    assert.equal((await house.untilChange(changeId, 'refused')).reason, 'otherAmount');
    assert.deepEqual(await unheard(), [transactionId]);
    assert.equal(await hear(transactionId), 1);
  },
);

test('a block, a payment and a cancel of a billing’s charge are nothing to hear', TIMEOUT, async () => {
  const { transactionId } = await house.charge(4_990);
  for (const type of ['block', 'unblock', 'settle'])
    assert.equal((await house.force(transactionId, type, 1)).status, 200);
  assert.equal((await house.cancel(transactionId)).status, 200);
  assert.deepEqual(await unheard(), []);
});

test('a chargeback of what a cancel took already is heard as well', TIMEOUT, async () => {
  const { transactionId } = await house.charge(5_000, { installmentCount: 2 });
  assert.equal((await house.cancel(transactionId, 2_500)).status, 200);
  assert.deepEqual(await house.statuses(transactionId), ['Autorizada', 'Cancelada']);
  const changeId = randomUUID();
  await house.auditor.query(
    `insert into acquirer_changes (merchant_id, change_id, reference, installment_number, event, happened_at, amount)
     values ($1, $2, $3, 2, 'chargeback', now(), 2500)`,
    [house.merchantId, changeId, transactionId],
  );
  await house.untilChange(changeId, 'applied');
  assert.deepEqual(await house.statuses(transactionId), ['Cancelada', 'Cancelada']);
  await until('it is told', async () => (await unheard()).length === 1);
  assert.equal(await hear(transactionId), 1);
});
