import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  branchHeader,
  eevcBatch,
  eevcBranchTotal,
  eevcFileLines,
  eevcHeader,
  eevcTrailer,
} from './eevc-lines.ts';
import { firstFault, readLines, withText } from './written-lines.ts';

test('a Rede EEVC is read to its end, each sale with what e-commerce adds to it', async () => {
  const { head, entries, end, faults } = await readLines(eevcFileLines());
  assert.deepEqual(faults, []);
  assert.deepEqual(
    [head?.format, head?.establishment, head?.madeOn, head?.sequence, head?.isRepetition],
    ['redeEevc', '12345678', '2026-11-20', 634, false],
  );
  assert.deepEqual(end?.leftOut, { 'SecureCode queries': 1 });
  assert.deepEqual(
    entries.map(({ kind, batch, nsu, installmentNumber, installmentCount, gross, fee, net, bankOn }) => [
      kind,
      batch,
      nsu,
      installmentNumber,
      installmentCount,
      gross,
      fee,
      net,
      bankOn,
    ]),
    [
      ['sale', '700', '51', 1, 1, 10_000, 250, 9_750, '2026-12-19'],
      ['sale', '700', '52', 1, 1, 6_000, 150, 5_850, '2026-12-19'],
      ['sale', '701', '53', null, 2, 20_000, 500, 19_500, null],
      ['schedule', '701', null, 1, null, 10_000, 250, 9_750, '2026-12-19'],
      ['schedule', '701', null, 2, null, 10_000, 250, 9_750, '2027-12-19'],
    ],
  );
  const { tid, orderReference, authorizationCode, brand, cardLastFour, soldOn, establishment } =
    entries[0] ?? {};
  assert.deepEqual(
    [tid, orderReference, authorizationCode, brand, cardLastFour, soldOn, establishment],
    [
      '00000000000000000051',
      '0123456789abcdef0123456789abcd',
      'T12345',
      'mastercard',
      '0007',
      '2026-11-19',
      '12345678',
    ],
  );
});

test('what e-commerce adds may stand anywhere in the batch, and alone', async () => {
  const lines = eevcFileLines();
  const [addition = '', sale = ''] = [lines[4], lines[3]];
  const before = await readLines(lines.with(3, addition).with(4, sale));
  assert.deepEqual(before.faults, []);
  assert.equal(before.entries[0]?.tid, '00000000000000000051');

  const alone = lines.toSpliced(3, 1);
  alone[14] = withText(alone[14] ?? '', 8, '000015');
  const { entries, faults } = await readLines(alone);
  assert.deepEqual(faults, []);
  const found = entries.find(({ nsu }) => nsu === '51');
  assert.deepEqual([found?.kind, found?.gross, found?.fee, found?.net], ['sale', 10_000, null, null]);
});

test('a rejected sale is left out, and one of a status that is no number is no sale that is known', async () => {
  const lines = eevcFileLines();
  const { entries, faults } = await readLines(lines.with(5, withText(lines[5] ?? '', 84, '0A1')));
  assert.deepEqual(faults, []);
  assert.equal(entries.length, (await readLines(lines)).entries.length + 1);
  const found = entries.find(({ nsu }) => nsu === '60');
  assert.deepEqual([found?.kind, found?.gross, found?.description], ['unknown', 777, '0A1']);
});

test('two sales alike are two entries, each with its own addition', async () => {
  const lines = eevcFileLines();
  const twice = [...lines.slice(0, 5), ...lines.slice(3, 5), ...lines.slice(5)];
  const add = (at: number, from: number, text: string) => {
    twice[at] = withText(twice[at] ?? '', from, text);
  };
  add(2, 49, '00003');
  add(2, 54, '000000000026000');
  add(2, 99, '000000000000650');
  add(2, 114, '000000000025350');
  for (const [at, shift] of [
    [16, 0],
    [17, 10],
  ] as const) {
    add(at, 13 + shift, '000000000046000');
    add(at, 109 + shift, '000000000001150');
    add(at, 124 + shift, '000000000044850');
    add(at, 169 + shift, '000004');
  }
  add(17, 8, '000018');
  const { entries, faults } = await readLines(twice);
  assert.deepEqual(faults, []);
  assert.equal(entries.filter(({ nsu, tid }) => nsu === '51' && tid !== null).length, 2);
});

