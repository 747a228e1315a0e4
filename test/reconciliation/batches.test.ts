import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import {
  cielo03FileLines,
  cielo09FileLines,
  cielo15FileLines,
  cielo16FileLines,
  cieloHeader,
} from '../../packages/settlement-files/test/cielo-lines.ts';
import {
  eefiBranchTotal,
  eefiCredit,
  eefiHeader,
  eefiTrailer,
  eefiUnscheduled,
} from '../../packages/settlement-files/test/eefi-lines.ts';
import {
  branchHeader,
  eevcBatch,
  eevcBranchTotal,
  eevcHeader,
  eevcSale,
  eevcTrailer,
} from '../../packages/settlement-files/test/eevc-lines.ts';
import {
  eevdBatch,
  eevdHeader,
  eevdSale,
  eevdTrailer,
} from '../../packages/settlement-files/test/eevd-lines.ts';
import { bytesOf, withText } from '../../packages/settlement-files/test/written-lines.ts';
import { listFiles } from '../../src/reconciliation/imports/settlement-files.sql.ts';
import { readDayLines } from '../../src/reconciliation/reports/day-reports.sql.ts';
import type { Day } from '../../src/values/instant.ts';
import { until } from '../kit/service.ts';
import { type MatchingBench, openMatchingBench } from './matching-bench.ts';

const [SOLD_ON, PAID_ON] = ['2026-11-19', '2026-11-20'];
const feeOf = (gross: number) => gross / 40;

let bench: MatchingBench;
before(async () => {
  bench = await openMatchingBench();
});
after(() => bench.close());

type Member = { readonly nsu: number; readonly gross: number };

async function sell({ nsu, gross }: Member, expectedOn = PAID_ON): Promise<string> {
  const known = { nsu: String(nsu), authorizationCode: 'T12345', soldOn: SOLD_ON, expectedOn };
  const [sold] = await bench.sell({ ...known, gross, fee: feeOf(gross) });
  return sold?.transactionId ?? '';
}

const sumOf = (members: readonly Member[]) => members.reduce((sum, member) => sum + member.gross, 0);

async function take(name: string, lines: readonly string[]): Promise<void> {
  const path = join(bench.folder, name);
  await writeFile(path, bytesOf(lines));
  const result = await bench.take(path);
  assert.equal(result.kind, 'taken', JSON.stringify(result));
}

const numbered = (header: string, number: number) =>
  header.replace('000634', String(number).padStart(6, '0'));

/** The acquirer's list of the sales of a batch; `REPROC`: sent anew. */
async function takeList(
  number: number,
  members: readonly Member[],
  { onDay = '20112026', processing = 'DIARIO', file = number } = {},
): Promise<void> {
  const [count, gross] = [members.length, sumOf(members)];
  const fee = feeOf(gross);
  const totals = { gross, fee, rejected: 0, rejectedCount: 0, accepted: count };
  await take(`EEVC-${file}-${processing}`, [
    numbered(eevcHeader(undefined, processing), file).replace('20112026', onDay),
    branchHeader('004'),
    eevcBatch({ number, count, gross, fee }),
    ...members.map((member) => eevcSale({ ...member, batch: number, fee: feeOf(member.gross) })),
    eevcBranchTotal(totals),
    eevcTrailer(1, members.length + 5, totals),
  ]);
}

/** None of the acquirer's numbers of these files is missing. */
let credits = 0;

const ofNovember = (day: number) => `${day}112026`;

/** A credit of a batch. */
async function takeCredit(
  batch: number,
  gross: number,
  onDay = '20112026',
  others: readonly string[] = [],
): Promise<void> {
  credits += 1;
  const fee = feeOf(gross);
  const sums = [[1, gross - fee] as const, ...Array.from({ length: 3 }, () => [0, 0] as const)];
  const lines = [
    numbered(eefiHeader(), credits),
    branchHeader('032'),
    eefiCredit({ batch, gross, fee, net: gross - fee }),
    ...others,
    eefiBranchTotal(sums),
    eefiTrailer(1, 5 + others.length, sums),
  ];
  await take(
    `EEFI-${credits}`,
    lines.map((each) => each.replaceAll('20112026', onDay)),
  );
}

