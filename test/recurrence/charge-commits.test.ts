import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { newTry } from '../../src/platform/chance.ts';
import { batchReads } from '../../src/platform/postgres/batched-reads.ts';
import { type BatchedWrite, batchWrites } from '../../src/platform/postgres/batched-writes.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import {
  chargeIntentsWrite,
  type StartedCharge,
} from '../../src/recurrence/collection/charge-intents.sql.ts';
import {
  type ChargeEnd,
  type ChargeEndResult,
  chargeOutcomesWrite,
} from '../../src/recurrence/collection/charge-outcomes.sql.ts';
import { NO_WINDOW } from '../../src/recurrence/collection/day-window.ts';
import { findDueOf } from '../../src/recurrence/collection/due-billings.sql.ts';
import { APPROVED, type ChargeFacts, factsOfUnsent } from '../../src/recurrence/collection/outcome-record.ts';
import { declinesRead } from '../../src/transactions/methods/card/declines.sql.ts';
import { instant } from '../../src/values/instant.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import {
  billingsOf,
  intentOf,
  type Planted,
  plantBilling,
  plantCharge,
  plantDecline,
  plantSubscription,
  type RowsOf,
} from './billing-rows.ts';
import { NOTHING_CHARGED } from './recurrence-service.ts';

const DELIVERER = { leaseForNow: () => 0, sendNow: () => {}, notify: () => {} };

let service: TestService;
let rows: RowsOf;
let database: Database;
let writeEnd: BatchedWrite<ChargeEnd, ChargeEndResult>;

before(async () => {
  service = await openTestService(NOTHING_CHARGED);
  rows = { auditor: service.auditor, merchantId: (await service.demo()).merchantId };
  database = openDatabase(service.database.address, () => {});
  writeEnd = batchWrites(chargeOutcomesWrite(database, DELIVERER, () => 0));
});
after(async () => {
  await database?.close();
  await service?.close();
});

const soon = () => performance.now() + 30_000;
const now = () => instant(Date.now());

async function stateOf(subscriptionId: string): Promise<unknown> {
  const [row] = await service.auditor.query('select state from subscriptions where subscription_id = $1', [
    subscriptionId,
  ]);
  return row?.state;
}

/** What an end needs whatever it says. */
function endOf({ subscriptionId }: Planted, billingId: string) {
  const { merchantId } = rows;
  return { merchantId, billingId, subscriptionId, by: 'system', at: now() };
}

type Change = Readonly<Record<string, unknown>>;

/** A charge on schedule that is to begin, as the engine brings it. */
function takeOf(
  { subscriptionId, planId, vaultId }: Planted,
  billingId: string,
  change: Partial<StartedCharge> = {},
): StartedCharge {
  const intent = intentOf(rows.merchantId, billingId, vaultId);
  return {
    billingId,
    subscriptionId,
    planId,
    vaultId,
    fence: 0,
    attemptNumber: 1,
    taker: newTry(),
    intent,
    ...change,
  };
}

const withId = (take: StartedCharge, transactionId: string): StartedCharge => ({
  ...take,
  intent: { ...take.intent, transactionId },
});

test('a charge by hand finds the card canceled while the next installment is paid: the blocked subscription has nothing open', async () => {
  const planted = await plantSubscription(rows);
  const [byHand, onSchedule] = [await plantDecline(rows), await plantDecline(rows)];
  const failed = { state: 'denied', charges_made: 1, transaction_id: byHand };
  const first = await plantBilling(rows, planted.subscriptionId, failed);
  const open = { installment: 2, due_on: '2026-12-31', charges_made: 1, transaction_id: onSchedule };
  const second = await plantBilling(rows, planted.subscriptionId, open);
  await plantCharge(rows, first, { attempt_number: null, transaction_id: byHand });
  await plantCharge(rows, second, { transaction_id: onSchedule });
  const lost = { ...APPROVED, result: 'blocked', code: '41', meaning: 'Cartão perdido' } as const;
  const settled = (billingId: string, transactionId: string, facts: ChargeFacts) =>
    writeEnd({ ...endOf(planted, billingId), kind: 'resolved', transactionId, facts }, soon());
  const ended = await Promise.all([settled(first, byHand, lost), settled(second, onSchedule, APPROVED)]);
  assert.deepEqual(
    ended.map(({ rule }) => rule),
    ['cardCanceled', 'paid'],
  );
  assert.equal(await stateOf(planted.subscriptionId), 'blocked');
  const states = (await billingsOf(rows, planted.subscriptionId)).map(({ state }) => state);
  assert.ok(!states.includes('opened'), `${states}`);
});

test('what is said of a card that was replaced meanwhile is not written: the billing waits for the new one', async () => {
  const planted = await plantSubscription(rows);
  const billingId = await plantBilling(rows, planted.subscriptionId);
  const unsent = {
    kind: 'unsent',
    fence: 0,
    attemptNumber: 1,
    facts: factsOfUnsent('neverAgain'),
  } as const;
  const end = { ...endOf(planted, billingId), ...unsent };
  const { isRecorded } = await writeEnd({ ...end, vaultId: randomUUID() }, soon());
  assert.equal(isRecorded, false);
  assert.equal(await stateOf(planted.subscriptionId), 'active');
  assert.deepEqual(
    (await billingsOf(rows, planted.subscriptionId)).map(({ state }) => state),
    ['opened'],
  );
  assert.equal((await writeEnd({ ...end, vaultId: planted.vaultId }, soon())).isRecorded, true);
  assert.equal(await stateOf(planted.subscriptionId), 'blocked');
});

