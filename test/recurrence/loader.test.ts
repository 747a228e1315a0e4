import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type LoadSummary, loadEnrolments } from '../../bench/recurrence/load-enrolments.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { auditedTools } from '../kit/keys.ts';
import { type Auditor, openAuditor, type TestRows } from '../kit/service.ts';

const SUBSCRIPTIONS = 2_000;
const BILLINGS = 10_000;
const NOW = Date.UTC(2026, 10, 21, 15);
const TODAY = '2026-11-21';
const WANTED = { subscriptions: SUBSCRIPTIONS, billings: BILLINGS, merchants: 7, hasGiant: true, seed: 5 };

type Loaded = { readonly summary: LoadSummary; readonly auditor: Auditor; close(): Promise<void> };
let loaded: Loaded;

async function openLoaded(): Promise<Loaded> {
  const test: TestDatabase = await createTestDatabase({ migrated: true });
  const database = openDatabase(test.address, () => {});
  const tools = { ...(await auditedTools(database)), address: test.address };
  const summary = await loadEnrolments(tools, { ...WANTED, now: NOW });
  const auditor = openAuditor(test.address);
  return {
    summary,
    auditor,
    async close() {
      await auditor.close();
      await database.close();
      await test.drop();
    },
  };
}

before(async () => {
  loaded = await openLoaded();
});
after(() => loaded.close());

const query = (text: string, values: unknown[] = []): Promise<TestRows> => loaded.auditor.query(text, values);

async function count(text: string): Promise<number> {
  const [row] = await query(`select count(*)::int as count from ${text}`);
  return row?.count as number;
}

test('as many subscriptions and billings are loaded as were asked for, and the giant has half', async () => {
  assert.equal(await count('subscriptions'), SUBSCRIPTIONS);
  assert.equal(await count('billings'), BILLINGS);
  assert.equal(await count(`subscriptions where merchant_id = '${loaded.summary.giant?.merchantId}'`), 1_000);
  assert.equal(await count('vault_cards'), await count('(select distinct vault_id from vault_cards) v'));
  assert.ok((await count('(select distinct vault_id from subscriptions) v')) < SUBSCRIPTIONS / 2);
});

test('the summary reports what each merchant has in each state', async () => {
  const { giant, ordinary, charges } = loaded.summary;
  assert.ok(giant !== null);
  assert.equal(ordinary.length, WANTED.merchants);
  for (const { merchantId, subscriptions, billings } of [giant, ...ordinary]) {
    for (const [table, reported] of Object.entries({ subscriptions, billings })) {
      const rows = await query(
        `select state, count(*)::int as count from ${table} where merchant_id = $1 group by state`,
        [merchantId],
      );
      assert.deepEqual(Object.fromEntries(rows.map((row) => [row.state, row.count])), reported);
    }
  }
  assert.equal(await count('billing_charges'), charges);
});

test('every state is there, and most billings are paid', async () => {
  const billings = loaded.summary.giant?.billings ?? {};
  assert.deepEqual(Object.keys(billings).sort(), ['canceled', 'denied', 'opened', 'paid', 'paymentInvalid']);
  const all = Object.values(billings).reduce((sum, one) => sum + one, 0);
  assert.ok((billings.paid ?? 0) > all / 2);
  const states = Object.keys(loaded.summary.giant?.subscriptions ?? {}).sort();
  assert.deepEqual(states, ['active', 'blocked', 'canceled', 'completed']);
  assert.ok((await count('billings where is_skipped')) > 0);
  assert.ok((await count(`billings where state = 'opened' and charges_made > 0`)) > 0);
});

test('an active subscription has exactly one billing ahead, and any other none', async () => {
  const opened = `(select s.state, count(b.billing_id) filter (where b.state = 'opened') as opened,
      min(b.charge_on) filter (where b.state = 'opened') as charge_on
    from subscriptions s join billings b using (merchant_id, subscription_id)
    group by s.merchant_id, s.subscription_id, s.state) o`;
  assert.equal(
    await count(`${opened} where state = 'active' and (opened <> 1 or charge_on <= '${TODAY}')`),
    0,
  );
  assert.equal(await count(`${opened} where state <> 'active' and opened <> 0`), 0);
});

