import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../kit/service.ts';
import { type ChangesService, openChangesService } from './changes-service.ts';

let service: ChangesService;

before(async () => {
  service = await openChangesService();
});
afterEach(() => service.bridge.rewriteChanges(null));
after(() => service.close());

const CARD_NUMBER = '4111111111111111';

const counted = (outcome: string) => service.metric(`parcela_acquirer_changes_total{outcome="${outcome}"}`);
const pages = (outcome: string) =>
  service.metric(`parcela_acquirer_change_pages_total{outcome="${outcome}"}`);
const kept = () => service.auditor.query('select item, reason from unreadable_changes order by item');

/** Has every merchant's cursor asked again at once. */
const askNow = () => service.auditor.query('update acquirer_cursors set due_at = now()');

test('an item that cannot be read is kept, and what comes behind it is applied', async () => {
  const paymentId = await service.sell(5_000, 1);
  service.bridge.rewriteChanges(({ items, ...page }) => ({
    ...page,
    items: [
      null,
      {
        changeId: 'r-1',
        merchantId: service.merchantId,
        type: 'refunded',
        reference: CARD_NUMBER,
        cvv: '123',
      },
      ...(items as unknown[]),
    ],
  }));
  const changeId = await service.bookAtAcquirer(paymentId, 'settled', 1);
  await service.untilChange(changeId, 'applied');
  assert.deepEqual(await service.statuses(paymentId), ['Paga']);
  await until('it is counted', async () => (await counted('unreadable')) >= 4);
  const rows = await kept();
  assert.deepEqual(rows, [
    { item: 'null', reason: 'it has no changeId' },
    {
      item: `{"changeId":"r-1","merchantId":"${service.merchantId}","type":"refunded","reference":"…","otherFields":["cvv"]}`,
      reason: 'it has no at that can be',
    },
  ]);
  const warnings = service.log.filter((line) => line.includes('was no change'));
  assert.equal(warnings.length, 2, 'each reason is said once, however often it is told');
  assert.ok(!service.log.some((line) => line.includes(CARD_NUMBER)));
});

test('the operator sees what was refused, unreadable or impossible', async () => {
  const paymentId = await service.sell(5_000, 1);
  await service.auditor.query(
    `insert into acquirer_changes (merchant_id, change_id, reference, installment_number, event, happened_at, amount, source)
     values ($1, 'too-much', $2, 1, 'chargeback', now(), 5001, 'feed')`,
    [service.merchantId, paymentId],
  );
  await service.untilChange('too-much', 'refused');
  const { exitCode, printed } = await service.parcela('resolve', 'changes', '--json');
  assert.equal(exitCode, 0);
  const { items } = JSON.parse(printed) as { items: Record<string, unknown>[] };
  const [newest, ...others] = items;
  assert.deepEqual(
    [newest?.merchantId, newest?.reason, newest?.item],
    [service.merchantId, 'otherAmount', null],
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
  const table = await service.parcela('resolve', 'changes', '--limit', '1');
  assert.match(table.printed, /otherAmount +chargeback of 50\.01, installment 1 of/);
});

test('a page that is none stops what it reported, is logged, and is asked for again', async () => {
  const before = await pages('unknown');
  service.bridge.rewriteChanges(() => ({ items: 'none' }));
  const paymentId = await service.sell(5_000, 1);
  const changeId = await service.bookAtAcquirer(paymentId, 'settled', 1);
  await askNow();
  await until('it was asked for', async () => (await pages('unknown')) > before);
  await until('the log tells of it', async () =>
    service.log.some((line) => line.includes('calls to the acquirer get no clear answer')),
  );
  const age = await service.metric('parcela_acquirer_changes_age_seconds{provider="default"}');
  assert.ok(age > 0);
  service.bridge.rewriteChanges(null);
  await askNow();
  await service.untilChange(changeId, 'applied');
  await until('the log tells of its end', async () =>
    service.log.some((line) => line.includes('the acquirer answers again')),
  );
});
