import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { databaseSettings, startService, until } from '../running-service.ts';
import {
  billingOf,
  createdPlan,
  enrol,
  movePlan,
  openPlansHouse,
  PLANS,
  type PlansHouse,
  readPlan,
  statesOf,
  tagsOf,
} from './plans-house.ts';

let house: PlansHouse;
before(async () => {
  house = await openPlansHouse();
});
after(() => house.close());

const waitingOf = async ({ auditor }: Pick<PlansHouse, 'auditor'>, planId: string) =>
  (await auditor.query('select * from plan_cancellations where plan_id = $1', [planId])).length;

const setBilling = (subscriptionId: string | undefined, change: string) =>
  house.auditor.query(`update billings set ${change} where subscription_id = $1`, [subscriptionId]);

test('a plan goes from any status to any other, and shows who moved it', async () => {
  const planId = await createdPlan(house);
  const states = ['Active', 'Inactive', 'Canceled'];
  for (const from of states) {
    for (const to of states) {
      assert.equal((await movePlan(house, planId, from)).status, 200);
      const reply = await movePlan(house, planId, to);
      assert.deepEqual([reply.status, reply.body], [200, planId]);
      assert.equal((await readPlan(house, planId)).body.status, to);
    }
  }
  assert.equal((await readPlan(house, planId)).body.modifiedBy, house.userName);
});

test('a plan that is Active already is not changed by being told so', async () => {
  const planId = await createdPlan(house);
  assert.equal((await movePlan(house, planId, 'Active')).status, 200);
  assert.equal((await readPlan(house, planId)).body.modifiedBy, undefined);
});

test('another status is refused', async () => {
  const planId = await createdPlan(house);
  for (const status of ['Actived', 'active', '', 1, null]) {
    const reply = await house.ask(`${PLANS}/${planId}/status`, { body: { status } });
    assert.deepEqual(tagsOf(reply), [400, ['status']]);
  }
});

test('an Inactive plan keeps its subscriptions', async () => {
  const planId = await createdPlan(house);
  const [subscriptionId] = await enrol(house, planId);
  await movePlan(house, planId, 'Inactive');
  assert.deepEqual(await statesOf(house, planId), { active: 1 });
  assert.equal((await billingOf(house, subscriptionId)).state, 'opened');
});

test('a canceled plan cancels its active and blocked subscriptions, and tells why and by whom', async () => {
  const planId = await createdPlan(house);
  const beside = await createdPlan(house);
  await enrol(house, beside);
  const [subscriptionId] = await enrol(house, planId);
  await enrol(house, planId, 2, 'blocked');
  await enrol(house, planId, 3, 'canceled');
  assert.equal((await movePlan(house, planId, 'Canceled')).status, 200);
  assert.deepEqual(await statesOf(house, planId), { 'canceled plan': 3, 'canceled user': 3 });
  assert.deepEqual(await statesOf(house, beside), { active: 1 });
  assert.equal(await waitingOf(house, planId), 0);
  const [row] = await house.auditor.query('select * from subscriptions where subscription_id = $1', [
    subscriptionId,
  ]);
  const [plan] = await house.auditor.query('select * from plans where plan_id = $1', [planId]);
  assert.deepEqual([row?.modified_by, row?.modified_at], [house.userName, plan?.modified_at]);
});

test('what was never charged is skipped, what was is canceled, and a charge under way takes its outcome', async () => {
  const planId = await createdPlan(house);
  const [untouched, retried, byHand, charging] = await enrol(house, planId, 4);
  await setBilling(retried, `attempts = 1, charge_on = due_on + 2`);
  await setBilling(charging, 'transaction_id = gen_random_uuid()');
  await house.auditor.query(
    `insert into billing_charges (merchant_id, billing_id, charge_number, started_at, ended_at, outcome, created_by)
     select merchant_id, billing_id, 1, now(), now(), 'technical', 'test' from billings where subscription_id = $1`,
    [byHand],
  );
  assert.equal((await movePlan(house, planId, 'Canceled')).status, 200);
  const billings = [untouched, retried, byHand, charging].map((id) => billingOf(house, id));
  const shown = (await Promise.all(billings)).map((row) => [
    row.state,
    row.is_skipped,
    row.charge_on === null,
    row.modified_by,
  ]);
  assert.deepEqual(shown, [
    ['canceled', true, true, house.userName],
    ['canceled', false, true, house.userName],
    ['canceled', false, true, house.userName],
    ['opened', false, false, null],
  ]);
  assert.deepEqual(await statesOf(house, planId), { 'canceled plan': 4 });
});

test('thousands of subscriptions are canceled with their plan, in batches', async () => {
  const planId = await createdPlan(house);
  await enrol(house, planId, 2_500);
  await enrol(house, planId, 1_001, 'blocked');
  assert.equal((await movePlan(house, planId, 'Canceled')).status, 200);
  await until('all are canceled', async () => (await waitingOf(house, planId)) === 0);
  assert.deepEqual(await statesOf(house, planId), { 'canceled plan': 3_501 });
  const open = await house.auditor.query(
    `select from billings b join subscriptions s using (merchant_id, subscription_id)
     where s.plan_id = $1 and b.state = 'opened'`,
    [planId],
  );
  assert.equal(open.length, 0);
});

/** What a request leaves behind that died before it began. */
const leaveBehind = (planId: string, leaseEnds: string) =>
  house.auditor.query(
    `insert into plan_cancellations (merchant_id, plan_id, canceled_by, canceled_at, asked_at, lease_expires_at)
     values ($1, $2, 'alguem', now(), clock_timestamp(), now() + $3::interval)`,
    [house.merchantId, planId, leaseEnds],
  );