/** The list of a batch, and the credit that pays all of it. */
async function takeBatch(
  number: number,
  members: readonly Member[],
  { onDay = '20112026' } = {},
): Promise<void> {
  await takeList(number, members, { onDay });
  await takeCredit(number, sumOf(members), onDay);
}

/** What files say that was paid of each. */
async function filed(ids: readonly string[]): Promise<unknown[]> {
  const rows = await bench.auditor.query(
    `select filed_net::float8 as net from receivables join unnest($1::uuid[]) with ordinality w (id, place) on id = transaction_id
     order by place`,
    [ids],
  );
  return rows.map(({ net }) => net);
}

async function lookAgain(): Promise<void> {
  for (let looks = 0; looks < 2; looks += 1) {
    await bench.auditor.query('update reconciliation_exceptions set due_at = now() where due_at is not null');
    await bench.match();
  }
}

const openLines = () =>
  bench.auditor.query(
    `select class, found from reconciliation_exceptions where merchant_id = '' and state = 'open' order by class, found`,
  );

test('what a batch pays waits until the list of its sales is matched', async () => {
  const members = [
    { nsu: 701, gross: 10_000 },
    { nsu: 702, gross: 20_000 },
  ];
  const ids = await Promise.all(members.map((member) => sell(member)));
  await takeBatch(701, members);
  // Another process has the list under its lease.
  const leased = "set due_at = now() + interval '1 hour' where format = 'redeEevc' and matched_at is null";
  await bench.auditor.query(`update settlement_files ${leased}`);
  await bench.match();
  assert.deepEqual([await filed(ids), await openLines()], [[null, null], []]);
  await bench.auditor.query(`update settlement_files set due_at = now() where matched_at is null`);
  await bench.match();
  assert.deepEqual([await filed(ids), await openLines()], [[9_750, 19_500], []]);
});

test('a batch of which a sale is not known is divided over none of the others, until it is known', async () => {
  const members = [
    { nsu: 801, gross: 10_000 },
    { nsu: 802, gross: 30_000 },
  ];
  const [first, second] = members as [Member, Member];
  const known = await sell(first);
  await takeBatch(801, members);
  await bench.match();
  assert.deepEqual(await filed([known]), [null]);
  assert.deepEqual(await openLines(), [
    { class: 'notInParcela', found: 'batchIncomplete' },
    { class: 'notInParcela', found: 'notFound' },
  ]);
  const late = await sell(second);
  await lookAgain();
  assert.deepEqual([await filed([known, late]), await openLines()], [[9_750, 29_250], []]);
});

test('a credit that no sales of its batch add up to settles none of them', async () => {
  const members = [1, 2, 3].map((place) => ({ nsu: 900 + place, gross: 10_000 }));
  const ids = await Promise.all(members.map((member) => sell(member)));
  await takeList(900, members);
  await takeCredit(900, 20_000);
  await bench.match();
  const changes = () =>
    bench.auditor.query('select event from acquirer_changes where reference = any ($1)', [ids]);
  assert.deepEqual(await changes(), []);
  for (const id of ids)
    assert.deepEqual(
      (await bench.exceptions(id)).filter(([, state]) => state === 'open').map(([name]) => name),
      ['amountDiffers'],
    );
  const [exact] = [await sell({ nsu: 911, gross: 10_000 })];
  await takeBatch(911, [{ nsu: 911, gross: 10_000 }]);
  await bench.match();
  assert.deepEqual(
    await bench.auditor.query('select event from acquirer_changes where reference = $1', [exact]),
    [{ event: 'settle' }],
  );
});

