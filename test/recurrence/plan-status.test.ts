import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { databaseSettings, openTestProcess, startService, until } from '../kit/service.ts';
import {
  billingOf,
  createdPlan,
  enrol,
  movePlan,
  openPlansService,
  PLANS,
  type PlansService,
  readPlan,
  statesOf,
  tagsOf,
  withPlans,
} from './plans-service.ts';
import { NOTHING_CHARGED } from './recurrence-service.ts';

let service: PlansService;
before(async () => {
  service = await openPlansService();
});
after(() => service.close());

const waitingOf = async ({ auditor }: Pick<PlansService, 'auditor'>, planId: string) =>
  (await auditor.query('select * from plan_cancellations where plan_id = $1', [planId])).length;

const setBilling = (subscriptionId: string | undefined, change: string) =>
  service.auditor.query(`update billings set ${change} where subscription_id = $1`, [subscriptionId]);

test('a plan goes from any status to any other, and shows who moved it', async () => {
  const planId = await createdPlan(service);
  const states = ['Active', 'Inactive', 'Canceled'];
  for (const from of states) {
    for (const to of states) {
      assert.equal((await movePlan(service, planId, from)).status, 200);
      const reply = await movePlan(service, planId, to);
      assert.deepEqual([reply.status, reply.body], [200, planId]);
      assert.equal((await readPlan(service, planId)).body.status, to);
    }
  }
  assert.equal((await readPlan(service, planId)).body.modifiedBy, service.userName);
});

test('a plan that is Active already is not changed by being set so again', async () => {
  const planId = await createdPlan(service);
  assert.equal((await movePlan(service, planId, 'Active')).status, 200);
  assert.equal((await readPlan(service, planId)).body.modifiedBy, undefined);
});

test('another status is refused', async () => {
  const planId = await createdPlan(service);
  for (const status of ['Actived', 'active', '', 1, null]) {
    const reply = await service.ask(`${PLANS}/${planId}/status`, { body: { status } });
    assert.deepEqual(tagsOf(reply), [400, ['status']]);
  }
});

test('an Inactive plan keeps its subscriptions', async () => {
  const planId = await createdPlan(service);
  const [subscriptionId] = await enrol(service, planId);
  await movePlan(service, planId, 'Inactive');
  assert.deepEqual(await statesOf(service, planId), { active: 1 });
  assert.equal((await billingOf(service, subscriptionId)).state, 'opened');
});

test('a canceled plan cancels its active and blocked subscriptions, and says why and by whom', async () => {
  const planId = await createdPlan(service);
  const beside = await createdPlan(service);
  await enrol(service, beside);
  const [subscriptionId] = await enrol(service, planId);
  await enrol(service, planId, 2, 'blocked');
  await enrol(service, planId, 3, 'canceled');
  assert.equal((await movePlan(service, planId, 'Canceled')).status, 200);
  assert.deepEqual(await statesOf(service, planId), { 'canceled plan': 3, 'canceled user': 3 });
  assert.deepEqual(await statesOf(service, beside), { active: 1 });
  assert.equal(await waitingOf(service, planId), 0);
  const [row] = await service.auditor.query('select * from subscriptions where subscription_id = $1', [
    subscriptionId,
  ]);
  const [plan] = await service.auditor.query('select * from plans where plan_id = $1', [planId]);
  assert.deepEqual([row?.modified_by, row?.modified_at], [service.userName, plan?.modified_at]);
});

test('what was never charged is skipped, what was is canceled, and a charge under way takes its outcome', async () => {
  const planId = await createdPlan(service);
  const [untouched, retried, byHand, charging] = await enrol(service, planId, 4);
  await setBilling(retried, `charges_made = 1, charge_on = due_on + 2`);
  await setBilling(charging, 'transaction_id = gen_random_uuid()');
  await service.auditor.query(
    `insert into billing_charges (merchant_id, billing_id, charge_number, started_at, ended_at, outcome, created_by)
     select merchant_id, billing_id, 1, now(), now(), 'technical', 'test' from billings where subscription_id = $1`,
    [byHand],
  );
  assert.equal((await movePlan(service, planId, 'Canceled')).status, 200);
  const billings = [untouched, retried, byHand, charging].map((id) => billingOf(service, id));
  const shown = (await Promise.all(billings)).map((row) => [
    row.state,
    row.is_skipped,
    row.charge_on === null,
    row.modified_by,
  ]);
  assert.deepEqual(shown, [
    ['canceled', true, true, service.userName],
    ['canceled', false, true, service.userName],
    ['canceled', false, true, service.userName],
    ['opened', false, false, null],
  ]);
  assert.deepEqual(await statesOf(service, planId), { 'canceled plan': 4 });
});