test('what a request left behind is worked off when its lease is over, and not before', async () => {
  const [left, held] = [await createdPlan(house), await createdPlan(house)];
  for (const planId of [left, held]) await enrol(house, planId, 3);
  await leaveBehind(held, '1 hour');
  await leaveBehind(left, '-1 second');
  await until('it is worked off', async () => (await waitingOf(house, left)) === 0);
  assert.deepEqual(await statesOf(house, left), { 'canceled plan': 3 });
  assert.deepEqual(await statesOf(house, held), { active: 3 });
  assert.equal(await waitingOf(house, held), 1);
});

test('who enrols in a plan that is active again stays, who was active before it was canceled does not', async () => {
  const planId = await createdPlan(house);
  await enrol(house, planId, 2);
  await leaveBehind(planId, '1 hour');
  await enrol(house, planId, 3);
  await house.auditor.query(`update plan_cancellations set lease_expires_at = now() where plan_id = $1`, [
    planId,
  ]);
  await until('it is worked off', async () => (await waitingOf(house, planId)) === 0);
  assert.deepEqual(await statesOf(house, planId), { active: 3, 'canceled plan': 2 });
});

test('a plan that is canceled once more cancels what was activated in between', async () => {
  const planId = await createdPlan(house);
  await enrol(house, planId, 2);
  await movePlan(house, planId, 'Canceled');
  await house.auditor.query(
    `update subscriptions set state = 'active', reason = null, state_since = clock_timestamp() where plan_id = $1`,
    [planId],
  );
  assert.equal((await movePlan(house, planId, 'Canceled')).status, 200);
  assert.deepEqual(await statesOf(house, planId), { 'canceled plan': 2 });
});

test('of enrolments that come while a plan is canceled none is left active', async () => {
  for (let turn = 0; turn < 10; turn += 1) {
    const planId = await createdPlan(house);
    await enrol(house, planId, 5);
    const enrolling = Array.from({ length: 8 }, () => enrol(house, planId));
    const [moved] = await Promise.all([movePlan(house, planId, 'Canceled'), ...enrolling]);
    assert.equal(moved.status, 200, moved.text);
    await until('all are canceled', async () => (await waitingOf(house, planId)) === 0);
    assert.deepEqual(Object.keys(await statesOf(house, planId)), ['canceled plan']);
  }
});

/** Holds the lock of a subscription as somebody else would who changes it, until it is let go. */
async function holding(
  { database }: Pick<PlansHouse, 'database'>,
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
  const planId = await createdPlan(house);
  const [subscriptionId] = await enrol(house, planId);
  await setBilling(subscriptionId, `state = 'paid', charge_on = null`);
  await enrol(house, planId, 4);
  const other = await holding(house, subscriptionId);
  assert.equal((await movePlan(house, planId, 'Canceled')).status, 200);
  assert.deepEqual(await statesOf(house, planId), { active: 1, 'canceled plan': 4 });
  await other.client.query(
    `insert into billings (merchant_id, billing_id, subscription_id, installment, state, amount, due_on, charge_on, created_by,
       created_at)
     values ($1, gen_random_uuid(), $2, 2, 'opened', 4990, '2026-12-31', '2026-12-31', 'system', now())`,
    [house.merchantId, subscriptionId],
  );
  await other.letGo();
  await until('all are canceled', async () => (await waitingOf(house, planId)) === 0);
  const rows = await house.auditor.query(
    'select state, is_skipped from billings where subscription_id = $1 order by installment',
    [subscriptionId],
  );
  assert.deepEqual(rows, [
    { state: 'paid', is_skipped: false },
    { state: 'canceled', is_skipped: true },
  ]);
});

test('one billing that somebody holds keeps no other subscription from its end, nor its own open for ever', async () => {
  const planId = await createdPlan(house);
  const [subscriptionId] = await enrol(house, planId, 5);
  const client = new pg.Client(house.database.address);
  await client.connect();
  await client.query('begin');
  await client.query('select from billings where subscription_id = $1 for update', [subscriptionId]);
  assert.equal((await movePlan(house, planId, 'Canceled')).status, 200);
  assert.deepEqual(await statesOf(house, planId), { active: 1, 'canceled plan': 4 });
  await client.query('rollback');
  await client.end();
  await until('all are canceled', async () => (await waitingOf(house, planId)) === 0);
  assert.deepEqual(await statesOf(house, planId), { 'canceled plan': 5 });
  assert.equal((await billingOf(house, subscriptionId)).state, 'canceled');
});

test('a walk that fails hands its lease back: who goes on need not wait for the end of it', async () => {
  const planId = await createdPlan(house);
  await enrol(house, planId, 3);
  const client = new pg.Client(house.database.address);
  await client.connect();
  await client.query('begin');
  await client.query('lock table subscription_events in access exclusive mode');
  await leaveBehind(planId, '-1 second');
  const leaseSeconds = async () => {
    const [row] = await house.auditor.query(
      `select extract(epoch from lease_expires_at - now())::float8 as seconds from plan_cancellations where plan_id = $1`,
      [planId],
    );
    return row?.seconds as number;
  };
  await until('somebody works on it', async () => (await leaseSeconds()) > 20);
  await until('it failed, and was handed back', async () => (await leaseSeconds()) < 5, 10_000);
  await client.query('rollback');
  await client.end();
  await until('it is worked off', async () => (await waitingOf(house, planId)) === 0);
  assert.deepEqual(await statesOf(house, planId), { 'canceled plan': 3 });
});

test('what a killed process was in the middle of is finished after the next start', {
  timeout: 240_000,
}, async () => {
  const own = await openPlansHouse();
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