for (const days of [
  [21, 22],
  [24, 23],
] as const)
  test(`two credits of a batch are divided in the order of their days, taken as ${days}`, async () => {
    const batch = 1_000 + days[0];
    const members = [10_000, 20_000, 40_000].map((gross, place) => ({ nsu: batch + place, gross }));
    const ids = await Promise.all(members.map((member) => sell(member)));
    await takeList(batch, members);
    await bench.match();
    const earlier = Math.min(...days);
    await bench.auditor.query(
      'update receivables set reported_bank_on = $2::date where transaction_id = any ($1)',
      [ids.slice(0, 2), `2026-11-${earlier}`],
    );
    for (const day of days) await takeCredit(batch, day === earlier ? 30_000 : 40_000, ofNovember(day));
    // Another process has the first of them under its lease.
    const ofDay = `format = 'redeEefi' and from_on = '2026-11-${earlier}'`;
    await bench.auditor.query(
      `update settlement_files set due_at = now() + interval '1 hour' where ${ofDay}`,
    );
    await bench.match();
    assert.deepEqual([await filed(ids), await openLines()], [[null, null, null], []]);
    await bench.auditor.query(`update settlement_files set due_at = now() where ${ofDay}`);
    await bench.match();
    assert.deepEqual([await filed(ids), await openLines()], [[9_750, 19_500, 39_000], []]);
  });

test('a credit of an earlier day waits for one that is being divided', async () => {
  const members = [10_000, 20_000].map((gross, place) => ({ nsu: 1_100 + place, gross }));
  const ids = await Promise.all(members.map((member) => sell(member)));
  await takeList(1_100, members);
  await bench.match();
  await bench.auditor.query(
    `update receivables set reported_bank_on = '2026-11-25' where transaction_id = $1`,
    [ids[0]],
  );
  await takeCredit(1_100, 20_000, ofNovember(26));
  const leased = "set due_at = now() + interval '1 hour' where matched_at is null";
  await bench.auditor.query(`update settlement_files ${leased}`);
  await takeCredit(1_100, 10_000, ofNovember(25));
  await bench.match();
  assert.deepEqual(await filed(ids), [null, null]);
  await bench.auditor.query('update settlement_files set due_at = now() where matched_at is null');
  await bench.match();
  assert.deepEqual([await filed(ids), await openLines()], [[9_750, 19_500], []]);
});

test('a sale whose payout waits for the list of its batch is not missed', async () => {
  const [ours, foreign, whole] = [1_201, 1_202, 1_211].map((nsu) => ({ nsu, gross: 10_000 })) as [
    Member,
    Member,
    Member,
  ];
  const known = await sell(ours, '2026-11-27');
  await sell(whole, '2026-11-30');
  await takeList(1_201, [ours, foreign]);
  await takeCredit(1_201, 20_000, ofNovember(27));
  await takeList(1_211, [whole]);
  await takeCredit(1_211, 10_000, ofNovember(30));
  await bench.match();
  const shown = () =>
    bench.auditor.query(
      'select class, state, explanation from reconciliation_exceptions where transaction_id = $1',
      [known],
    );
  assert.deepEqual(await shown(), [
    { class: 'notInFile', state: 'explained', explanation: 'batchIncomplete' },
  ]);
  const late = await sell(foreign, '2026-11-27');
  await lookAgain();
  assert.deepEqual([await filed([known, late]), await openLines()], [[9_750, 9_750], []]);
  assert.deepEqual(await shown(), [{ class: 'notInFile', state: 'healed', explanation: null }]);
});

