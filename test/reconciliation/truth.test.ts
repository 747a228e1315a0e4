import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runParcela } from '../audit/audit-service.ts';
import { arrive } from '../kit/clock.ts';
import { call } from '../kit/merchant.ts';
import { openRecordingBridge, type RecordingBridge } from '../kit/recording-acquirer.ts';
import { until } from '../kit/service.ts';
import { daysAfter, openReconciledService, type ReconciledService, type Sold } from './reconciled-service.ts';

let service: ReconciledService;
let bridge: RecordingBridge;
let sales: Sold[];

before(async () => {
  service = await openReconciledService({ PARCELA_FEES: 'any:1-99=3' });
  bridge = await openRecordingBridge(service.simulatorUrl);
});
after(async () => {
  await bridge.close();
  await service.close();
});

type Verified = {
  readonly runs: readonly (Record<string, number> & {
    readonly differences: Record<string, { readonly count: number; readonly cents: number }>;
  })[];
  readonly differences: readonly { readonly class: string; readonly amount: number }[];
};

/** What `reconcile verify` finds now, with its exit code. */
async function verify(): Promise<{
  exitCode: number | null;
  run: Verified['runs'][number];
  kept: unknown[][];
}> {
  const words = ['reconcile', 'verify', '--merchant', service.merchantId, '--json'];
  const settings = { PARCELA_ACQUIRER_URL: bridge.url, PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '3000' };
  const { exitCode, printed, errors } = await runParcela(service.database, service.folder, words, settings);
  assert.notEqual(printed, '', errors);
  const { runs, differences } = JSON.parse(printed) as Verified;
  const [run] = runs;
  assert.ok(run !== undefined, printed);
  return { exitCode, run, kept: differences.map((each) => [each.class, each.amount]) };
}

/** The acquirer's files of some days, taken and matched. */
async function takeFiles(from: string, count: number): Promise<void> {
  const paths: string[] = [];
  for (let after = 0; after < count; after += 1) {
    const day = daysAfter(from, after);
    const query = new URLSearchParams({ format: 'adiq', day });
    const reply = await call(service.gatewayUrl, `/homologation/acquirer/files?${query}`, {
      token: service.token,
    });
    assert.equal(reply.status, 200, reply.text);
    const path = join(service.folder, `EDI_020_${day}.txt`);
    await writeFile(path, reply.text);
    paths.push(path);
  }
  const { exitCode, printed, errors } = await service.parcela('reconcile', 'import', ...paths);
  assert.equal(exitCode, 0, printed + errors);
}

/** Falsifies a row, verifies, and puts it back as it was; the next verification finds nothing of it. */
async function falsified(table: string, change: string, where: string, values: unknown[]) {
  const [kept] = await service.auditor.query(`select * from ${table} where ${where}`, values);
  assert.ok(kept !== undefined);
  await service.auditor.query(`update ${table} set ${change} where ${where}`, values);
  const found = await verify();
  const column = change.split(' ')[0] as string;
  await service.auditor.query(`update ${table} set ${column} = $${values.length + 1} where ${where}`, [
    ...values,
    kept[column],
  ]);
  return found;
}

const OF_SALE = 'merchant_id = $1 and transaction_id = $2 and installment_number = 1';

test('a month in which nothing differs: books, reports and files have the same sums', async () => {
  await service.chargeFees(300);
  const soldOn = await service.today();
  sales = [await service.sell(10_000, 1), await service.sell(20_001, 2), await service.sell(33_333, 3)];
  const canceled = await call(service.gatewayUrl, `/v1/payments/${sales[2]?.paymentId}/cancel`, {
    token: service.token,
    body: { amount: 1_000 },
  });
  assert.equal(canceled.status, 200, canceled.text);
  const open = await verify();
  assert.deepEqual([open.exitCode, open.run.receivables, open.run.settled], [0, 6, 0]);
  await arrive(service.gatewayUrl, service.token, { advanceDays: 40 });
  // It asks the true ledger, and would end what a spoiled one is found to differ in below.
  await nightEnded();
  const reported = await verify();
  assert.deepEqual(
    [reported.exitCode, reported.run.settled, reported.run.onlyInFeed, reported.run.differences],
    [0, 0, 3, {}],
  );
  await takeFiles(soldOn, 38);
  const { exitCode, run, kept } = await verify();
  assert.deepEqual([exitCode, run.differences, kept], [0, {}, []]);
  const paid = 10_000 + 10_001 + 11_111;
  assert.deepEqual(
    [run.receivables, run.standing, run.settled, run.settledByBooks, run.settledByFeed, run.settledByFiles],
    [6, 62_334, 3, paid, paid, paid],
  );
  assert.deepEqual([run.onlyInFeed, run.onlyInFiles, run.explained, run.asked], [0, 0, 0, 3]);
});

