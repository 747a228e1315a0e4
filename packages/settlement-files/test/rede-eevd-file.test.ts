import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  EEVD_TOTAL,
  eevdBatch,
  eevdEcommerce,
  eevdFileLines,
  eevdHeader,
  eevdSale,
  eevdTrailer,
} from './eevd-lines.ts';
import { firstFault, readLines, withText } from './written-lines.ts';

test('a Rede EEVD is read to its end: what was sold by debit, each sale with what e-commerce adds to it', async () => {
  const { head, entries, end, faults, masked } = await readLines(eevdFileLines());
  assert.deepEqual(faults, []);
  assert.deepEqual(
    [head?.format, head?.establishment, head?.madeOn, head?.from, head?.to, head?.sequence],
    ['redeEevd', '12345678', '2026-11-20', '2026-11-19', '2026-11-19', 427],
  );
  assert.deepEqual(end?.leftOut, { 'debit that is taken off a batch': 1 });
  assert.deepEqual(
    entries.map(({ kind, batch, nsu, gross, fee, net, bankOn, tid }) => [
      ...[kind, batch, nsu, gross, fee, net, bankOn, tid],
    ]),
    [
      ['sale', '700', '51', 10_000, 150, 9_850, '2026-11-20', '00000000000000000051'],
      ['sale', '700', '52', 6_000, 90, 5_910, '2026-11-20', null],
      ['sale', '701', '53', 20_000, 300, 19_700, '2026-11-20', null],
    ],
  );
  const { orderReference, authorizationCode, brand, cardLastFour, soldOn } = entries[0] ?? {};
  assert.deepEqual(
    [orderReference, authorizationCode, brand, cardLastFour, soldOn],
    ['0123456789abcdef0123456789abcd', 'T12345', 'mastercard', '0007', '2026-11-19'],
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
});

test('lines may stand in any order between header and trailer, and a sale of e-commerce alone', async () => {
  const lines = eevdFileLines();
  const byNumber = (entries: Awaited<ReturnType<typeof readLines>>['entries']) =>
    entries.map(({ nsu, tid, bankOn, gross }) => [nsu, tid, bankOn, gross]).toSorted();
  const expected = byNumber((await readLines(lines)).entries);
  const { entries, faults } = await readLines([
    ...lines.slice(0, 1),
    ...lines.slice(1, -1).toReversed(),
    ...lines.slice(-1),
  ]);
  assert.deepEqual(faults, []);
  assert.deepEqual(byNumber(entries), expected);

  const alone = lines.toSpliced(2, 1).with(-1, eevdTrailer(11, EEVD_TOTAL));
  const read = await readLines(alone);
  assert.deepEqual(read.faults, []);
  assert.deepEqual(
    read.entries.map(({ nsu, gross, fee, net }) => [nsu, gross, fee, net]),
    [
      ['52', 6_000, 90, 5_910],
      ['51', 10_000, null, null],
      ['53', 20_000, 300, 19_700],
    ],
  );
});

test('a status that is not known is no sale, whether its batch counts it or not', async () => {
  const lines = eevdFileLines();
  const spoiled = lines.with(2, eevdSale({ batch: 700, nsu: 51, gross: 10_000, fee: 150, status: '02' }));
  const counted = await readLines(spoiled);
  assert.deepEqual(counted.faults, []);
  assert.deepEqual([counted.entries[0]?.kind, counted.entries[0]?.description], ['unknown', '02']);
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

test('more sales than are held are read, each with what e-commerce adds to it behind it', async () => {
  const count = 25_000;
  const sale = (nsu: number) => ({ batch: 700, nsu, gross: 1_000, fee: 10 });
  const total = { batches: 1, sales: count, gross: count * 1_000, fee: count * 10 };
  const lines = [
    eevdHeader(),
    eevdBatch({ number: 700, count, gross: total.gross, fee: total.fee }),
    ...Array.from({ length: count }, (_, index) => index + 1).flatMap((nsu) => [
      eevdSale(sale(nsu)),
      eevdEcommerce(sale(nsu), ''),
    ]),
    eevdTrailer(count * 2 + 3, total),
  ];
  const { entries, faults } = await readLines(lines);
  assert.deepEqual(faults, []);
  assert.equal(entries.length, count);
  assert.ok(entries.every(({ nsu, tid }) => Number(nsu) === Number(tid)));
});

const MISTAKES: readonly (readonly [string, number, number, string, readonly [number, string | null]])[] = [
  ['a sale of a batch that is not there', 3, 21, '9', [3, 'batch']],
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
