import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { newTry } from '../../src/platform/chance.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { NO_DEADLINE } from '../../src/platform/postgres/deadline.ts';
import {
  chargeIntentsWrite,
  type StartedCharge,
} from '../../src/recurrence/collection/charge-intents.sql.ts';
import { NO_WINDOW } from '../../src/recurrence/collection/day-window.ts';
import { findDueOf } from '../../src/recurrence/collection/due-billings.sql.ts';
import { call, logIn } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { intentOf, type Planted, plantBilling, plantSubscription, type RowsOf } from './billing-rows.ts';
import { NOTHING_CHARGED } from './recurrence-service.ts';

const PAST = { due_on: '2026-01-01' };

let service: TestService;
let rows: RowsOf;
let database: Database;
let token: string;

before(async () => {
  service = await openTestService(NOTHING_CHARGED);
  const demo = await service.demo();
  rows = { auditor: service.auditor, merchantId: demo.merchantId };
  database = openDatabase(service.database.address, () => {});
  token = await logIn(service.gatewayUrl, demo.recurrence);
});
after(async () => {
  await database?.close();
  await service?.close();
});

/** Asked for and left behind by a process that died: no process ends the subscriptions for an hour. */
const askForEnding = ({ planId }: Planted) =>
  service.auditor.query(
    `insert into plan_cancellations (merchant_id, plan_id, canceled_by, canceled_at, asked_at, lease_expires_at)
     values ($1, $2, 'alguem', now(), clock_timestamp(), now() + interval '1 hour')`,
    [rows.merchantId, planId],
  );

function takeOf(planted: Planted, billingId: string, attemptNumber: number | null = 1): StartedCharge {
  const intent = intentOf(rows.merchantId, billingId, planted.vaultId);
  return { ...planted, billingId, fence: 0, attemptNumber, taker: newTry(), intent };
}

async function take(row: StartedCharge): Promise<unknown> {
  const takes = chargeIntentsWrite(database);
  return (await takes.write([row], [NO_DEADLINE])).get(takes.key(row));
}

async function isFoundDue(billingId: string): Promise<boolean> {
  const request = { window: NO_WINDOW, inHand: [], fromTurn: 0, limit: 50 };
  return (await findDueOf(database, request, rows.merchantId)).some((due) => due.billingId === billingId);
}

/** A connection of its own with a transaction that is open. */
async function openTransaction(): Promise<pg.Client> {
  const client = new pg.Client(service.database.address);
  await client.connect();
  await client.query('begin');
  return client;
}

const waitingFor = async (kind: 'advisory' | 'transactionid') =>
  (
    await service.auditor.query(
      `select from pg_locks l join pg_stat_activity a using (pid)
       where not l.granted and l.locktype = $1 and a.datname = current_database()`,
      [kind],
    )
  ).length > 0;

test('what ends with its plan is neither found nor taken on schedule; who came behind the cancel is', async () => {
  const planted = await plantSubscription(rows);
  const billingId = await plantBilling(rows, planted.subscriptionId, PAST);
  assert.equal(await isFoundDue(billingId), true);
  await askForEnding(planted);
  assert.equal(await isFoundDue(billingId), false);
  assert.equal(await take(takeOf(planted, billingId)), 'notTaken');

  // The plan is active again, and takes somebody new.
  await service.auditor.query(
    'update subscriptions set state_since = clock_timestamp() where subscription_id = $1',
    [planted.subscriptionId],
  );
  assert.equal(await isFoundDue(billingId), true);
  assert.equal(await take(takeOf(planted, billingId)), 'committed');
});

test('what its merchant asks for by hand is charged, whatever became of the plan', async () => {
  const planted = await plantSubscription(rows);
  const billingId = await plantBilling(rows, planted.subscriptionId, { state: 'denied', charges_made: 1 });
  await askForEnding(planted);
  assert.equal(await take(takeOf(planted, billingId, null)), 'committed');
});

test('while a plan is being canceled nothing of it is taken, and nobody waits', async () => {
  const planted = await plantSubscription(rows);
  const billingId = await plantBilling(rows, planted.subscriptionId, PAST);
  const canceling = await openTransaction();
  await canceling.query(
    `select pg_advisory_xact_lock(hashtextextended($1::text || '|' || $2::uuid::text, 0))`,
    [rows.merchantId, planted.planId],
  );
  assert.equal(await take(takeOf(planted, billingId)), 'notTaken');
  await canceling.query('rollback');
  await canceling.end();
  assert.equal(await take(takeOf(planted, billingId)), 'committed');
});

test('a cancel is answered behind the charges of its plan that have begun', async () => {
  const planted = await plantSubscription(rows);
  const billingId = await plantBilling(rows, planted.subscriptionId, PAST);
  const other = await openTransaction();
  await other.query('select from billings where billing_id = $1 for update', [billingId]);
  const order: string[] = [];
  const taking = take(takeOf(planted, billingId)).then((result) => order.push(`charge ${result}`));
  await until('the charge is being taken', () => waitingFor('transactionid'));
  const canceling = call(service.gatewayUrl, `/v1/recurrences/plans/${planted.planId}/status`, {
    token,
    body: { status: 'Canceled' },
  }).then(({ status }) => order.push(`cancel ${status}`));
  await until('the cancel waits for it', () => waitingFor('advisory'));
  await other.query('rollback');
  await other.end();
  await Promise.all([taking, canceling]);
  assert.deepEqual(order, ['charge committed', 'cancel 200']);
});

test('a subscription that is being activated is seen by the cancel of its plan, or not meant', async () => {
  const planted = await plantSubscription(rows, { state: 'canceled', reason: 'user' });
  const other = await openTransaction();
  await other.query('select from subscriptions where subscription_id = $1 for update', [
    planted.subscriptionId,
  ]);
  const ask = (path: string, status: string) =>
    call(service.gatewayUrl, `/v1/recurrences/${path}/status`, { token, body: { status } });
  const activating = ask(`subscriptions/${planted.subscriptionId}`, 'Actived');
  await until('it waits for the subscription', () => waitingFor('transactionid'));
  const canceling = ask(`plans/${planted.planId}`, 'Canceled');
  await until('the cancel waits for it', () => waitingFor('advisory'));
  await other.query('rollback');
  await other.end();
  assert.deepEqual([(await activating).status, (await canceling).status], [200, 200]);
  const [row] = await service.auditor.query(
    'select state, reason from subscriptions where subscription_id = $1',
    [planted.subscriptionId],
  );
  assert.deepEqual(row, { state: 'canceled', reason: 'plan' });
});