test('thousands of subscriptions are canceled with their plan, in batches', async () => {
  const planId = await createdPlan(service);
  await enrol(service, planId, 2_500);
  await enrol(service, planId, 1_001, 'blocked');
  assert.equal((await movePlan(service, planId, 'Canceled')).status, 200);
  await until('all are canceled', async () => (await waitingOf(service, planId)) === 0);
  assert.deepEqual(await statesOf(service, planId), { 'canceled plan': 3_501 });
  const open = await service.auditor.query(
    `select from billings b join subscriptions s using (merchant_id, subscription_id)
     where s.plan_id = $1 and b.state = 'opened'`,
    [planId],
  );
  assert.equal(open.length, 0);
});

/** What a request leaves behind that died before it began. */
const leaveBehind = (planId: string, leaseEnds: string) =>
  service.auditor.query(
    `insert into plan_cancellations (merchant_id, plan_id, canceled_by, canceled_at, asked_at, lease_expires_at)
     values ($1, $2, 'alguem', now(), clock_timestamp(), now() + $3::interval)`,
    [service.merchantId, planId, leaseEnds],
  );

test('what a request left behind is worked off when its lease is over, and not before', async () => {
  const [left, held] = [await createdPlan(service), await createdPlan(service)];
  for (const planId of [left, held]) await enrol(service, planId, 3);
  await leaveBehind(held, '1 hour');
  await leaveBehind(left, '-1 second');
  await until('it is worked off', async () => (await waitingOf(service, left)) === 0);
  assert.deepEqual(await statesOf(service, left), { 'canceled plan': 3 });
  assert.deepEqual(await statesOf(service, held), { active: 3 });
  assert.equal(await waitingOf(service, held), 1);
});

test('who enrols in a plan that is active again stays, who was active before it was canceled does not', async () => {
  const planId = await createdPlan(service);
  await enrol(service, planId, 2);
  await leaveBehind(planId, '1 hour');
  await enrol(service, planId, 3);
  await service.auditor.query(`update plan_cancellations set lease_expires_at = now() where plan_id = $1`, [
    planId,
  ]);
  await until('it is worked off', async () => (await waitingOf(service, planId)) === 0);
  assert.deepEqual(await statesOf(service, planId), { active: 3, 'canceled plan': 2 });
});

test('a plan that is canceled once more cancels what was activated in between', async () => {
  const planId = await createdPlan(service);
  await enrol(service, planId, 2);
  await movePlan(service, planId, 'Canceled');
  await service.auditor.query(
    `update subscriptions set state = 'active', reason = null, state_since = clock_timestamp() where plan_id = $1`,
    [planId],
  );
  assert.equal((await movePlan(service, planId, 'Canceled')).status, 200);
  assert.deepEqual(await statesOf(service, planId), { 'canceled plan': 2 });
});

test('of enrolments that come while a plan is canceled none is left active', async () => {
  for (let turn = 0; turn < 10; turn += 1) {
    const planId = await createdPlan(service);
    await enrol(service, planId, 5);
    const enrolling = Array.from({ length: 8 }, () => enrol(service, planId));
    const [moved] = await Promise.all([movePlan(service, planId, 'Canceled'), ...enrolling]);
    assert.equal(moved.status, 200, moved.text);
    await until('all are canceled', async () => (await waitingOf(service, planId)) === 0);
    assert.deepEqual(Object.keys(await statesOf(service, planId)), ['canceled plan']);
  }
});

/** Holds the lock of a subscription as somebody else would who changes it, until it is let go. */
async function holding(
  { database }: Pick<PlansService, 'database'>,
  subscriptionId: string | undefined,
): Promise<{ client: pg.Client; letGo(): Promise<void> }> {
  const client = new pg.Client(database.address);
  await client.connect();
  await client.query('begin');
  await client.query('select from subscriptions where subscription_id = $1 for update', [subscriptionId]);
  return {
    client,
    async letGo() {
      await client.query('commit');
      await client.end();
    },
  };
}