test('each view that says something else is found by its amount, and nothing else is', async () => {
  const of = [service.merchantId, sales[0]?.paymentId];
  const one = (name: string, cents: number) => ({ [name]: { count: 1, cents } });
  const books = await falsified('installments', 'canceled_amount = canceled_amount + 700', OF_SALE, of);
  assert.deepEqual(
    [books.exitCode, books.run.differences, books.kept],
    [1, one('booksDiffer', 700), [['booksDiffer', 700]]],
  );
  const whole = await falsified(
    'transactions',
    'canceled_amount = canceled_amount + 300',
    'merchant_id = $1 and transaction_id = $2',
    of,
  );
  assert.deepEqual([whole.run.differences, whole.kept], [one('booksDiffer', 300), [['booksDiffer', 300]]]);
  const carried = await falsified('receivables', 'reported_net = reported_net - 110', OF_SALE, of);
  assert.deepEqual(
    [carried.run.differences, carried.kept],
    [one('feedDiffers', 110), [['feedDiffers', -110]]],
  );
  const feed = await falsified('installments', 'net = net - 120', OF_SALE, of);
  assert.deepEqual([feed.run.differences, feed.kept], [one('feedDiffers', 120), [['feedDiffers', -120]]]);
  const report = await falsified(
    'acquirer_changes',
    'net = net - 130',
    `merchant_id = $1 and reference = $2::uuid::text and installment_number = 1 and event = 'settle'`,
    of,
  );
  assert.deepEqual([report.run.differences, report.kept], [one('feedDiffers', 130), [['feedDiffers', 130]]]);
  const files = await falsified('receivables', 'filed_net = filed_net + 140', OF_SALE, of);
  assert.deepEqual([files.run.differences, files.kept], [one('filesDiffer', 140), [['filesDiffer', 140]]]);
  const line = await falsified('settlement_matches', 'net = net - 150', OF_SALE, of);
  assert.deepEqual([line.run.differences, line.kept], [one('filesDiffer', 150), [['filesDiffer', 150]]]);
  const moves = await falsified(
    'movements',
    `new_state = 'blocked'`,
    `${OF_SALE} and type = 'Pagamento'`,
    of,
  );
  assert.deepEqual(
    [moves.run.differences, moves.kept],
    [one('movementsDiffer', 10_000), [['movementsDiffer', 10_000]]],
  );
  const after = await verify();
  assert.deepEqual([after.exitCode, after.run.differences, after.kept], [0, {}, []]);
});

test('a charge of which nothing was carried is found, and counted among all', async () => {
  assert.equal((await verify()).run.charges, 3);
  // As if the follower had never seen it.
  const gone = await falsified('receivables', `merchant_id = 'NOBODY'`, 'transaction_id = $1', [
    sales[0]?.paymentId,
  ]);
  assert.deepEqual([gone.exitCode, gone.run.charges, gone.kept], [1, 3, [['chargesDiffer', -10_000]]]);
  assert.deepEqual((await verify()).kept, []);
});

test('a ledger with another amount is found, and one that does not answer is asked once', async () => {
  bridge.spoilFinds(20_001);
  const found = await verify();
  assert.deepEqual(found.run.differences, { ledgerDiffers: { count: 2, cents: 10_001 + 13_332 } });
  assert.deepEqual(found.kept, [
    ['ledgerDiffers', -13_332],
    ['ledgerDiffers', 10_001],
  ]);
  bridge.spoilFinds('silence');
  const silent = await verify();
  assert.deepEqual([silent.run.asked, silent.run.isCutShort, silent.run.differences], [0, true, {}]);
  assert.equal(silent.kept.length, 2, 'what was not asked for stands');
  assert.equal(silent.run.leftOut, 2);
  bridge.spoilFinds(null);
  const after = await verify();
  assert.deepEqual([after.exitCode, after.run.differences, after.kept], [0, {}, []]);
});

