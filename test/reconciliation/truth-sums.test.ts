import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runParcela } from '../audit/audit-service.ts';
import { signedIn, type Visitor, wordsOf } from '../console/visitor.ts';
import { arrive } from '../kit/clock.ts';
import { keptSums } from '../kit/kept-sums.ts';
import { until } from '../kit/service.ts';
import { plantBilling, plantSubscription } from '../recurrence/billing-rows.ts';
import { daysAfter, openReconciledService, type ReconciledService } from './reconciled-service.ts';
import { mendDays } from './sums-of-days.ts';

/** More than two of the statements in which a day is read. */
const MANY = 25_000;

let service: ReconciledService;
let viewer: Visitor;

before(async () => {
  service = await openReconciledService({ PARCELA_FEES: 'any:1-99=3' });
  viewer = await signedIn(service, 'viewer', null);
});
after(() => service.close());

type Found = {
  readonly class: string;
  readonly summed: string;
  readonly accountNumber: string;
  readonly day: string;
  readonly sum: string;
  readonly amount: number;
  readonly expected: string;
  readonly found: string;
};

/** What `reconcile verify` finds now, and what stands then. */
async function verify() {
  const words = ['reconcile', 'verify', '--merchant', service.merchantId, '--json'];
  const { exitCode, printed, errors } = await runParcela(service.database, service.folder, words, {});
  assert.notEqual(printed, '', errors);
  const { runs, differences } = JSON.parse(printed) as {
    readonly runs: readonly {
      receivables: number;
      days: number;
      daysLeftOut: number;
      differences: unknown;
    }[];
    readonly differences: readonly Found[];
  };
  const [run] = runs;
  assert.ok(run !== undefined, printed);
  const kept = differences.map((one) => [one.summed, one.day, one.sum, one.expected, one.found, one.amount]);
  return { exitCode, run, kept, errors };
}

const query = (text: string, values: unknown[] = []) => service.auditor.query(text, values);

/** What was expected on each day, after the fee. */
const expectedDays = async () =>
  (await query(
    `select expected_on::text as day, sum(expected_net)::int as net from receivables group by expected_on order by 1`,
  )) as { day: string; net: number }[];

/** As somebody would who wrote into the sums by hand. */
const addTo = (day: string, cents: number) =>
  query(
    `insert into receivable_days overriding system value select (jsonb_populate_record(d, jsonb_build_object('day', $1::date, 'part_number', 10000000 + $2,
       'expected_count', 0, 'expected_net', $2, 'expected_fee', 0, 'open_count', 0, 'open_net', 0, 'received_count', 0,
       'received_net', 0, 'received_fee', 0, 'without_net_count', 0, 'unfiled_count', 0, 'unfiled_net', 0,
       'differing_count', 0, 'difference', 0))).*
     from receivable_days d limit 1`,
    [day, cents],
  );

const metric = async (name = 'parcela_truth_differences{class="sumsDiffer"}') => {
  const metrics = await (await fetch(service.metricsUrl)).text();
  return metrics
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1);
};

const shown = async () => {
  const { status, text } = await viewer.turnTo('/console/differences');
  assert.equal(status, 200, text);
  return wordsOf(text);
};

/** The night of the next day, when it has ended. */
async function endNight(): Promise<{ days: number; differences: unknown }> {
  await arrive(service.gatewayUrl, service.token, { advanceDays: 1 });
  const today = await service.today();
  return (await until('the night has ended', async () => {
    const [run] = await query(
      `select days::int as days, differences from truth_runs where cause = 'night' and day = $1 and ended_at is not null`,
      [today],
    );
    return run;
  })) as { days: number; differences: unknown };
}

test('sums that are as their rows are differ on no day', async () => {
  await service.sell(10_000, 1);
  await service.sell(30_001, 3);
  const sold = await verify();
  assert.deepEqual([sold.exitCode, sold.run.differences, sold.kept], [0, {}, []]);
  await arrive(service.gatewayUrl, service.token, { advanceDays: 40 });
  const { exitCode, run, kept } = await verify();
  assert.deepEqual([exitCode, run.differences, run.daysLeftOut, kept], [0, {}, 0, []]);
  assert.ok(run.days >= 3 + 59, `${run.days} days`);
});

test('the night finds a damaged sum on its day, and the next one ends it once it was mended', async () => {
  const [first, , last] = await expectedDays();
  assert.ok(first !== undefined && last !== undefined);
  await addTo(last.day, 500);
  const { differences } = await endNight();
  assert.deepEqual(differences, { sumsDiffer: { count: 1, cents: 500 } });
  await until('it is counted', async () => (await metric()) === '1');
  const [year, month, day] = last.day.split('-');
  assert.match(
    await shown(),
    new RegExp(
      `As somas de um dia diferem das suas linhas ${service.merchantId} ${day}/${month}/${year} *: Conta`,
    ),
  );
  const { printed } = await service.parcela('reconcile', 'report', '--day', await service.today());
  assert.match(
    printed,
    new RegExp(`sumsDiffer +5\\.00 +${last.net} +${last.net + 500} .*on ${last.day}: expected`),
  );
  await mendDays(service.auditor);
  assert.deepEqual((await endNight()).differences, {});
  await until('it is counted', async () => (await metric()) === '0');
  assert.doesNotMatch(await shown(), /As somas de um dia/);
  const [kept] = await query('select ended_at is not null as is_over from sum_differences');
  assert.deepEqual(kept, { is_over: true });
});