test('one subscription that somebody holds keeps no other from its end, and what was opened meanwhile ends too', async () => {
  const planId = await createdPlan(service);
  const [subscriptionId] = await enrol(service, planId);
  await setBilling(subscriptionId, `state = 'paid', charge_on = null`);
  await enrol(service, planId, 4);
  const other = await holding(service, subscriptionId);
  assert.equal((await movePlan(service, planId, 'Canceled')).status, 200);
  assert.deepEqual(await statesOf(service, planId), { active: 1, 'canceled plan': 4 });
  await other.client.query(
    `insert into billings (merchant_id, billing_id, subscription_id, installment, state, amount, due_on, charge_on, created_by,
       created_at)
     values ($1, gen_random_uuid(), $2, 2, 'opened', 4990, '2026-12-31', '2026-12-31', 'system', now())`,
    [service.merchantId, subscriptionId],
  );
  await other.letGo();
  await until('all are canceled', async () => (await waitingOf(service, planId)) === 0);
  const rows = await service.auditor.query(
    'select state, is_skipped from billings where subscription_id = $1 order by installment',
    [subscriptionId],
  );
  assert.deepEqual(rows, [
    { state: 'paid', is_skipped: false },
    { state: 'canceled', is_skipped: true },
  ]);
});

test('one billing that somebody holds keeps no other subscription from its end, nor its own open for ever', async () => {
  const planId = await createdPlan(service);
  const [subscriptionId] = await enrol(service, planId, 5);
  const client = new pg.Client(service.database.address);
  await client.connect();
  await client.query('begin');
  await client.query('select from billings where subscription_id = $1 for update', [subscriptionId]);
  assert.equal((await movePlan(service, planId, 'Canceled')).status, 200);
  assert.deepEqual(await statesOf(service, planId), { active: 1, 'canceled plan': 4 });
  await client.query('rollback');
  await client.end();
  await until('all are canceled', async () => (await waitingOf(service, planId)) === 0);
  assert.deepEqual(await statesOf(service, planId), { 'canceled plan': 5 });
  assert.equal((await billingOf(service, subscriptionId)).state, 'canceled');
});

test('a walk that fails hands its lease back: who goes on need not wait for the end of it', async () => {
  const planId = await createdPlan(service);
  await enrol(service, planId, 3);
  const client = new pg.Client(service.database.address);
  await client.connect();
  await client.query('begin');
  await client.query('lock table subscription_events in access exclusive mode');
  await leaveBehind(planId, '-1 second');
  const leaseSeconds = async () => {
    const [row] = await service.auditor.query(
      `select extract(epoch from lease_expires_at - now())::float8 as seconds from plan_cancellations where plan_id = $1`,
      [planId],
    );
    return row?.seconds as number;
  };
  await until('somebody works on it', async () => (await leaseSeconds()) > 20);
  await until('it failed, and was handed back', async () => (await leaseSeconds()) < 5, 10_000);
  await client.query('rollback');
  await client.end();
  await until('it is worked off', async () => (await waitingOf(service, planId)) === 0);
  assert.deepEqual(await statesOf(service, planId), { 'canceled plan': 3 });
});

test('what a killed process was in the middle of is finished after the next start', async () => {
  const own = await withPlans(await openTestProcess(NOTHING_CHARGED));
  try {
    const planId = await createdPlan(own);
    const ids = (await enrol(own, planId, 2_500)).sort();
    const other = await holding(own, ids.at(-1));
    const moving = movePlan(own, planId, 'Canceled').catch(() => null);
    const canceled = async () => (await statesOf(own, planId))['canceled plan'] ?? 0;
    await until('the first are canceled', async () => (await canceled()) >= 1_000);
    await own.kill();
    await moving;
    await other.letGo();
    assert.ok((await canceled()) < 2_500);
    const settings = databaseSettings(own.database);
    const again = await startService({ folder: own.folder, settings });
    await until('all are canceled', async () => (await waitingOf(own, planId)) === 0, 60_000);
    assert.deepEqual(await statesOf(own, planId), { 'canceled plan': 2_500 });
    await again.stop();
  } finally {
    await own.close();
  }
});