test('what was divided over a list that is sent anew waits for the new one', async () => {
  const [kept, gone, added] = [1_301, 1_302, 1_303].map((nsu) => ({ nsu, gross: 10_000 })) as [
    Member,
    Member,
    Member,
  ];
  const ids = await Promise.all([kept, gone, added].map((member) => sell(member)));
  await takeList(1_301, [kept, gone], { onDay: ofNovember(28) });
  await takeCredit(1_301, 20_000);
  await bench.match();
  assert.deepEqual(await filed(ids), [9_750, 9_750, null]);
  await takeList(1_301, [kept, added], { onDay: ofNovember(28), processing: 'REPROC' });
  await lookAgain();
  assert.deepEqual([await filed(ids), await openLines()], [[9_750, null, 9_750], []]);
  // Its exception of before is open again, and not a second one.
  await takeList(1_301, [kept, { nsu: 1_304, gross: 10_040 }], {
    onDay: ofNovember(28),
    processing: 'REPROC 2',
  });
  await lookAgain();
  assert.deepEqual(await filed(ids), [null, null, null]);
  assert.deepEqual(await openLines(), [
    { class: 'notInParcela', found: 'batchIncomplete' },
    { class: 'notInParcela', found: 'notFound' },
  ]);
});

/** What a merchant who wants it is notified of about a sale. */
const notices = async (transactionId: string) =>
  (
    await bench.auditor.query('select body from deliveries where kind = $1 order by delivery_number', [
      'notice',
    ])
  )
    .map(({ body }) => JSON.parse(body as string) as Record<string, unknown>)
    .filter((notice) => notice.transactionId === transactionId)
    .map(({ class: name, event }) => [name, event]);

test('what a merchant was notified of before its line came heals for the merchant too', async () => {
  await bench.auditor.query(`insert into webhook_endpoints
    (merchant_id, endpoint, url, server, created_by)
    values ('LOJA', 'exceptions:12345-6', 'https://loja.example/', 'origin:https://loja.example', 'ana')`);
  const [ours, foreign, other] = [1_401, 1_402, 1_411].map((nsu) => ({ nsu, gross: 10_000 })) as [
    Member,
    Member,
    Member,
  ];
  const known = await sell(ours, '2026-12-10');
  await sell(other, '2026-12-14');
  await takeBatch(1_411, [other], { onDay: '14122026' });
  await bench.match();
  assert.deepEqual(await notices(known), [['notInFile', 'opened']]);
  await takeBatch(1_401, [ours, foreign], { onDay: '15122026' });
  await lookAgain();
  const [explained] = await bench.auditor.query(
    `select state, explanation from reconciliation_exceptions where transaction_id = $1 and class = 'notInFile'`,
    [known],
  );
  assert.deepEqual(explained, { state: 'explained', explanation: 'batchIncomplete' });
  await sell(foreign, '2026-12-10');
  await lookAgain();
  assert.deepEqual(
    (await notices(known)).filter(([name]) => name === 'notInFile'),
    [
      ['notInFile', 'opened'],
      ['notInFile', 'healed'],
    ],
  );
});

const waiting = (count: number) =>
  until(`${count} wait for a lock`, async () => {
    const [row] = await bench.auditor.query(
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row?.count === count;
  });

test('a payout is divided over no list that is sent anew at the same moment', async () => {
  const members = [1_501, 1_502].map((nsu) => ({ nsu, gross: 10_000 }));
  const ids = await Promise.all(members.map((member) => sell(member)));
  await takeList(1_501, members, { onDay: '28112026' });
  await bench.match();
  const list = `(select file_number from settlement_matches where transaction_id = '${ids[0]}' and kind = 'sale')`;
  await takeCredit(1_501, 20_000);
  const holder = new pg.Client(bench.database.address);
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(`update settlement_files set replaced_by = file_number where file_number = ${list}`);
    // It has read the list as it stood, and now it is not the one that counts any more.
    const dividing = bench.match();
    await waiting(1);
    await holder.query('commit');
    await dividing;
  } finally {
    await holder.end();
  }
  assert.deepEqual(await filed(ids), [null, null]);
  await bench.auditor.query(`update settlement_files set replaced_by = null where file_number = ${list}`);
  await lookAgain();
  assert.deepEqual(await filed(ids), [9_750, 9_750]);
});