test('a day whose sums are lost is found, and each sum is found by itself', async () => {
  const [first] = await expectedDays();
  assert.ok(first !== undefined);
  const columns = ['expected_fee', 'open_net', 'received_net', 'received_fee', 'unfiled_net', 'difference'];
  const counts = ['expected_count', 'open_count', 'received_count', 'without_net_count', 'unfiled_count'];
  for (const column of [...columns, ...counts, 'differing_count']) {
    const change = (cents: number) =>
      query(
        `update receivable_days set ${column} = ${column} + $2 where (account_number, day, part_number) = (
           select account_number, day, part_number from receivable_days where day = $1 limit 1)`,
        [first.day, cents],
      );
    await change(7);
    const [found] = (await verify()).kept;
    assert.deepEqual([found?.[1], found?.[5]], [first.day, columns.includes(column) ? 7 : 0], column);
    assert.equal(Number(found?.[4]) - Number(found?.[3]), 7, column);
    await change(-7);
  }
  await query('delete from receivable_days where day = $1', [first.day]);
  const { kept } = await verify();
  assert.deepEqual(kept, [['receivables', first.day, 'expected', String(first.net), '0', 0 - first.net]]);
  await mendDays(service.auditor);
  assert.deepEqual((await verify()).kept, []);
});

test('older days have their turn, and one that differs is looked at each night until it does not', async () => {
  const today = await service.today();
  const turn = daysAfter(today, -60 * 7);
  await addTo(turn, 30);
  await addTo(daysAfter(turn, 1), 40);
  const found = [['receivables', turn, 'expected', '0', '30', 30]];
  assert.deepEqual((await verify()).kept, found);
  const both = [['receivables', daysAfter(turn, 1), 'expected', '0', '40', 40], ...found];
  assert.deepEqual((await endNight()).differences, { sumsDiffer: { count: 2, cents: 70 } });
  assert.deepEqual((await verify()).kept, both);
  await mendDays(service.auditor);
  assert.deepEqual((await verify()).kept, []);
});

test('the sums of due days are held against their billings', async () => {
  const { subscriptionId } = await plantSubscription(service);
  const dueOn = daysAfter(await service.today(), 200);
  await plantBilling(service, subscriptionId, { due_on: dueOn, state: 'denied' });
  assert.deepEqual((await verify()).kept, []);
  await query('update billing_days set amount = amount - 90, count = count + 1 where due_on = $1', [dueOn]);
  const found = [['billings', dueOn, 'denied', '4990', '4900', -90]];
  assert.deepEqual((await verify()).kept, found);
  assert.match(await shown(), /: Cobranças negadas – \S*R\$ ?\S*0,90 /);
  await keptSums('billings').mend(service.auditor);
  for (const state of ['paid', 'canceled']) {
    await query(
      `insert into billing_days (merchant_id, due_on, billing_state, count, amount) values ($1, $2, $3, 1, 0)`,
      [service.merchantId, dueOn, state],
    );
    assert.deepEqual((await verify()).kept, [['billings', dueOn, state, '0', '1', 0]]);
    await query('delete from billing_days where due_on = $1 and billing_state = $2', [dueOn, state]);
  }
  assert.deepEqual((await verify()).kept, []);
});

