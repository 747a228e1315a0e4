import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../running-service.ts';
import { type ChangesHouse, openChangesHouse } from './changes-house.ts';

let house: ChangesHouse;

before(async () => {
  house = await openChangesHouse();
});
afterEach(() => house.bridge.rewriteChanges(null));
after(() => house.close());

const TIMEOUT = { timeout: 180_000 };
const CARD_NUMBER = '4111111111111111';

const counted = (outcome: string) => house.metric(`parcela_acquirer_changes_total{outcome="${outcome}"}`);
const pages = (outcome: string) => house.metric(`parcela_acquirer_change_pages_total{outcome="${outcome}"}`);
const kept = () => house.auditor.query('select item, reason from unreadable_changes order by item');

/** Has every merchant's cursor asked again at once. */
const askNow = () => house.auditor.query('update acquirer_cursors set due_at = now()');

test('an item that cannot be read is kept, and what comes behind it is applied', TIMEOUT, async () => {
  const paymentId = await house.sell(5_000, 1);
  house.bridge.rewriteChanges(({ items, ...page }) => ({
    ...page,
    items: [
      null,
      { changeId: 'r-1', merchantId: house.merchantId, type: 'refunded', reference: CARD_NUMBER, cvv: '123' },
      ...(items as unknown[]),
    ],
  }));
  const changeId = await house.bookAtAcquirer(paymentId, 'settled', 1);
  await house.untilChange(changeId, 'applied');
  assert.deepEqual(await house.statuses(paymentId), ['Paga']);
  await until('it is counted', async () => (await counted('unreadable')) >= 4);
  const rows = await kept();
  assert.deepEqual(rows, [
    { item: 'null', reason: 'it has no changeId' },
    {
      item: `{"changeId":"r-1","merchantId":"${house.merchantId}","type":"refunded","reference":"…","otherFields":["cvv"]}`,
      reason: 'it has no installmentNumber',
    },
  ]);
  const warnings = house.service.log.filter((line) => line.includes('was no change'));
  assert.equal(warnings.length, 2, 'each reason is said once, however often it is told');
  assert.ok(!house.service.log.some((line) => line.includes(CARD_NUMBER)));
});

test('the operator sees what was refused, unreadable or impossible', TIMEOUT, async () => {
  const paymentId = await house.sell(5_000, 1);
  await house.auditor.query(
    `insert into acquirer_changes (merchant_id, change_id, reference, installment_number, event, happened_at, amount)
     values ($1, 'too-much', $2, 1, 'chargeback', now(), 5001)`,
    [house.merchantId, paymentId],
  );
  await house.untilChange('too-much', 'refused');
  const { exitCode, printed } = await house.parcela('resolve', 'changes', '--json');
  assert.equal(exitCode, 0);
  const { items } = JSON.parse(printed) as { items: Record<string, unknown>[] };
  const [newest, ...others] = items;
  assert.deepEqual(
    [newest?.merchantId, newest?.reason, newest?.item],
    [house.merchantId, 'otherAmount', null],
  );
  const { happenedAt, ...change } = (newest?.change ?? {}) as Record<string, unknown>;
  assert.match(String(happenedAt), /Z$/);
  assert.deepEqual(change, {
    changeId: 'too-much',
    reference: paymentId,
    installmentNumber: 1,
    event: 'chargeback',
    amount: 5_001,
  });
  assert.equal(others.length, 2);
  const table = await house.parcela('resolve', 'changes', '--limit', '1');
  assert.match(table.printed, /otherAmount +chargeback of 50\.01, installment 1 of/);
});

test('a page that is none stops what it told of, is said, and is asked for again', TIMEOUT, async () => {
  const before = await pages('unknown');
  house.bridge.rewriteChanges(() => ({ items: 'none' }));
  const paymentId = await house.sell(5_000, 1);
  const changeId = await house.bookAtAcquirer(paymentId, 'settled', 1);
  await askNow();
  await until('it was asked for', async () => (await pages('unknown')) > before);
  await until('the log tells of it', async () =>
    house.service.log.some((line) => line.includes('does not tell of its changes')),
  );
  const age = await house.metric('parcela_acquirer_changes_age_seconds');
  assert.ok(age > 0);
  house.bridge.rewriteChanges(null);
  await askNow();
  await house.untilChange(changeId, 'applied');
  await until('the log tells of its end', async () =>
    house.service.log.some((line) => line.includes('tells of its changes again')),
  );
});
