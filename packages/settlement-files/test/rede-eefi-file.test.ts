import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eefiBankDebit, eefiBranchTotal, eefiFileLines, eefiHeader, eefiTrailer } from './eefi-lines.ts';
import { branchHeader } from './eevc-lines.ts';
import { firstFault, readLines, withText } from './written-lines.ts';

test('a Rede EEFI is read to its end: batches, debits of sales, and what e-commerce adds', async () => {
  const { head, entries, end, faults } = await readLines(eefiFileLines());
  assert.deepEqual(faults, []);
  assert.deepEqual([head?.format, head?.version, head?.sequence], ['redeEefi', 'V3.01 - 09/06 - EEFI', 634]);
  const seen = entries
    .toSorted((one, other) => one.lineNumber - other.lineNumber)
    .map(({ lineNumber, kind, batch, nsu, gross, fee, net, document }) => [
      lineNumber,
      kind,
      batch,
      nsu,
      gross,
      fee,
      net,
      document,
    ]);
  assert.deepEqual(seen, [
    [3, 'payout', '700', null, 16_000, 400, 15_600, '1600'],
    [4, 'cancel', '699', '40', -1_000, null, -975, '555'],
    [8, 'pledge', '701', null, 0, 0, 0, '1601'],
    [9, 'anticipation', '701', null, 10_000, 250, 9_500, '990'],
    [11, 'chargeback', '700', '51', -10_000, null, -9_750, '556'],
    [13, 'chargebackReversal', null, null, 3_250, null, 3_250, '991'],
    [14, 'cancel', '700', '52', -1_000, null, -400, '557'],
    [16, 'cancel', '700', '52', -1_000, null, -600, '557'],
    [18, 'cancel', '701', '53', -500, null, 0, null],
    [20, 'chargeback', '701', '53', -9_250, null, 0, null],
  ]);
  const byLine = new Map(entries.map((entry) => [entry.lineNumber, entry]));
  for (const lineNumber of [4, 11, 14, 16, 18]) {
    assert.equal(byLine.get(lineNumber)?.orderReference, '0123456789abcdef0123456789abcd', `${lineNumber}`);
    assert.match(byLine.get(lineNumber)?.tid ?? '', /^0{18}\d\d$/);
  }
  assert.equal(byLine.get(20)?.orderReference, null);
  assert.deepEqual(
    [byLine.get(8)?.installmentNumber, byLine.get(8)?.installmentCount, byLine.get(9)?.anticipationFee],
    [1, 2, 250],
  );
  assert.deepEqual([byLine.get(18)?.installmentNumber, byLine.get(18)?.bankOn], [2, '2026-12-19']);
  assert.deepEqual(end?.leftOut, {
    'Serasa queries': 1,
    'adjustment that an earlier 049 reported': 1,
    'what e-commerce adds to a record that is not on the line before it': 1,
  });
});

test('the net amounts are the money at the bank: what is kept from a credit is shown on its own', async () => {
  const { entries } = await readLines(eefiFileLines());
  const net = entries.reduce((sum, entry) => sum + (entry.net ?? 0), 0);
  assert.equal(net, 14_625 + 9_500 - 9_750 + 3_250 - 400 - 600);
});

test('what is kept from another credit than the one before it is told, and not taken twice', async () => {
  const lines = eefiFileLines();
  const [credit = '', kept = ''] = lines.slice(2, 4);
  const ofOther = withText(kept, 13, '000000701');
  for (const moved of [lines.toSpliced(2, 2, kept, credit), lines.with(3, ofOther)]) {
    const { entries, faults } = await readLines(moved);
    assert.deepEqual(faults, []);
    const ofDebit = entries.find(({ nsu, kind }) => nsu === '40' && kind === 'unknown');
    assert.deepEqual([ofDebit?.gross, ofDebit?.net], [-1_000, 0]);
    const net = entries.reduce((sum, entry) => sum + (entry.net ?? 0), 0);
    assert.equal(net, 14_625 + 9_500 - 9_750 + 3_250 - 400 - 600);
  }
});

test('a debit that was balanced in a batch has no day of its own, and the same amount', async () => {
  const lines = eefiFileLines();
  const at = lines.findIndex((line) => line.startsWith('045'));
  const { entries, faults } = await readLines(lines.with(at, withText(lines[at] ?? '', 219, '00000000')));
  assert.deepEqual(faults, []);
  const debit = entries.find(({ lineNumber }) => lineNumber === at + 1);
  assert.deepEqual([debit?.kind, debit?.net, debit?.bankOn], ['cancel', -600, null]);
});

test('each reason has its kind', async () => {
  const reasons = { cancel: '18', chargeback: '15', adjustment: '28', unknown: '50' };
  for (const [kind, reason] of Object.entries(reasons)) {
    const lines = eefiFileLines();
    const { entries } = await readLines(lines.with(10, eefiBankDebit(9_750, reason)));
    assert.equal(entries.find(({ lineNumber }) => lineNumber === 11)?.kind, kind);
  }
});

