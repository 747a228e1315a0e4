import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../kit/service.ts';
import { atCielo, NO } from './at-cielo.ts';

/** What nothing is left to wait for of, at an acquirer that knows no reference. */

const { cielo, paid, ask } = atCielo();

for (const table of ['captures', 'cancels'] as const)
  test(`${table}: behind a no to the only request there is no silence, whoever ends it`, async () => {
    const { auditor } = cielo().service;
    const paymentId = await paid(table);
    await cielo().script(NO[table]);
    const said = await ask(table, paymentId);
    assert.equal(said.status, 409, said.text);
    // The silence of the test.
    const over = `select decided_at - sent_at >= interval '4 seconds' as is_over from ${table} where transaction_id = $1`;
    assert.deepEqual(await auditor.query(over, [paymentId]), [{ is_over: true }]);
  });

test('a lost hold that is too late to void ends unwatched: a watch would find what is there as before', async () => {
  const { auditor } = cielo().service;
  await cielo().script(...Array.from({ length: 12 }, () => ({ on: 'refund', returnCode: '40' })));
  const { status, order } = await cielo().pay(1_002);
  assert.equal(status, 500);
  const older = `update transactions set created_at = created_at - interval '2 days', due_at = now()
    where reference_transaction = $1 and state = 'unresolved' and unknown_reason ~ '40' returning transaction_id`;
  const [row] = await until('it is said no to', async () => {
    const rows = await auditor.query(older, [order]);
    return rows.length > 0 && rows;
  });
  await cielo().untilState(order, 'voided');
  const watched = 'select 1 from watched_charges where transaction_id = $1';
  assert.deepEqual(await auditor.query(watched, [row?.transaction_id]), []);
  await cielo().script();
});
