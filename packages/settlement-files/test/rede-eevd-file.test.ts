import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EEVD_TOTAL, eevdBatch, eevdFileLines, eevdHeader, eevdSale, eevdTrailer } from './eevd-lines.ts';
import { firstFault, readLines, withText } from './written-lines.ts';

test('a Rede EEVD is read to its end: what was sold by debit is told', async () => {
  const { head, entries, end, faults, masked } = await readLines(eevdFileLines());
  assert.deepEqual(faults, []);
  assert.deepEqual(
    [head?.format, head?.establishment, head?.madeOn, head?.from, head?.to, head?.sequence],
    ['redeEevd', '12345678', '2026-11-20', '2026-11-19', '2026-11-19', 427],
  );
  assert.deepEqual(end?.leftOut, {
    'what e-commerce adds to a sale': 1,
    'debit that is taken off a batch': 1,
  });
  assert.deepEqual(
    entries.map(({ kind, batch, nsu, gross, fee, net, bankOn, description }) => [
      ...[kind, batch, nsu, gross, fee, net, bankOn, description],
    ]),
    [
      ['notice', '700', '51', 10_000, 150, 9_850, '2026-11-20', 'venda no débito'],
      ['notice', '700', '52', 6_000, 90, 5_910, '2026-11-20', 'venda no débito'],
      ['notice', '701', '53', 20_000, 300, 19_700, '2026-11-20', 'venda no débito'],
    ],
  );
  const { authorizationCode, brand, cardLastFour, soldOn } = entries[0] ?? {};
  assert.deepEqual(
    [authorizationCode, brand, cardLastFour, soldOn],
    ['T12345', 'mastercard', '0007', '2026-11-19'],
  );
  assert.match(masked[0] ?? '', /^05,012345678,000000700,.*,544828\*{9}0007,V,/);
});

/** Typed from a file of June 2019 that is public, without its trade name and its account; V1.04. */
test('a batch, a sale and a trailer as Rede wrote them, each value checked by hand', async () => {
  const { entries, faults, head } = await readLines([
    '00,039188892,04062019,03062019,Movimentacao diaria - Cartoes de Debito,Redecard,LOJA                      ,000081,DIARIO         ,V1.04 - 07/10 - EEVD',
    '01,039188892,04062019,03062019,154140306,000001,000000000010510,000000000000110,000000000010400,D,341,000001,00000000001,1',
    '05,039188892,154140306,03062019,000000000010510,000000000000110,000000000010400,603689*********7267,V,000249073694,04062019,01,102751,WW296838,2 ,00000,000000000010510,000000000000000,1',
    '04,039188892,000001,000001,000000000010510,000000000000110,000000000010400,000000000000000,000000000000000,000000000000000,000004',
  ]);
  assert.deepEqual(faults, []);
  assert.deepEqual([head?.from, head?.version], ['2019-06-03', 'V1.04 - 07/10 - EEVD']);
  const { lineNumber, gross, fee, net, nsu, soldOn, bankOn, cardLastFour, brand, authorizationCode } =
    entries[0] ?? {};
  assert.deepEqual(
    [lineNumber, gross, fee, net, nsu, soldOn, bankOn, cardLastFour, brand, authorizationCode],
    [3, 10_510, 110, 10_400, '249073694', '2019-06-03', '2019-06-04', '7267', 'mastercard', null],
  );
});

test('columns may be shorter than the layout has them, and a text may have commas where all others are full', async () => {
  const lines = eevdFileLines();
  const expected = (await readLines(lines)).entries;
  const short = lines.map((line) =>
    line
      .split(',')
      .map((column) => (/^\d{15}$/.test(column) ? String(Number(column)) : column.trim()))
      .join(','),
  );
  const read = await readLines(short);
  assert.deepEqual(read.faults, []);
  assert.deepEqual(read.entries, expected);
  const named = lines.with(0, eevdHeader().replace('LOJA      ', 'LOJA, A, B'));
  assert.deepEqual((await readLines(named)).faults, []);
  const { faults } = await readLines(lines.with(2, (lines[2] ?? '').replace('20112026', '20132026')));
  assert.match(faults[0]?.sentence.pt ?? '', /creditDay \(coluna 11\).*"20132026"/);
  assert.deepEqual(await firstFault(lines.with(2, (lines[2] ?? '').replace(',V,', ',VXY,'))), [
    3,
    'transactionType',
  ]);
  assert.deepEqual(await firstFault(lines.with(2, '05,012345678,000000700')), [3, null]);
  const ended = await readLines(short.map((line) => `${line},`));
  assert.deepEqual([ended.faults, ended.entries], [[], expected]);
  // As a spreadsheet fills them.
  const wide = short.map((line) => line + ','.repeat(Math.max(22 - line.split(',').length, 0)));
  const filled = await readLines(wide);
  assert.deepEqual([filled.faults, filled.entries], [[], expected]);
  // The last column of the other is blank, so that only the end of the first line tells that one is too many.
  const blank = (short[1] ?? '').replace(/[^,]*$/, '');
  const moved = blank.replace(/,341,/, ',3,1,');
  for (const [first, line, isGood] of [
    [short[0] ?? '', blank, true],
    [short[0] ?? '', moved, false],
    [`${short[0]},`, `${blank},`, true],
    [`${short[0]},`, `${moved},`, false],
    [wide[0] ?? '', `${moved},`, false],
  ] as const) {
    const { faults: told } = await readLines(short.with(0, first).with(1, line));
    assert.equal(
      told.every(({ sentence }) => !/more columns/.test(sentence.en)),
      isGood,
      line,
    );
  }
  // A comma in a text would move the columns behind it, or cut the text.
  for (const at of [0, 2]) {
    const more = `${short[at]},1`;
    const { faults: told } = await readLines(short.with(at, more));
    assert.match(told[0]?.sentence.en ?? '', /more columns/);
  }
});