test('since V4.00 the reason stands in four bytes at the end, and zeros in the two before', async () => {
  const longAt: Readonly<Record<string, readonly [short: number, long: number]>> = {
    '035': [46, 313],
    '038': [100, 304],
    '043': [85, 116],
    '044': [47, 288],
    '045': [47, 273],
  };
  const old = eefiFileLines();
  const moved = old.map((line) => {
    const [short, long] = longAt[line.slice(0, 3)] ?? [];
    if (short === undefined || long === undefined) return line;
    const reason = line.slice(short - 1, short + 1);
    return withText(withText(line, short, '00').padEnd(long - 1), long, `00${reason}`);
  });
  const lines = moved.with(0, withText(moved[0] ?? '', 106, 'V4.00 - 05/2023 EEFI'));
  const { entries, faults } = await readLines(lines);
  assert.deepEqual(faults, []);
  assert.deepEqual(entries, (await readLines(old)).entries);
});

test('an addition that does not fit the line before it adds nothing', async () => {
  const lines = eefiFileLines();
  const { entries, faults } = await readLines(lines.with(11, withText(lines[11] ?? '', 57, '9')));
  assert.deepEqual(faults, []);
  assert.equal(entries.find(({ lineNumber }) => lineNumber === 11)?.orderReference, null);
});

test('records that came with V4 are counted and left out', async () => {
  const lines = eefiFileLines();
  const { end } = await readLines(
    lines.with(20, '064whatever').with(0, withText(lines[0] ?? '', 106, 'V4.00')),
  );
  assert.equal(end?.leftOut['suspended payment (since V4)'], 1);
});

const MISTAKES: readonly (readonly [string, number, number, string, readonly [number, string | null]])[] = [
  ['a credit that is none', 3, 47, 'D', [3, 'direction']],
  ['an installment beyond their number', 8, 125, '03/02', [8, 'installment']],
  ['an installment that is none', 8, 125, '1 2', [8, 'installment']],
  ['a debit without its amount', 11, 32, '               ', [11, 'amount']],
  ['another count of credits', 22, 18, '9', [22, 'creditCount']],
  ['another sum of credits', 22, 33, '9', [22, 'credits']],
  ['another sum of anticipations', 22, 54, '9', [22, 'anticipated']],
  ['another sum of credit adjustments', 22, 73, '9', [22, 'creditAdjustments']],
  ['another count of debit adjustments', 22, 79, '9', [22, 'debitAdjustmentCount']],
  ['another sum of credits in the trailer', 23, 41, '9', [23, 'credits']],
  ['another count of lines', 23, 13, '9', [23, 'recordCount']],
  ['another count of head offices', 23, 7, '9', [23, 'branchCount']],
  ['an unknown record', 21, 1, '099', [21, null]],
];

for (const [name, at, from, text, fault] of MISTAKES) {
  test(`${name} is found with its line and field`, async () => {
    const lines = eefiFileLines();
    assert.deepEqual(await firstFault(lines.with(at - 1, withText(lines[at - 1] ?? '', from, text))), fault);
  });
}

/** Of a real file of 2022 that a public test has, with other numbers of merchant, account and card. */
test('an anticipation and a debit that was reported before as Rede wrote them, each value checked by hand', async () => {
  const debit =
    '03501234567805114922028012022000000000011158D18CANCEL.DE VENDAS            544828XXXXXX0007190120220511492203220281626473162801202200000001234567819012022000000000068000D19042022000000002408818000000002419976000000000000000000000000068000000257409999023166T0201976766700000000000000000000000000000011';
  const ahead =
    '0360123456780203405284204022022000000003922450C34100000000000000000031649374030220220000000039618110703202201/060000000129158200000000002001980123456781';
  const totals = [
    [0, 0],
    [1, 3_922_450],
    [0, 0],
    [0, 0],
  ] as const;
  const { entries, end, faults } = await readLines([
    ...[eefiHeader(), branchHeader('032'), debit, ahead],
    ...[eefiBranchTotal(totals), eefiTrailer(1, 6, totals)],
  ]);
  assert.deepEqual(faults, []);
  assert.deepEqual(end?.leftOut, { 'adjustment that an earlier 049 reported': 1 });
  assert.deepEqual(
    entries.map(({ kind, gross, fee, net, anticipationFee, bankOn, batch, document, ...entry }) => [
      ...[kind, gross, fee, net, anticipationFee, bankOn, batch, document],
      ...[entry.brand, entry.installmentNumber, entry.installmentCount],
    ]),
    [
      [
        ...['anticipation', 4_162_009, 200_198, 3_922_450, 39_361, '2022-02-04', '31649374', '2034052842'],
        ...['mastercard', 1, 6],
      ],
    ],
  );
});