test('longer lines of a later version are taken, and an EEVD without commas and EESA refused by name', async () => {
  const none = { gross: 0, rejectedCount: 0, rejected: 0, fee: 0, accepted: 0 };
  const longer = eevcFileLines().map((text) => `${text}columns of a later version`);
  assert.equal(await firstFault(longer), null);
  assert.equal(await firstFault([eevcHeader('V3.00 - 05/23 - EEVC'), eevcTrailer(0, 2, none)]), null);
  for (const [line, name] of [
    ['002012345678201120261911202600063 V1.04 - 07/10 - EEVD', 'Rede EEVD'],
    [`060${'20112026'}Rede    Saldos em Aberto`, 'Rede EESA'],
  ] as const) {
    const { faults } = await readLines([line]);
    assert.match(faults[0]?.sentence.en ?? '', new RegExp(name));
  }
});

test('records out of their place are found', async () => {
  const lines = eevcFileLines();
  const [header = '', branch = '', , sale = ''] = lines;
  assert.deepEqual(await firstFault(lines.with(13, branch)), [14, null]);
  assert.deepEqual(await firstFault(lines.with(13, header)), [14, null]);
  assert.deepEqual(await firstFault(lines.with(2, sale)), [3, null]);
  assert.deepEqual(await firstFault(lines.toSpliced(14, 1)), [15, null]);
});

const MISTAKES: readonly (readonly [string, number, number, string, readonly [number, string | null]])[] = [
  ['a header without its day', 1, 4, '00000000', [1, 'madeOn']],
  ['a sale of another batch', 4, 13, '000000701', [4, 'batch']],
  ['an amount with a blank', 4, 38, ' ', [4, 'gross']],
  ['an NSU with a letter', 4, 87, 'A', [4, 'nsu']],
  ['another count of a batch', 3, 49, '00003', [3, 'saleCount']],
  ['another gross sum of a batch', 3, 67, '9', [3, 'gross']],
  ['another fee of a batch', 3, 113, '9', [3, 'fee']],
  ['another net sum of a batch', 3, 128, '9', [3, 'net']],
  ['installments that do not add up to their batch', 12, 54, '9', [9, 'gross']],
  ['another sum of a head office', 15, 27, '9', [15, 'gross']],
  ['another count of accepted sales', 15, 174, '9', [15, 'acceptedCount']],
  ['another count of head offices', 16, 7, '2', [16, 'branchCount']],
  ['another count of lines', 16, 13, '7', [16, 'recordCount']],
  ['another net sum of the file', 16, 148, '9', [16, 'net']],
  ['an unknown record', 14, 1, '099', [14, null]],
];

for (const [name, at, from, text, fault] of MISTAKES) {
  test(`${name} is found with its line and field`, async () => {
    const lines = eevcFileLines();
    assert.deepEqual(await firstFault(lines.with(at - 1, withText(lines[at - 1] ?? '', from, text))), fault);
  });
}

/** A sale of January 2020 in a public test, with another number of merchant; what frames it is ours. */
test('a sale as Rede wrote it, each value checked by hand', async () => {
  const sale =
    '0080123456780641311023101202000000000000000000002098000000000000000544891XXXXXX0003000000246671956             000000000000033066848171224                                                                2000000000002065WW876746BR 1';
  const totals = { gross: 2_098, rejectedCount: 0, rejected: 0, fee: 33, accepted: 1 };
  const { entries, faults } = await readLines([
    eevcHeader(),
    branchHeader('004'),
    eevcBatch({ number: 64_131_102, count: 1, gross: 2_098, fee: 33 }),
    sale,
    eevcBranchTotal(totals),
    eevcTrailer(1, 6, totals),
  ]);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    entries.map(({ kind, batch, soldOn, gross, fee, net, cardLastFour, nsu, authorizationCode, brand }) => [
      ...[kind, batch, soldOn, gross, fee, net, cardLastFour, nsu, authorizationCode, brand],
    ]),
    [['sale', '64131102', '2020-01-31', 2_098, 33, 2_065, '0003', '246671956', '066848', 'mastercard']],
  );
});
