import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adiqFileLines, adiqHeader, adiqTrailer, numbered } from './adiq-lines.ts';
import { firstFault, readLines, withText } from './written-lines.ts';

test('an Adiq EDI 3.1 of two lots is read to its end', async () => {
  const { head, entries, end, faults } = await readLines(adiqFileLines());
  assert.deepEqual(faults, []);
  assert.deepEqual(head, {
    format: 'adiq',
    version: '3.1',
    establishment: '1111111',
    madeOn: '2026-11-20',
    from: '2026-11-19',
    to: '2026-11-19',
    sequence: 1234,
    isRepetition: false,
  });
  assert.deepEqual(
    [end?.from, end?.to, end?.lineCount, end?.entryCount],
    ['2026-11-19', '2026-11-20', 14, 8],
  );
  const seen = entries.map((entry) => [
    entry.kind,
    entry.nsu,
    entry.installmentNumber,
    entry.installmentCount,
    entry.gross,
    entry.fee,
    entry.net,
    entry.anticipationFee,
    entry.bankOn,
  ]);
  assert.deepEqual(seen, [
    ['payout', '41', 1, 1, 10_000, 250, 9_750, null, '2026-11-20'],
    ['sale', '42', 2, 3, 5_000, 125, 4_875, null, '2026-11-20'],
    ['anticipation', '43', 3, 12, 3_333, 83, 3_150, 100, '2026-11-20'],
    ['adjustment', null, null, null, 700, 0, 700, null, '2026-11-20'],
    ['adjustment', null, null, null, -300, 0, -300, null, '2026-11-20'],
    ['chargeback', '42', null, null, -5_000, 0, -5_000, null, '2026-11-20'],
    ['cancel', '41', 2, 2, -1_000, -25, -975, null, '2026-11-20'],
    ['cancel', '41', null, 2, -2_000, -25, -975, null, '2026-11-20'],
  ]);
  assert.deepEqual(
    [entries[0]?.orderReference, entries[0]?.authorizationCode, entries[0]?.cardLastFour, entries[0]?.soldOn],
    ['0123456789abcdef0123456789abcd', 'A1B2C3', '0007', '2026-11-19'],
  );
  assert.equal(entries[0]?.establishment, '1111111');
  assert.equal(entries[3]?.description, '042 BONUS');
});

test('a file without movement, and one that was made anew, are taken', async () => {
  const { head, end } = await readLines(numbered([adiqHeader('R'), adiqTrailer(2)]));
  assert.equal(head?.isRepetition, true);
  assert.equal(end?.entryCount, 0);
  assert.deepEqual([end?.from, end?.to], ['2026-11-19', '2026-11-19']);
});

test('counts that leave out or take in header and trailer are taken, any other is not', async () => {
  const lines = adiqFileLines();
  assert.equal(await firstFault(lines.with(5, withText(lines[5] ?? '', 3, '000005'))), null);
  assert.equal(await firstFault(lines.with(13, withText(lines[13] ?? '', 3, '000012'))), null);
  assert.deepEqual(await firstFault(lines.with(5, withText(lines[5] ?? '', 3, '000004'))), [
    6,
    'recordCount',
  ]);
  assert.deepEqual(await firstFault(lines.with(13, withText(lines[13] ?? '', 3, '000013'))), [
    14,
    'recordCount',
  ]);
});

/** What is changed: the line, from 1, the position, the text, and the line and field that the fault names. */
const MISTAKES: readonly (readonly [string, number, number, string, readonly [number, string | null]])[] = [
  ['another version', 1, 3, '0003.2', [1, 'version']],
  ['a day that no calendar has', 1, 9, '20260230', [1, 'madeAt']],
  ['an hour that no day has', 1, 17, '24', [1, 'madeAt']],
  ['letters in the movement', 1, 23, '00X234', [1, 'movement']],
  ['another currency', 2, 11, 'DO', [2, 'currency']],
  ['an amount with a comma', 3, 123, '00000100,00', [3, 'gross']],
  ['an NSU of zeros', 3, 18, '000000000000', [3, 'nsu']],
  ['an installment beyond their number', 4, 107, '04', [4, 'installmentNumber']],
  ['installment 00 of three', 4, 107, '00', [4, 'installmentNumber']],
  ['a number of a line out of order', 4, 501, '000005', [4, 'lineNumber']],
  ['an unknown record', 4, 1, 'XX', [4, null]],
  ['another sum of a lot', 6, 22, '9', [6, 'creditTotal']],
  ['an amount that the sum does not have', 3, 155, '1', [6, 'creditTotal']],
  ['text behind a record', 6, 29, 'X', [6, null]],
];

for (const [name, at, from, text, fault] of MISTAKES) {
  test(`${name} is found with its line and field`, async () => {
    const lines = adiqFileLines();
    const spoiled = withText((lines[at - 1] ?? '').padEnd(from - 1), from, text);
    assert.deepEqual(await firstFault(lines.with(at - 1, spoiled)), fault);
  });
}

test('records out of their place are found', async () => {
  const lines = adiqFileLines();
  const [header = '', lot = '', sale = ''] = lines;
  assert.deepEqual(await firstFault(numbered([header, sale, ...lines.slice(13)])), [2, null]);
  assert.deepEqual(await firstFault(numbered([header, lot, lot, ...lines.slice(2)])), [3, null]);
  assert.deepEqual(await firstFault(numbered([header, header, ...lines.slice(1)])), [2, null]);
  assert.deepEqual(await firstFault(numbered([...lines.slice(0, 12), ...lines.slice(13)])), [13, null]);
});