test('what is divided in the moment when its list is sent anew is taken back', async () => {
  const [kept, gone, added] = [1_601, 1_602, 1_603].map((nsu) => ({ nsu, gross: 10_000 })) as [
    Member,
    Member,
    Member,
  ];
  const ids = await Promise.all([kept, gone, added].map((member) => sell(member)));
  await takeList(1_601, [kept, gone], { onDay: '29112026' });
  await bench.match();
  await takeCredit(1_601, 20_000);
  const holder = new pg.Client(bench.database.address);
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from receivables where transaction_id = $1 for update', [ids[0]]);
    const dividing = bench.match();
    await waiting(1);
    const replacing = takeList(1_601, [kept, added], { onDay: '29112026', processing: 'REPROC' });
    await waiting(2);
    await holder.query('rollback');
    await Promise.all([dividing, replacing]);
  } finally {
    await holder.end();
  }
  await lookAgain();
  assert.deepEqual(await filed(ids), [9_750, null, 9_750]);
});

test('what is taken off the schedule finds its sale by the list of its batch, or is an exception of its amount', async () => {
  const [known, late] = [1_701, 1_702].map((nsu) => ({ nsu, gross: 10_000 })) as [Member, Member];
  const id = await sell(known, '2026-11-20');
  await takeList(1_701, [known]);
  // The same sale in a second list that stands: it gets each line once.
  await takeList(1_701, [known], { file: 1_703, onDay: ofNovember(21) });
  const unscheduled = (member: Member, batch: number) =>
    eefiUnscheduled(400, '1', { batch, nsu: member.nsu, installmentNumber: 0 });
  await takeCredit(1_701, 10_000, '20112026', [unscheduled(known, 1_701), unscheduled(late, 1_702)]);
  await bench.match();
  const taken = (transactionId: string) =>
    bench.auditor.query(
      `select rule, gross::int as gross, net::int as net from settlement_matches where transaction_id = $1 and kind = 'cancel'`,
      [transactionId],
    );
  assert.deepEqual(await taken(id), [{ rule: 'batch', gross: -400, net: 0 }]);
  const lines = () =>
    bench.auditor.query(
      `select state, found, amount::int as amount from reconciliation_exceptions where merchant_id = '' and class = 'cancellationUnknown'`,
    );
  assert.deepEqual(await lines(), [{ state: 'open', found: 'notFound', amount: 400 }]);
  const found = await sell(late, '2026-11-20');
  await takeList(1_702, [late]);
  await lookAgain();
  assert.deepEqual(await taken(found), [{ rule: 'batch', gross: -400, net: 0 }]);
  assert.deepEqual(
    (await lines()).map(({ state }) => state),
    ['healed'],
  );
});

const paid = async (): Promise<number> =>
  Number((await bench.auditor.query('select count(*)::int as count from settlement_matches'))[0]?.count);

const debitLines = (batch: number, members: readonly Member[]) => {
  const sums = { gross: sumOf(members), fee: feeOf(sumOf(members)) };
  return [
    eevdHeader(),
    eevdBatch({ number: batch, count: members.length, ...sums }),
    ...members.map((member) => eevdSale({ ...member, batch, fee: feeOf(member.gross) })),
    eevdTrailer(members.length + 3, { batches: 1, sales: members.length, ...sums }),
  ];
};

test('sales by debit are told, and are in no batch of credit that has their number', async () => {
  const member = { nsu: 791, gross: 40_000 };
  const id = await sell(member);
  await takeList(791, [member]);
  await take('EEVD', debitLines(791, [member, { nsu: 799, gross: 10_000 }]));
  const [matched, open] = [await paid(), await openLines()];
  await bench.match();
  // The one line of the list of credit.
  assert.deepEqual([(await paid()) - matched, await openLines()], [1, open]);
  await takeCredit(791, member.gross);
  await bench.match();
  assert.deepEqual([await filed([id]), await openLines()], [[39_000], open]);
});