test('what is over here and live there is asked for at any age, until it is at one', async () => {
  const { paymentId } = await service.sell(5_000, 1);
  await verify();
  for (const table of ['receivables', 'movements', 'installments'])
    await service.auditor.query(`delete from ${table} where transaction_id = $1`, [paymentId]);
  await service.auditor.query(`update transactions set state = 'voided' where transaction_id = $1`, [
    paymentId,
  ]);
  assert.deepEqual((await verify()).kept, [['ledgerDiffers', 5_000]]);
  await service.auditor.query(
    `update transactions set sold_at = sold_at - interval '100 days' where transaction_id = $1`,
    [paymentId],
  );
  const again = await verify();
  assert.deepEqual(
    [again.run.differences, again.run.charges],
    [{ ledgerDiffers: { count: 1, cents: 5_000 } }, 4],
  );
  const undo = { reference: paymentId, merchantId: service.merchantId };
  await fetch(`${service.simulatorUrl}/undos`, { method: 'POST', body: JSON.stringify(undo) });
  const after = await verify();
  assert.deepEqual([after.exitCode, after.run.differences, after.kept], [0, {}, []]);
  assert.equal((await verify()).run.charges, 3);
});

test('for a sale that the acquirer finds no more it is not asked, and what is not asked is counted', async () => {
  bridge.spoilFinds(20_001);
  bridge.reportCapabilities({ lookUpDays: 40 });
  const old = await verify();
  assert.deepEqual(
    [old.exitCode, old.run.asked, old.run.beyondLookUp, old.run.leftOut, old.run.differences, old.kept],
    [0, 0, 6, 0, {}, []],
  );
  bridge.reportCapabilities({ lookUpDays: 41 });
  const found = await verify();
  assert.deepEqual([found.exitCode, found.run.asked, found.run.beyondLookUp], [1, 3, 0]);
  bridge.spoilFinds(null);
  assert.deepEqual((await verify()).kept, []);
  bridge.reportCapabilities({});
});

test('what is an exception of matching is counted as that, and found once', async () => {
  const of = [service.merchantId, sales[1]?.paymentId];
  await service.auditor.query(
    `update settlement_matches set fee = fee + 200, net = net - 200 where ${OF_SALE}`,
    of,
  );
  await service.auditor.query(
    `update receivables set filed_fee = filed_fee + 200, filed_net = filed_net - 200 where ${OF_SALE}`,
    of,
  );
  for (let times = 0; times < 2; times += 1) {
    const { run, kept } = await verify();
    assert.deepEqual([run.differences, kept], [{ feeDiffers: { count: 1, cents: 200 } }, []]);
  }
  const exceptions = await service.auditor.query(
    `select class, state, amount::int as amount from reconciliation_exceptions where transaction_id = $1`,
    [sales[1]?.paymentId],
  );
  assert.deepEqual(
    exceptions.filter(({ class: name }) => name === 'feeDiffers'),
    [{ class: 'feeDiffers', state: 'open', amount: 200 }],
  );
});

/** The night of the next day, when it has ended. */
async function endNight(): Promise<Record<string, unknown>> {
  await arrive(service.gatewayUrl, service.token, { advanceDays: 1 });
  return nightEnded();
}

/** The night of today: what it asked for, and whether it was cut short. */
async function nightEnded(): Promise<Record<string, unknown>> {
  const today = await service.today();
  return until('the night has ended', async () => {
    const [run] = await service.auditor.query(
      `select asked, is_cut_short, left_out::int as left_out from truth_runs
       where cause = 'night' and day = $1 and ended_at is not null`,
      [today],
    );
    return run;
  });
}