test('installments count from one, and due days lie an interval apart from the first', async () => {
  const wrong = await count(
    `(select b.*, row_number() over (partition by merchant_id, subscription_id order by due_on) as place from billings b) b
     join subscriptions s using (merchant_id, subscription_id)
     where b.installment <> b.place or b.due_on <> s.first_due_on + ((b.place - 1) * s.interval_days)::int`,
  );
  assert.equal(wrong, 0);
  assert.equal(
    await count(`subscriptions s join billings b using (merchant_id, subscription_id)
     where s.installments > 0 and b.installment > s.installments`),
    0,
  );
});

test('the terms are those of the plan, and the first billing follows the trial', async () => {
  const terms = ['amount', 'plan_type', 'trial_days', 'interval_days', 'installments', 'max_retries'];
  const differs = terms.map((column) => `s.${column} <> p.${column}`).join(' or ');
  assert.equal(
    await count(
      `subscriptions s join plans p using (merchant_id, plan_id) where ${differs} or p.state <> 'active'`,
    ),
    0,
  );
  assert.equal(
    await count(`subscriptions
      where first_due_on <> (created_at at time zone 'America/Sao_Paulo')::date + trial_days::int`),
    0,
  );
});

test('billings follow each other in time, and nothing happened after today', async () => {
  const chain = `(select b.created_at, lag(b.modified_at) over w as before, b.installment, b.modified_at,
      s.created_at as subscribed_at
    from billings b join subscriptions s using (merchant_id, subscription_id)
    window w as (partition by b.merchant_id, b.subscription_id order by b.installment)) c`;
  assert.equal(
    await count(`${chain} where created_at <> coalesce(before, subscribed_at) or modified_at < created_at`),
    0,
  );
  const tomorrow = '2026-11-22T03:00:00Z';
  assert.equal(await count(`billings where greatest(created_at, modified_at) >= '${tomorrow}'`), 0);
  assert.equal(await count(`billing_charges where ended_at >= '${tomorrow}'`), 0);
});

test('the charges of a billing are as many as its attempts, and the last one decided it', async () => {
  const charged = `(select b.state, b.charges_made, b.charge_on, count(*) as charges,
      (array_agg(c.outcome order by c.charge_number desc))[1] as outcome,
      (array_agg(c.next_charge_on order by c.charge_number desc))[1] as next_charge_on
    from billings b join billing_charges c using (merchant_id, billing_id)
    group by b.merchant_id, b.billing_id, b.state, b.charges_made, b.charge_on) c`;
  assert.ok((await count(charged)) > 0);
  assert.equal(await count(`${charged} where charges <> charges_made`), 0);
  assert.equal(await count(`${charged} where (state = 'paid') <> (outcome = 'approved')`), 0);
  assert.equal(await count(`${charged} where state = 'opened' and charge_on <> next_charge_on`), 0);
});

test('the tables have all their keys and indexes again, in the order of their making', async () => {
  const plain = await createTestDatabase({ migrated: true });
  const other = openAuditor(plain.address);
  try {
    const parts = `select pg_get_indexdef(indexrelid) as part, indrelid::regclass::text as of, indexrelid as age from pg_index
        where indrelid::regclass::text = any($1)
      union all
      select pg_get_constraintdef(oid), conrelid::regclass::text, null from pg_constraint where conrelid::regclass::text = any($1)
      order by of, age nulls last, part`;
    const tables = [['subscriptions', 'billings', 'billing_charges']];
    const reported = async (rows: Promise<TestRows>) => (await rows).map(({ part }) => part);
    assert.deepEqual(await reported(query(parts, tables)), await reported(other.query(parts, tables)));
  } finally {
    await other.close();
    await plain.drop();
  }
});

test('the same seed and day load the same rows', async () => {
  const again = await openLoaded();
  try {
    const hash = `select md5(string_agg(b::text, '' order by b.merchant_id, b.billing_id)) as hash from billings b`;
    assert.deepEqual(await again.auditor.query(hash), await query(hash));
  } finally {
    await again.close();
  }
});
