import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { declaredStatements } from '../../src/platform/postgres/database.ts';
import { ENQUEUE_ALERTS } from '../../src/recurrence/alerts/alert-deliveries.sql.ts';
import { readSourceTree } from '../architecture/source-tree.ts';
import { statementsOf } from '../architecture/statements.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';

let database: TestDatabase;
let client: pg.Client;

before(async () => {
  database = await createTestDatabase({ migrated: true });
  client = new pg.Client(database.address);
  await client.connect();
  await client.query('set enable_seqscan = off; set enable_bitmapscan = off');
});
after(async () => {
  await client.end();
  await database.drop();
});

/** The plan that a statement is given while its tables are empty, and the indexes that it looks into. */
async function planOf(text: string): Promise<{ plan: string; indexes: string[] }> {
  const { rows } = await client.query(`explain (generic_plan, costs off) ${text}`);
  const plan = rows.map((row) => row['QUERY PLAN'] as string).join('\n');
  const indexes = [...plan.matchAll(/ Index (?:Only )?Scan (?:Backward )?using (\w+)/g)];
  return { plan, indexes: indexes.map(([, index]) => index as string) };
}

/** The texts of all statements, by name, as they are sent. */
async function declaredTexts(): Promise<ReadonlyMap<string, string>> {
  for (const path of readSourceTree().keys()) if (path.endsWith('.sql.ts')) await import(`../../${path}`);
  return new Map(declaredStatements().map(({ name, text }) => [name, text]));
}

const BY_KEY = ['webhook_endpoints_pkey'];
const LIST = ['webhook_endpoints_of_alerts', ...BY_KEY];
const ACTIVE = 'webhook_endpoints_alerts';
const TO_ALERT = 'webhook_endpoints_to_alert';
const CARDS = ['vault_cards_by_expiry', 'subscriptions_by_vault', 'card_expiry_alerts_pkey'];

const BILLINGS = [
  'billings_by_state',
  'billings_pkey',
  'plan_cancellations_pkey',
  'subscriptions_pkey',
  'upcoming_alerts_pkey',
];

/**
 * What each looks into: an index that says all that is asked, or, of a list, all notifiers of one
 * merchant.
 */
const INDEXES: Readonly<Record<string, readonly string[]>> = {
  'notices.find_due': [TO_ALERT, 'merchant_clocks_pkey'],
  'notices.list_ahead': ['merchant_clocks_pkey', ACTIVE],
  'notices.find_due_of_merchant': [ACTIVE],
  'notices.lock_alert_endpoint': BY_KEY,
  'notices.look_at_cards': CARDS,
  'notices.alert_expiries': [],
  'notices.look_at_billings': BILLINGS,
  'notices.alert_upcoming': [],
  'notices.due': ['merchant_clocks_pkey', ACTIVE, TO_ALERT],
  'notices.forget_upcoming': ['upcoming_alerts_pkey'],
  'notices.earliest_upcoming_of_merchant': [ACTIVE, 'billings_by_state', 'upcoming_alerts_pkey'],
  'notices.earliest_of_merchant': [ACTIVE, ...CARDS],
  'notifiers.list_up': LIST,
  'notifiers.list_down': LIST,
  'webhooks.take_turn': [],
  'webhooks.lock_registration': BY_KEY,
  'webhooks.count_other_alert_endpoints': [ACTIVE],
  'webhooks.register': ['merchant_clocks_pkey'],
  'webhooks.remove': BY_KEY,
  'webhooks.restore': BY_KEY,
  'webhooks.finish_alert_day': BY_KEY,
};

test('planned while nothing is there, every statement finds its rows by their keys', async () => {
  const statements = statementsOf(readSourceTree()).filter(
    ({ name, path }) =>
      path.startsWith('src/recurrence/alerts/') ||
      path.endsWith('/registrations.sql.ts') ||
      name === 'webhooks.finish_alert_day',
  );
  assert.deepEqual(statements.map(({ name }) => name).sort(), Object.keys(INDEXES).sort());
  const texts = await declaredTexts();
  for (const { name } of statements) {
    const { plan, indexes } = await planOf(texts.get(name) as string);
    // All moved clocks are looked at: there are few, and none in production.
    const isOverClocks = name === 'notices.due';
    const rest = isOverClocks ? plan.replace('Seq Scan on merchant_clocks', '') : plan;
    assert.doesNotMatch(rest, /Seq Scan|Hash|Merge Join/, `${name}\n${plan}`);
    assert.deepEqual([...new Set(indexes)].sort(), [...(INDEXES[name] ?? [])].sort(), `${name}\n${plan}`);
  }
});

test('the part of a statement that writes alerts finds the notifiers by the merchant alone', async () => {
  const notices = `select i.* from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[])
    as i (merchant_id, event, notice_of, account_number, body, moment)`;
  const { plan, indexes } = await planOf(`with notices as (${notices}), ${ENQUEUE_ALERTS} select 1`);
  assert.deepEqual(indexes, [ACTIVE], plan);
  assert.match(plan, /Index Cond: \(merchant_id = i\.merchant_id\)/);
});

test('the index of cards by their month is taken by nobody who looks a card up by its key', async () => {
  const others = [...(await declaredTexts())].filter(
    ([name, text]) => /\bvault_cards\b/.test(text) && !/^noti(ces|fiers)\./.test(name),
  );
  assert.ok(others.length > 5);
  for (const [name, text] of others) {
    const { plan } = await planOf(text);
    assert.doesNotMatch(plan, /vault_cards_by_expiry/, `${name}\n${plan}`);
  }
});
