import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { keptSums } from '../kit/kept-sums.ts';
import { openAuditor } from '../kit/service.ts';
import { plantBilling, plantSubscription } from './billing-rows.ts';
import { type BillingService, openBillingService } from './billing-service.ts';

const SUMS = keptSums('billings');
const WRITERS = 8;
const COMMITS = 12;
/** About one in sixteen puts a day together: none in so many is one in 10^13. */
const MOST_COMMITS = 500;

let service: BillingService;
before(async () => {
  service = await openBillingService();
});
after(() => service.close());

const sumsOf = (day: string) =>
  service.auditor.query(
    `select billing_state as state, sum(count)::int as count, sum(amount)::int as amount from billing_days
     where due_on = $1 group by billing_state having sum(count) <> 0 or sum(amount) <> 0 order by billing_state`,
    [day],
  );

async function plant(dueOn: string, change: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { subscriptionId } = await plantSubscription(service);
  return plantBilling(service, subscriptionId, { due_on: dueOn, ...change });
}

const setAmount = (billingId: string, amount: number) =>
  service.auditor.query('update billings set amount = $2 where billing_id = $1', [billingId, amount]);

const rowsOf = async (day: string) => {
  const [row] = await service.auditor.query(
    'select count(*)::int as count from billing_days where due_on = $1',
    [day],
  );
  return row?.count as number;
};

test('a billing is summed up on its due day, by its state, and moves with it', async () => {
  const [first] = await Promise.all([plant('2026-12-01'), plant('2026-12-01', { amount: 10 })]);
  assert.deepEqual(await sumsOf('2026-12-01'), [{ state: 'opened', count: 2, amount: 5_000 }]);
  const reply = await service.ask(`/v1/recurrences/billing/${first}/cancel`, { method: 'POST' });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(await sumsOf('2026-12-01'), [
    { state: 'canceled', count: 1, amount: 4_990 },
    { state: 'opened', count: 1, amount: 10 },
  ]);
  // The next one, which the cancel opened.
  assert.deepEqual(await sumsOf('2026-12-31'), [{ state: 'opened', count: 1, amount: 4_990 }]);
  await SUMS.assertAddUp(service.auditor);
});

test('many writers of one day wait for none and lose nothing, and its rows are put together', async () => {
  const day = '2027-01-04';
  const planted: string[] = [];
  for (let writer = 0; writer < WRITERS; writer += 1) planted.push(await plant(day));
  await Promise.all(
    planted.map(async (billingId) => {
      for (let commit = 1; commit <= COMMITS; commit += 1) await setAmount(billingId, commit * 10);
    }),
  );
  await SUMS.assertAddUp(service.auditor);
  assert.deepEqual(await sumsOf(day), [{ state: 'opened', count: WRITERS, amount: WRITERS * COMMITS * 10 }]);
  let [rows, commits] = [await rowsOf(day), 0];
  for (let before = 0; rows >= before && commits < MOST_COMMITS; commits += 1) {
    before = rows;
    await setAmount(planted[0] as string, commits);
    rows = await rowsOf(day);
  }
  assert.ok(commits < MOST_COMMITS, `${rows} rows`);
  await SUMS.assertAddUp(service.auditor);
});

test('what changes nothing that is summed adds no row', async () => {
  const day = '2027-01-05';
  const billingId = await plant(day);
  await service.auditor.query('update billings set fence = fence + 1 where billing_id = $1', [billingId]);
  assert.equal(await rowsOf(day), 1);
});

test('the script of the operator sums up what there is, once, while others write', async () => {
  const planted = await Promise.all([plant('2027-02-01'), plant('2027-02-01'), plant('2027-02-02')]);
  await service.auditor.query('delete from billing_days');
  assert.notDeepEqual(await SUMS.differences(service.auditor), []);
  await Promise.all([SUMS.mend(service.auditor), ...planted.map((billingId) => setAmount(billingId, 77))]);
  await SUMS.assertAddUp(service.auditor);
  const before = await service.auditor.query('select count(*)::int as count from billing_days');
  await SUMS.mend(service.auditor);
  assert.deepEqual(await service.auditor.query('select count(*)::int as count from billing_days'), before);
});

test('who writes billings needs no right on their sums', async () => {
  const { runtime } = service.database;
  const billingId = await plant('2027-03-01');
  const beside = openAuditor(runtime);
  try {
    await service.auditor.query(`revoke all on billing_days from "${runtime.user}"`);
    await assert.rejects(beside.query('select from billing_days'), /permission denied/);
    await beside.query('update billings set amount = 55 where billing_id = $1', [billingId]);
  } finally {
    await service.auditor.query(`grant select, insert, update, delete on billing_days to "${runtime.user}"`);
    await beside.close();
  }
  assert.deepEqual(await sumsOf('2027-03-01'), [{ state: 'opened', count: 1, amount: 55 }]);
});

test('what is deleted is taken off its day, and what empties billings empties their sums', async () => {
  const billingId = await plant('2027-04-01');
  await service.auditor.query('delete from billings where billing_id = $1', [billingId]);
  assert.deepEqual(await sumsOf('2027-04-01'), []);
  await SUMS.assertAddUp(service.auditor);
  await service.auditor.query('truncate billings cascade');
  assert.deepEqual(await service.auditor.query('select from billing_days'), []);
});