test('lines may stand in any order between header and trailer', async () => {
  const lines = eevdFileLines();
  const byNumber = (entries: Awaited<ReturnType<typeof readLines>>['entries']) =>
    entries.map(({ nsu, bankOn, gross }) => [nsu, bankOn, gross]).toSorted();
  const expected = byNumber((await readLines(lines)).entries);
  const { entries, faults } = await readLines([
    ...lines.slice(0, 1),
    ...lines.slice(1, -1).toReversed(),
    ...lines.slice(-1),
  ]);
  assert.deepEqual(faults, []);
  assert.deepEqual(byNumber(entries), expected);
});

test('a zero before a type is none of the layout, in the header too, and another header is refused by name', async () => {
  const lines = eevdFileLines();
  assert.deepEqual((await readLines(lines.map((line) => line.replace(/^(?=\d\d,)/, '0')))).faults, []);
  const { faults } = await readLines(lines.with(0, `${eevdHeader().trimEnd()} 2`));
  assert.match(faults[0]?.sentence.pt ?? '', /Rede EEVD, em outro leiaute/);
});

test('a status that is not known is told with its code, whether its batch counts it or not', async () => {
  const lines = eevdFileLines();
  const spoiled = lines.with(2, eevdSale({ batch: 700, nsu: 51, gross: 10_000, fee: 150, status: '02' }));
  const counted = await readLines(spoiled);
  assert.deepEqual(counted.faults, []);
  assert.deepEqual(
    [counted.entries[0]?.kind, counted.entries[0]?.description],
    ['notice', '02 venda no débito'],
  );
  const total = { ...EEVD_TOTAL, sales: 2, gross: 26_000, fee: 390 };
  const apart = await readLines([
    ...spoiled.slice(0, 1),
    eevdBatch({ number: 700, count: 1, gross: 6_000, fee: 90 }),
    ...spoiled.slice(2, 8),
    eevdTrailer(9, total),
  ]);
  assert.deepEqual(apart.faults, []);
});

test('totals may leave out what is dated ahead; one made anew has no number', async () => {
  const lines = eevdFileLines();
  const apart = { ...EEVD_TOTAL, gross: 16_000, fee: 240 };
  assert.equal(await firstFault(lines.with(-1, eevdTrailer(12, apart))), null);
  const { head } = await readLines(lines.with(0, eevdHeader('V1.04 - 07/10 - EEVD', 'REPROCESSAMENTO')));
  assert.deepEqual([head?.sequence, head?.isRepetition], [null, true]);
});

const MISTAKES: readonly (readonly [string, number, number, string, readonly [number, string | null]])[] = [
  ['a sale of a batch that is not there', 3, 21, '9', [2, 'saleCount']],
  ['another count of a batch', 2, 42, '000003', [2, 'saleCount']],
  ['another sum of a batch', 2, 63, '1', [2, 'gross']],
  ['another fee of a batch', 2, 79, '1', [2, 'fee']],
  ['another net sum of a batch', 2, 95, '1', [2, 'net']],
  ['another sum of an establishment', 9, 38, '1', [10, 'gross']],
  ['another sum of a head office', 11, 38, '1', [11, 'gross']],
  ['another sum of the file', 12, 41, '1', [12, 'gross']],
  ['another count of batches', 12, 14, '000003', [12, 'batchCount']],
  ['another count of lines', 12, 124, '000013', [12, 'recordCount']],
  ['an unknown record', 8, 1, '077', [8, null]],
];

for (const [name, at, from, text, fault] of MISTAKES) {
  test(`${name} is found with its line and field`, async () => {
    const lines = eevdFileLines();
    assert.deepEqual(await firstFault(lines.with(at - 1, withText(lines[at - 1] ?? '', from, text))), fault);
  });
}