test('days that take longer than a statement may are left out, and what was found of them stands', async () => {
  const [first] = await expectedDays();
  assert.ok(first !== undefined);
  await addTo(first.day, 60);
  assert.equal((await verify()).kept.length, 1);
  const [made] = await query(`select pg_get_functiondef('receivable_day_parts'::regproc) as text`);
  const text = made?.text as string;
  await query(
    text.replace(/ from \(select/, ` from (select pg_sleep(case $1 when '${first.day}' then 6 else 0 end), `),
  );
  try {
    const { run, kept, errors } = await verify();
    assert.equal(kept.length, 1, 'what was found of it before stands');
    assert.deepEqual([run.daysLeftOut, run.differences], [1, {}], 'it alone was left out');
    assert.ok(run.days > 59, `${run.days} days were compared`);
    assert.match(errors, new RegExp(`sums of receivables on ${first.day} left out: .*statement timeout`));
    await until('it is counted', async () => (await metric('parcela_truth_days_left_out')) === '1');
  } finally {
    await query(text);
  }
  await addTo(first.day, -60);
  const { run, kept } = await verify();
  assert.deepEqual([run.daysLeftOut, kept], [0, []]);
});

test('sums that are larger than a number, or that nobody may read, stop nothing else of a night', async () => {
  const [first] = await expectedDays();
  assert.ok(first !== undefined);
  const most = 2n ** 63n - 1n;
  for (const part of [20_000_000, 20_000_001])
    await query(
      `insert into receivable_days overriding system value select (jsonb_populate_record(d,
         jsonb_build_object('part_number', $2::bigint, 'expected_net', $3::bigint))).*
       from receivable_days d where day = $1 limit 1`,
      [first.day, part, String(most)],
    );
  assert.deepEqual((await endNight()).differences, { sumsDiffer: { count: 1, cents: 1e13 } });
  const sum = String(2n * most + BigInt(first.net));
  assert.deepEqual((await verify()).kept, [
    ['receivables', first.day, 'expected', String(first.net), sum, 1e13],
  ]);
  assert.match(await shown(), /As somas de um dia/);
  await query('delete from receivable_days where part_number >= 20000000');
  await query('alter table billing_days rename to billing_days_away');
  try {
    const { run, kept, errors } = await verify();
    assert.deepEqual([run.differences, run.daysLeftOut, kept], [{}, 1, []]);
    assert.ok(run.receivables > 0 && run.days > 59, 'all else was compared');
    assert.match(errors, /sums of billings on all days left out: .*billing_days/);
    assert.deepEqual((await endNight()).differences, {});
  } finally {
    await query('alter table billing_days_away rename to billing_days');
  }
  const { run, kept } = await verify();
  assert.deepEqual([run.daysLeftOut, kept], [0, []]);
});

test('billings of a day that were all made in one moment are read in parts', async () => {
  const { subscriptionId } = await plantSubscription(service);
  const dueOn = daysAfter(await service.today(), 220);
  const count = 10_500;
  const skipped = { due_on: dueOn, state: 'canceled', is_skipped: true };
  const billingId = await plantBilling(service, subscriptionId, skipped);
  await query(
    `insert into billings select (jsonb_populate_record(b, jsonb_build_object('billing_id', gen_random_uuid()))).*
     from billings b, generate_series(2, $2::int) where billing_id = $1`,
    [billingId, count],
  );
  const { run, kept } = await verify();
  assert.deepEqual([run.daysLeftOut, kept], [0, []]);
  await query(
    'update billing_days set amount = amount + 1 where (due_on, part_number) = (select due_on, part_number from billing_days where due_on = $1 limit 1)',
    [dueOn],
  );
  const sum = count * 4_990;
  assert.deepEqual((await verify()).kept, [['billings', dueOn, 'canceled', String(sum), String(sum + 1), 1]]);
  await keptSums('billings').mend(service.auditor);
  assert.deepEqual((await verify()).kept, []);
});

/** Installments of a day on which nothing else is compared, as many as one statement does not read. */
async function plantMany(day: string): Promise<void> {
  await query(
    `insert into receivables (merchant_id, transaction_id, installment_number, installment_count, account_number, nsu,
       authorization_code, brand, card_first_six, card_last_four, sold_at, sold_on, sale_amount, gross, canceled,
       installment_state, fee_portion, expected_fee, expected_net, expected_on, paid_on)
     select merchant_id, gen_random_uuid(), 1, 1, account_number, nsu, authorization_code, brand, card_first_six,
       card_last_four, sold_at, sold_on, 1000, 1000, 0, 'paid', 300, 30, 970, $1::date, $1::date
     from (select * from receivables limit 1) r, generate_series(1, $2::int)`,
    [day, MANY],
  );
}

test('a day of any size is read as of one moment, while its rows and sums change', async () => {
  const day = daysAfter(await service.today(), -120);
  await plantMany(day);
  const writing = new AbortController();
  const writer = (async () => {
    for (let fee = 0; !writing.signal.aborted; fee += 1)
      await query(
        `update receivables set expected_fee = $2 where (merchant_id, transaction_id, installment_number) in (
           select merchant_id, transaction_id, installment_number from receivables where expected_on = $1
           order by transaction_id ${fee % 2 === 0 ? 'desc' : ''} limit 20)`,
        [day, fee % 300],
      );
  })();
  const sales = (async () => {
    while (!writing.signal.aborted) await service.sell(1_000, 2);
  })();
  for (let times = 0; times < 3; times += 1) {
    const { run, kept } = await verify();
    assert.deepEqual([run.differences, run.daysLeftOut, kept], [{}, 0, []]);
  }
  writing.abort();
  await Promise.all([writer, sales]);
  await addTo(day, -1);
  const [sum] = await query('select sum(expected_net)::int as net from receivables where expected_on = $1', [
    day,
  ]);
  const net = sum?.net as number;
  assert.deepEqual((await verify()).kept, [
    ['receivables', day, 'expected', String(net), String(net - 1), -1],
  ]);
  await mendDays(service.auditor);
  assert.deepEqual((await verify()).kept, []);
});