test('of two charges of a billing at once, the one with a card that was replaced is never taken', async () => {
  const takes = chargeIntentsWrite(database);
  for (let turn = 0; turn < 4; turn += 1) {
    const planted = await plantSubscription(rows);
    const billingId = await plantBilling(rows, planted.subscriptionId, {
      state: 'denied',
      charges_made: 1,
    });
    const take = (vaultId: string) => takeOf({ ...planted, vaultId }, billingId, { attemptNumber: null });
    const first = take(planted.vaultId);
    const second = take(randomUUID());
    // One fence, one id of the charge.
    const both = [first, withId(second, first.intent.transactionId)] as const;
    const sent = turn % 2 === 0 ? both : both.toReversed();
    const results = await takes.write(sent, []);
    assert.deepEqual(
      both.map((row) => results.get(takes.key(row))),
      ['committed', 'notTaken'],
    );
  }
});

test('a billing is taken as it was found alone: not under another fence, by another charge, in its rest, or when it is over', async () => {
  const takes = chargeIntentsWrite(database);
  const soonAgain = new Date(Date.now() + 600_000);
  const byHand = { attemptNumber: null };
  const cases: [string, Change, Partial<StartedCharge>, 'committed' | 'notTaken'][] = [
    ['as it was found', { fence: 3 }, { fence: 3 }, 'committed'],
    ['found before somebody else had it', { fence: 3 }, { fence: 2 }, 'notTaken'],
    ['a charge is under way', { transaction_id: randomUUID() }, {}, 'notTaken'],
    ['it rests', { lease_expires_at: soonAgain }, {}, 'notTaken'],
    ['its rest is over', { lease_expires_at: new Date(Date.now() - 1_000) }, {}, 'committed'],
    ['it is paid', { state: 'paid', charges_made: 1 }, {}, 'notTaken'],
    ['it is paid, by hand', { state: 'paid', charges_made: 1 }, byHand, 'notTaken'],
    ['it is denied', { state: 'denied', charges_made: 1 }, {}, 'notTaken'],
    ['it is denied, by hand', { state: 'denied', charges_made: 1 }, byHand, 'committed'],
    ['it is open, by hand', {}, byHand, 'notTaken'],
  ];
  for (const [what, change, wanted, expected] of cases) {
    const planted = await plantSubscription(rows);
    const billingId = await plantBilling(rows, planted.subscriptionId, change);
    const take = takeOf(planted, billingId, wanted);
    assert.equal((await takes.write([take], [])).get(takes.key(take)), expected, what);
  }
});

test('of two that take a billing at one fence, for one charge, one does; its own statement is repeated', async () => {
  const takes = chargeIntentsWrite(database);
  const taken = async (...some: readonly StartedCharge[]) => {
    const results = await takes.write(some, []);
    return some.map((row) => results.get(takes.key(row))).toSorted();
  };
  const planted = await plantSubscription(rows);
  const billingId = await plantBilling(rows, planted.subscriptionId);
  const first = takeOf(planted, billingId);
  const second = { ...first, taker: newTry() };
  assert.deepEqual(await taken(first, second), ['committed', 'notTaken']);
  const [charge] = await service.auditor.query('select taker from billing_charges where billing_id = $1', [
    billingId,
  ]);
  const hasIt = first.taker.equals(charge?.taker as Buffer);
  assert.deepEqual(await taken(hasIt ? first : second), ['committed'], 'an answer was lost');
  assert.deepEqual(await taken(hasIt ? second : first), ['notTaken'], 'another process has it');
});

test('a charge that a restored database has already ends its billing, and is not sent, however often it is asked for', async () => {
  const takes = chargeIntentsWrite(database);
  const planted = await plantSubscription(rows);
  const billingId = await plantBilling(rows, planted.subscriptionId);
  const standing = await plantDecline(rows);
  const take = withId(takeOf(planted, billingId), standing);
  for (const what of ['taken', 'its answer was lost'])
    assert.equal((await takes.write([take], [])).get(takes.key(take)), 'notTaken', what);
  const [billing] = await service.auditor.query(
    'select b.transaction_id, b.fence, c.due_at is not null as is_due from billings b join billing_charges c using (merchant_id, billing_id) where billing_id = $1',
    [billingId],
  );
  assert.deepEqual(billing, { transaction_id: standing, fence: 1, is_due: true });
});