test('all nights of a day ask from one budget, and none behind an acquirer that is silent', async () => {
  const budget = async () => {
    const [found] = await service.auditor.query(
      `select asked, ended_merchants, ended_asked, unanswered from truth_budgets
       where merchants = 1 and char_length(budget_key) = 10 order by budget_key desc limit 1`,
    );
    assert.equal(found?.asked, found?.ended_asked);
    return [found?.asked as number, found?.ended_merchants as number, found?.unanswered];
  };
  const [asked = 0, nights = 0] = (await budget()) as number[];
  assert.deepEqual(await endNight(), { asked: 3, is_cut_short: false, left_out: 0 });
  assert.deepEqual(await budget(), [asked + 3, nights + 1, []]);
  // Another acquirer that is silent takes nothing from this one.
  await service.auditor.query(
    `update truth_budgets set questions = asked + 2, unanswered = '{rede,rede,rede}'
     where char_length(budget_key) = 10`,
  );
  assert.deepEqual(await endNight(), { asked: 2, is_cut_short: false, left_out: 0 });
  assert.deepEqual(await endNight(), { asked: 0, is_cut_short: false, left_out: 1 });
  await service.auditor.query(
    `update truth_budgets set questions = asked + 2, unanswered = '{default,default,default}'
     where char_length(budget_key) = 10`,
  );
  assert.deepEqual(await endNight(), { asked: 0, is_cut_short: true, left_out: 1 });
  assert.deepEqual(await budget(), [asked + 5, nights + 4, ['default', 'default', 'default']]);
  await until('its metrics are counted', async () => {
    const metrics = await (await fetch(service.metricsUrl)).text();
    return metrics.includes('parcela_truth_not_asked{reason="leftOut"} 1');
  });
});

test('every merchant is verified once a night, whatever processes run', async () => {
  const beside = await service.startBeside();
  await endNight();
  const today = await service.today();
  await until('its metrics are counted', async () => {
    const metrics = await (await fetch(service.metricsUrl)).text();
    return metrics.includes('parcela_truth_differences{class="feeDiffers"} 1');
  });
  const lines = () =>
    [...service.log, ...beside.log].filter(
      (line) => line.includes('see parcela reconcile report') && line.includes(`"day":"${today}"`),
    );
  await until('it is in the log', async () => lines().length > 0);
  assert.equal(lines().length, 1);
  await beside.stop();
  const { printed } = await service.parcela('reconcile', 'report', '--day', today);
  assert.match(printed, /feeDiffers +1 +2\.00/);
});

test('each day has one sealed report, which those who have the keys can verify', async () => {
  const report = await until('the report is made', async () => {
    const { exitCode, printed } = await service.parcela('reconcile', 'truth-report', '--json');
    return exitCode === 0 ? printed : null;
  });
  const sealed = JSON.parse(report) as { report: string; dataKeyId: number; seal: string };
  const truth = JSON.parse(sealed.report) as Record<string, unknown>;
  assert.deepEqual([truth.merchants, truth.unverified, truth.environment], [1, 0, 'homologation']);
  assert.ok(Number(truth.charges) > 0);
  const file = join(service.folder, 'report.json');
  const verified = async (text: string) => {
    await writeFile(file, text);
    return service.parcela('reconcile', 'truth-verify', file);
  };
  const good = await verified(report);
  assert.equal(good.exitCode, 0, good.errors);
  assert.match(
    good.printed,
    new RegExp(`${truth.day} \\(homologation\\): ${truth.charges} charges checked, `),
  );
  assert.match(good.printed, /the one that is kept of this day/);
  const more = JSON.stringify({ ...truth, charges: Number(truth.charges) + 1 });
  const altered = await verified(JSON.stringify({ ...sealed, report: more }));
  assert.deepEqual([altered.exitCode, /was altered/.test(altered.printed)], [1, true]);
  assert.equal((await verified('{}')).exitCode, 1);
  const shown = await service.parcela('reconcile', 'truth-report', '--day', String(truth.day));
  assert.match(shown.printed, new RegExp(`sealed +under audit key \\d+: ${sealed.seal}`));
  assert.equal((await service.parcela('reconcile', 'truth-report', '--day', '2020-01-01')).exitCode, 1);
  // In the audit log too, once, whatever processes run.
  const audited = await service.auditor.query(
    `select resource, detail from audit_entries where action = 'reconciliation.report'`,
  );
  assert.deepEqual(
    audited.map(({ resource }) => resource),
    [`reconciliation/truth/${truth.day}`],
  );
  assert.equal((JSON.parse(String(audited[0]?.detail)) as { seal: string }).seal, sealed.seal);
  await until('its metrics are counted', async () =>
    (await (await fetch(service.metricsUrl)).text()).includes(
      `parcela_truth_report_charges ${truth.charges}\n`,
    ),
  );
});
