import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redeStatementLines, STATEMENT_DAY } from './statement-lines.ts';
import { firstFault, readLines, withText } from './written-lines.ts';

test("what Rede's statement API says of a day is read to its end, each deposit against its parts", async () => {
  const { head, entries, end, faults } = await readLines(redeStatementLines());
  assert.deepEqual(faults, []);
  const { format, establishment, from, to, sequence } = head ?? {};
  assert.deepEqual(
    [format, establishment, from, to, sequence],
    ['redeStatement', '12345678', STATEMENT_DAY, STATEMENT_DAY, null],
  );
  assert.deepEqual(
    entries.map(({ kind, nsu, brand, installmentNumber, gross, fee, net, anticipationFee, document }) => [
      ...[kind, nsu, brand, installmentNumber],
      ...[gross, fee, net, anticipationFee, document],
    ]),
    [
      ['payout', '41', 'visa', 1, 10_000, 250, 9_750, null, 'P20261120001'],
      ['payout', '42', 'visa', 2, 5_000, 125, 4_875, null, 'P20261120001'],
      ['adjustment', null, null, null, -2_750, null, -2_750, null, 'P20261120001'],
      ['anticipation', '43', 'mastercard', 3, 10_000, 250, 9_500, 250, 'P20261120002'],
      ['pledge', '44', null, 1, 1_000, 25, 975, null, 'P20261120003'],
      ['unknown', '45', 'elo', 1, 1_000, 25, 975, null, 'P20261120004'],
    ],
  );
  assert.deepEqual(
    [entries[0]?.tid, entries[0]?.orderReference, entries[0]?.bankOn, entries[0]?.batch],
    ['T41', '0199C1F26A2B7C11', STATEMENT_DAY, '700'],
  );
  assert.equal(entries[2]?.description, '23 Aluguel de equipamento');
  assert.equal(entries[5]?.description, 'RETIDO');
  assert.equal(end?.entryCount, 6);
});

test('a deposit whose parts are not its amount, or are fewer than it says, is refused by name', async () => {
  const lines = redeStatementLines();
  const cases: [number, (line: string) => string | null, string, number][] = [
    [1, (line) => withText(line, 80, '+00000000012000'), 'net', 2],
    [2, (line) => withText(line, 60, '000000000009751'), 'net', 2],
    [3, () => null, 'installmentCount', 2],
    [4, () => null, 'debitCount', 2],
    [lines.length - 1, (line) => withText(line, 22, '+00000000000001'), 'net', lines.length],
    [lines.length - 1, (line) => withText(line, 4, '000000009'), 'depositCount', lines.length],
    [2, (line) => withText(line, 24, '003'), 'installmentNumber', 3],
  ];
  for (const [index, change, field, lineNumber] of cases) {
    const spoiled = lines.flatMap((line, at) => (at === index ? (change(line) ?? []) : line));
    assert.deepEqual(await firstFault(spoiled), [lineNumber, field], `${index} ${field}`);
  }
  assert.deepEqual(await firstFault(lines.slice(0, -1)), [lines.length - 1, null], 'cut');
});