test('what follows a billing has the same id in a database that lost it, and another one beside a skipped one', async () => {
  const planted = await plantSubscription(rows);
  const transactionId = await plantDecline(rows);
  const underWay = { charges_made: 1, transaction_id: transactionId };
  const billingId = await plantBilling(rows, planted.subscriptionId, underWay);
  await plantCharge(rows, billingId, { transaction_id: transactionId });
  const followed = async (): Promise<string> => {
    const end = { ...endOf(planted, billingId), kind: 'resolved', transactionId, facts: APPROVED } as const;
    assert.equal((await writeEnd(end, soon())).rule, 'paid');
    const next = (await billingsOf(rows, planted.subscriptionId)).at(-1);
    return next?.billing_id as string;
  };
  const undo = () =>
    service.auditor.query(
      `update billings set state = 'opened', charge_on = due_on, charges_made = 1, transaction_id = $2, modified_by = null,
         modified_at = null where billing_id = $1`,
      [billingId, transactionId],
    );
  const id = await followed();
  await service.auditor.query('delete from billings where billing_id = $1', [id]);
  await undo();
  assert.equal(await followed(), id);
  await service.auditor.query(
    `update billings set state = 'canceled', is_skipped = true, charge_on = null where billing_id = $1`,
    [id],
  );
  await undo();
  assert.notEqual(await followed(), id);
});

test('only what is active is charged on schedule; by hand it may be blocked', async () => {
  const takes = chargeIntentsWrite(database);
  for (const state of ['blocked', 'canceled']) {
    const planted = await plantSubscription(rows, {
      state,
      reason: state === 'blocked' ? 'cardCanceled' : 'user',
    });
    const billingId = await plantBilling(rows, planted.subscriptionId);
    const take = takeOf(planted, billingId);
    assert.equal((await takes.write([take], [])).get(takes.key(take)), 'notTaken', state);
    const denied = { installment: 2, state: 'denied', charges_made: 1, due_on: '2026-12-31' };
    const owed = await plantBilling(rows, planted.subscriptionId, denied);
    const byHand = takeOf(planted, owed, { attemptNumber: null });
    assert.equal((await takes.write([byHand], [])).get(takes.key(byHand)), 'committed', state);
  }
});

test('a machine whose clock is a moment behind at midnight does not bring two installments on one day', async () => {
  const planted = await plantSubscription(rows);
  const transactionId = await plantDecline(rows);
  const late = {
    due_on: '2026-12-01',
    charge_on: '2027-03-05',
    charges_made: 1,
    transaction_id: transactionId,
  };
  const billingId = await plantBilling(rows, planted.subscriptionId, late);
  // A second before the 5th begins in São Paulo.
  const started = { transaction_id: transactionId, started_at: '2027-03-05T02:59:59Z' };
  await plantCharge(rows, billingId, started);
  const end = { ...endOf(planted, billingId), kind: 'resolved', transactionId, facts: APPROVED } as const;
  assert.equal((await writeEnd(end, soon())).rule, 'paid');
  const [, next] = await billingsOf(rows, planted.subscriptionId);
  assert.deepEqual([next?.due_on, next?.charge_on], ['2026-12-31', '2027-03-06']);
});

test('who asks for all declines of a card gets them, whoever asks for its last month at the same moment', async () => {
  const print = randomBytes(32);
  const soldAt = '2024-01-01T12:00:00Z';
  const fingerprint = `\\x${print.toString('hex')}`;
  await plantDecline(rows, { card_fingerprint: fingerprint, sold_at: soldAt, response_code: '41' });
  const find = batchReads(declinesRead(database));
  const { merchantId } = rows;
  const [month, all] = await Promise.all([
    find({ merchantId, print, since: instant(Date.now() - 30 * 86_400_000) }),
    find({ merchantId, print, since: instant(0) }),
  ]);
  assert.deepEqual([month.value?.length ?? 0, all.value?.length ?? 0], [0, 1]);
});

test('a charge that is voided again and again is not asked for every few seconds: the billing is due later', async () => {
  const planted = await plantSubscription(rows);
  const request = { window: NO_WINDOW, inHand: [], fromTurn: 0, limit: 50 };
  const isFound = async (billingId: string) =>
    (await findDueOf(database, request, rows.merchantId)).some((due) => due.billingId === billingId);
  const due = { due_on: '2026-01-01', charges_made: 0 };
  const billingId = await plantBilling(rows, planted.subscriptionId, due);
  for (const charge_number of [1, 2]) {
    assert.equal(await isFound(billingId), true, `before charge ${charge_number}`);
    const transactionId = await plantDecline(rows);
    const underWay = 'update billings set transaction_id = $2, charges_made = 1 where billing_id = $1';
    await service.auditor.query(underWay, [billingId, transactionId]);
    await plantCharge(rows, billingId, { charge_number, transaction_id: transactionId });
    assert.equal(await isFound(billingId), false);
    const end = { ...endOf(planted, billingId), kind: 'resolved', transactionId, facts: 'voided' } as const;
    assert.equal((await writeEnd(end, soon())).rule, 'sentAgain');
  }
  assert.equal(await isFound(billingId), false);
  await service.auditor.query(
    `update billings set lease_expires_at = lease_expires_at - interval '15 seconds' where billing_id = $1`,
    [billingId],
  );
  assert.equal(await isFound(billingId), true);
});