test('Pix of the acquirer and open or negotiated units are told, open no exception and pay nothing', async () => {
  const before = await openLines();
  const matched = await paid();
  await take('CIELO16', cielo16FileLines());
  await take('CIELO15', cielo15FileLines());
  await take('CIELO09', cielo09FileLines());
  await bench.match();
  assert.deepEqual(await openLines(), before);
  assert.deepEqual(await paid(), matched);
  assert.deepEqual(
    await bench.auditor.query(
      `select format, entries, gross::int as gross, net::int as net, matched_at is not null as is_matched
       from settlement_files where format in ('cielo09', 'cielo15', 'cielo16') order by format`,
    ),
    [
      { format: 'cielo09', entries: 2, gross: 0, net: 0, is_matched: true },
      { format: 'cielo15', entries: 3, gross: 0, net: 0, is_matched: true },
      { format: 'cielo16', entries: 4, gross: 0, net: 0, is_matched: true },
    ],
  );
});

const headerOf = (statement: string, sequence: string) => withText(cieloHeader({ statement }), 36, sequence);

test('no line of a file that pays nothing is money of a sheet, whatever its code is', async () => {
  const day = '2026-11-20' as Day;
  const before = await readDayLines(bench.pool, day, 10);
  const unknown = (lines: readonly string[], at: number) => lines.with(1, withText(lines[1] ?? '', at, 'QQ'));
  for (const sequence of ['0000991', '0000992'])
    await take(`CIELO09-${sequence}`, unknown(cielo09FileLines(), 70).with(0, headerOf('09', sequence)));
  await take('CIELO16-QQ', unknown(cielo16FileLines(), 12).with(0, headerOf('16', '0000991')));
  const announced = cielo03FileLines().with(0, headerOf('03', '0000991'));
  const sale = announced.findIndex((line) => line.startsWith('E'));
  await take('CIELO03-QQ', announced.with(sale, withText(announced[sale] ?? '', 28, 'QQ')));
  const [sums] = await bench.auditor.query(
    `select gross::integer, net::integer from settlement_files where name = 'CIELO03-QQ'`,
  );
  assert.deepEqual(sums, { gross: 0, net: 0 });
  await bench.match();
  const lines = await openLines();
  assert.deepEqual(
    lines.filter(({ class: name }) => name === 'unknownCode').map(({ found }) => String(found).slice(0, 2)),
    ['05', 'QQ'],
  );
  assert.deepEqual(await readDayLines(bench.pool, day, 10), before);
});

test('a file of a format that only a newer process knows is listed, left to that process, and keeps no other waiting', async () => {
  const holdFormat = (verb: string) => bench.auditor.query(`alter table settlement_files ${verb}`);
  const [check] = await bench.auditor.query(
    `select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'settlement_files_format_check'`,
  );
  await holdFormat('drop constraint settlement_files_format_check');
  try {
    await take('FUTURE', cielo16FileLines().with(0, headerOf('16', '0000993')));
    const [future] = await bench.auditor.query(
      `update settlement_files set format = 'future' where name = 'FUTURE' returning due_at`,
    );
    const member = { nsu: 1_901, gross: 10_000 };
    const id = await sell(member);
    await takeBatch(1_901, [member]);
    await bench.match();
    assert.deepEqual(await filed([id]), [9_750]);
    const [left] = await bench.auditor.query(
      `select due_at, matched_at from settlement_files where name = 'FUTURE'`,
    );
    assert.deepEqual(left, { ...future, matched_at: null });
    const listed = await listFiles(bench.pool, Number.MAX_SAFE_INTEGER, 50);
    assert.ok(listed.some(({ format }) => format === 'future'));
  } finally {
    await bench.auditor.query(`update settlement_files set format = 'cielo16' where format = 'future'`);
    await holdFormat(`add constraint settlement_files_format_check ${check?.text}`);
  }
});
