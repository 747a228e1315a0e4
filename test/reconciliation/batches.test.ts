import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eefiBranchTotal, eefiCredit, eefiHeader, eefiTrailer } from './files/eefi-lines.ts';
import {
  branchHeader,
  eevcBatch,
  eevcBranchTotal,
  eevcHeader,
  eevcSale,
  eevcTrailer,
} from './files/eevc-lines.ts';
import { bytesOf } from './files/written-lines.ts';
import { type MatchingBench, openMatchingBench } from './matching-bench.ts';

const [SOLD_ON, PAID_ON] = ['2026-11-19', '2026-11-20'];
const feeOf = (gross: number) => gross / 40;

let bench: MatchingBench;
before(async () => {
  bench = await openMatchingBench();
});
after(() => bench.close());

type Member = { readonly nsu: number; readonly gross: number };

async function sell({ nsu, gross }: Member): Promise<string> {
  const known = { nsu: String(nsu), authorizationCode: 'T12345', soldOn: SOLD_ON, expectedOn: PAID_ON };
  const [sold] = await bench.sell({ ...known, gross, fee: feeOf(gross) });
  return sold?.transactionId ?? '';
}

/** The acquirer's list of the batch, and the credit that pays it. */
async function takeBatch(number: number, members: readonly Member[]): Promise<void> {
  const count = members.length;
  const gross = members.reduce((sum, member) => sum + member.gross, 0);
  const fee = feeOf(gross);
  const totals = { gross, fee, rejected: 0, rejectedCount: 0, accepted: count };
  const listed = [
    eevcHeader().replace('000634', String(number).padStart(6, '0')),
    branchHeader('004'),
    eevcBatch({ number, count, gross, fee }),
    ...members.map((member) => eevcSale({ ...member, batch: number, fee: feeOf(member.gross) })),
    eevcBranchTotal(totals),
    eevcTrailer(1, members.length + 5, totals),
  ];
  const sums = [[1, gross - fee] as const, ...Array.from({ length: 3 }, () => [0, 0] as const)];
  const credits = [
    eefiHeader().replace('000634', String(number).padStart(6, '0')),
    branchHeader('032'),
    eefiCredit({ batch: number, gross, fee, net: gross - fee }),
    eefiBranchTotal(sums),
    eefiTrailer(1, 5, sums),
  ];
  for (const [name, lines] of [
    [`EEVC-${number}`, listed],
    [`EEFI-${number}`, credits],
  ] as const) {
    const path = join(bench.folder, name);
    await writeFile(path, bytesOf(lines));
    const result = await bench.take(path);
    assert.equal(result.kind, 'taken', JSON.stringify(result));
  }
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

const openLines = () =>
  bench.auditor.query(
    `select class, found from reconciliation_exceptions where merchant_id = '' and state = 'open' order by class, found`,
  );

test('what a batch pays waits until the list of its sales is matched', async () => {
  const members = [
    { nsu: 701, gross: 10_000 },
    { nsu: 702, gross: 20_000 },
  ];
  const ids = await Promise.all(members.map(sell));
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
  for (let looks = 0; looks < 2; looks += 1) {
    await bench.auditor.query('update reconciliation_exceptions set due_at = now() where due_at is not null');
    await bench.match();
  }
  assert.deepEqual([await filed([known, late]), await openLines()], [[9_750, 29_250], []]);
});
