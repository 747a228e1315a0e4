import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cielo09FileLines,
  cielo15FileLines,
  cielo16FileLines,
  cieloHeader,
  cieloTrailer,
} from './cielo-lines.ts';
import { firstFault, readLines, withText } from './written-lines.ts';

test('a Cielo 16 says what came by Pix, what was kept of it and where it is, and nothing of it pays', async () => {
  const { head, entries, faults } = await readLines(cielo16FileLines());
  assert.deepEqual(faults, []);
  assert.deepEqual([head?.format, head?.sequence], ['cielo16', 321]);
  assert.deepEqual(
    entries.map(({ kind, gross, fee, net, bankOn, description }) => [
      ...[kind, gross, fee, net, bankOn, description],
    ]),
    [
      ['notice', 20_000, 10, 19_990, '2026-11-20', 'Pix, pago no domicílio'],
      ['notice', 5_000, 10, 4_990, '2026-11-20', 'Pix, bloqueado'],
      ['notice', -4_990, 0, -4_990, '2026-11-20', 'ajuste a débito, bloqueio de valor, bloqueado'],
      ['notice', -1_000, 0, -1_000, '2026-11-20', 'ajuste a débito, devolução, pago na conta Cielo'],
    ],
  );
  const { tid, orderReference, nsu, soldOn, installmentNumber } = entries[0] ?? {};
  assert.deepEqual(
    [tid, orderReference, nsu, soldOn, installmentNumber],
    ['E00000000202611191318abcdefghijk', 'CIELO202611190000000000000000656547', '656547', '2026-11-19', null],
  );
});

test('zeros are no origin of an adjustment, and one that is not known stands in its entry', async () => {
  const lines = cielo16FileLines();
  const { entries, faults } = await readLines(
    lines.with(1, withText(lines[1] ?? '', 220, '00')).with(2, withText(lines[2] ?? '', 220, '99')),
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(
    entries.slice(0, 2).map(({ kind, description }) => [kind, description]),
    [
      ['notice', 'Pix, pago no domicílio'],
      ['notice', '99 Pix'],
    ],
  );
});

/** The two lines are of the files that Cielo publishes with its manual v15.15 to try a reader. */
test('two Pix as Cielo wrote them, each value checked by hand', async () => {
  const pix = [
    '8123456789001260302101803E9040088820260302131856721392001    656547260302+0000000020000-0000000000010+0000000019990000000000000000000000000000002603020000000100101438790260302101803                                        S0526030200656547S CIELO202603020000000000000000656547                                        E01027058202603022053glyBLqLT5uP                                                     ',
    '8123456789001260302111737E00360305202603021417db5ae9fc45d    809144260302+0000000113289-0000000000010+0000000113279000000000000000000000000000002603020000000100101438790260302111737                                        S0526030200809144S CIELO202603020000000000000000809144                                        E01027058202603022053glyBLqLT5uP                                                     ',
  ];
  const { entries, faults } = await readLines([
    cieloHeader({ statement: '16' }),
    ...pix,
    cieloTrailer(2, 0, 133_289, 133_269),
  ]);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    entries.map(
      ({ establishment, tid, nsu, soldOn, bankOn, gross, fee, net, orderReference, description }) => [
        ...[establishment, tid, nsu, soldOn, bankOn, gross, fee, net, orderReference, description],
      ],
    ),
    [
      ...[
        ['E9040088820260302131856721392001', '656547', 20_000, 19_990],
        ['E00360305202603021417db5ae9fc45d', '809144', 113_289, 113_279],
      ].map(([tid, nsu, gross, net]) => [
        ...['1234567890', tid, nsu, '2026-03-02', '2026-03-02', gross, 10, net],
        ...[`CIELO202603020000000000000000${nsu}`, 'Pix, pago no domicílio'],
      ]),
    ],
  );
});

test('a Cielo 15 says which units were negotiated and for how much, and nothing of it pays', async () => {
  const { head, entries, faults, masked } = await readLines(cielo15FileLines());
  assert.deepEqual(faults, []);
  assert.equal(head?.format, 'cielo15');
  const words = 'UR negociada, que venceria em 20/12/2026';
  assert.deepEqual(
    entries.map(({ kind, gross, net, anticipationFee, bankOn, document, brand, description }) => [
      ...[kind, gross, net, anticipationFee, bankOn, document, brand, description],
    ]),
    [
      [10_000, 9_900, 100],
      [20_000, 19_800, 200],
      [5_000, 4_950, 50],
    ].map((money) => ['notice', ...money, '2026-11-19', '2026111801077952119', 'visa', words]),
  );
  assert.ok(!masked.join('').includes('11222333000181'));
});

/** Of the files that Cielo publishes with its manual v15.15 to try a reader, blanks behind each line cut. */
test('a negotiation as Cielo wrote it, each value checked by hand', async () => {
  const { entries, faults, head } = await readLines([
    '012345678902026021920260219202602190001100CIELO15I                    01503S',
    'A2602182602180000000000000000803250+0000000023845+00000000237930202602180107795211900300871',
    'B26021826022000000000000000007004+0000000023845+000000002379300216                                             Cielo1234567890-0000000000052',
    'C00000000000000000000000000000+0000000023793',
    '900000000003+0000000000000000000000000000+00000000000000000+00000000000000000+00000000000023793',
  ]);
  assert.deepEqual(faults, []);
  assert.deepEqual([head?.from, head?.sequence], ['2026-02-19', 1100]);
  const [{ establishment, gross, net, anticipationFee, bankOn, document, brand, description } = {}] = entries;
  assert.deepEqual(
    [entries.length, establishment, gross, net, anticipationFee, bankOn, document, brand, description],
    [
      ...[1, '1234567890', 23_845, 23_793, 52, '2026-02-18', '2026021801077952119', 'elo'],
      'UR negociada, que venceria em 20/02/2026',
    ],
  );
});

test('the sum of what was negotiated in a Cielo 15 only lets the count have header and trailer in it', async () => {
  const lines = cielo15FileLines();
  const ended = (count: number, negotiated: string) =>
    lines.with(
      -1,
      withText(withText(lines.at(-1) ?? '', 2, String(count).padStart(11, '0')), 96, negotiated),
    );
  const sum = '+00000000000034650';
  assert.equal(await firstFault(ended(7, sum)), null);
  assert.equal(await firstFault(ended(9, sum)), null);
  assert.equal(await firstFault(ended(7, '+00000000000034651')), null);
  assert.deepEqual(await firstFault(ended(9, '+00000000000034651')), [9, 'recordCount']);
  assert.deepEqual(await firstFault(ended(9, '+00000000000000000')), [9, 'recordCount']);
  // A negotiation that is cut out.
  assert.deepEqual(await firstFault(ended(6, sum).toSpliced(5, 3)), [6, 'recordCount']);
});

test('a Cielo 09 says which units are open, and nothing of it pays', async () => {
  const lines = cielo09FileLines();
  const { head, entries, faults } = await readLines(lines);
  assert.deepEqual(faults, []);
  assert.equal(head?.format, 'cielo09');
  assert.deepEqual(
    entries.map(({ kind, gross, fee, net, bankOn, receivableUnit }) => [
      ...[kind, gross, fee, net, bankOn, receivableUnit],
    ]),
    [
      ['notice', 10_000, 250, 9_750, '2026-11-20', 'UR-001-002-20261120-1234567890'],
      ['notice', 5_000, 100, 4_900, '2026-11-20', 'UR-LATER'],
    ],
  );
  const coded = await readLines(lines.with(1, withText(lines[1] ?? '', 70, 'QQ')));
  assert.deepEqual(
    coded.entries.map(({ kind, description }) => [kind, description]),
    [
      ['notice', 'QQ UR em aberto'],
      ['notice', 'UR em aberto'],
    ],
  );
  const trailer = (...sums: [number, number, number, number]) => lines.with(-1, cieloTrailer(...sums));
  assert.deepEqual(await firstFault(trailer(2, 0, 15_001, 14_650)), [4, 'gross']);
  assert.deepEqual(await firstFault(trailer(2, 0, 15_000, 14_651)), [4, 'net']);
  assert.deepEqual(await firstFault(trailer(3, 0, 15_000, 14_650)), [4, 'recordCount']);
});

/** Of a file of January 2026 in a public test, with other numbers of merchant, holder and account. */
test('an open unit as Cielo wrote it, each value checked by hand', async () => {
  const unit =
    'D1234567890112223330001811122233300018111222333000181001002123456789003+0000000031690+0000000000787+000000003090303410000100000000000000000001000000402           01027058000191112223330001812026-01-0200172002123456789011222333000181000000000000000000000000000000000000201202631122025020120261234567890NNN00000000000000R';
  const { entries, faults } = await readLines([
    cieloHeader({ statement: '09' }),
    unit,
    cieloTrailer(1, 0, 31_690, 30_903),
  ]);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    entries.map(({ kind, gross, fee, net, bankOn, brand, receivableUnit }) => [
      ...[kind, gross, fee, net, bankOn, brand, receivableUnit],
    ]),
    [
      [
        ...['notice', 31_690, 787, 30_903, '2026-01-02', 'visa'],
        '01027058000191112223330001812026-01-02001720021234567890112223330001810000000000000000000',
      ],
    ],
  );
});

const PIX_MISTAKES: readonly (readonly [string, number, number, string, readonly [number, string | null]])[] =
  [
    ['another net sum', 6, 30, '1', [6, 'net']],
    ['another gross sum', 6, 59, '1', [6, 'gross']],
    ['another count of lines', 6, 12, '5', [6, 'recordCount']],
    ['an amount without sign', 2, 74, '0', [2, 'gross']],
    ['a day that is none', 2, 14, '261319', [2, 'soldOn']],
    ['a record of another statement', 3, 1, 'E', [3, null]],
  ];

const UNIT_MISTAKES: typeof PIX_MISTAKES = [
  ['another gross sum of a negotiation', 2, 49, '1', [2, 'gross']],
  ['another net sum of a negotiation', 6, 63, '1', [6, 'net']],
  ['another amount of a unit', 3, 47, '1', [2, 'gross']],
  ['another count of lines', 9, 12, '8', [9, 'recordCount']],
];

for (const [lines, mistakes] of [
  [cielo16FileLines(), PIX_MISTAKES],
  [cielo15FileLines(), UNIT_MISTAKES],
] as const) {
  for (const [name, at, from, text, fault] of mistakes) {
    test(`${name} is found with its line and field, in ${lines[0]?.slice(42, 49)}`, async () => {
      assert.deepEqual(
        await firstFault(lines.with(at - 1, withText(lines[at - 1] ?? '', from, text))),
        fault,
      );
    });
  }
}

test('a unit without its negotiation, or behind the account of it, is found', async () => {
  const lines = cielo15FileLines();
  assert.deepEqual(await firstFault(lines.toSpliced(1, 1)), [2, null]);
  const [unit = '', account = ''] = [lines[6], lines[7]];
  assert.deepEqual(await firstFault(lines.with(6, account).with(7, unit)), [8, null]);
  // Without its account, with a second one, and cut out but for its account.
  assert.deepEqual(await firstFault(lines.toSpliced(7, 1)), [6, null]);
  assert.deepEqual(await firstFault(lines.with(6, account)), [8, null]);
  assert.deepEqual(await firstFault(lines.toSpliced(5, 2)), [6, null]);
  const counted = (count: string) => lines.with(-1, withText(lines.at(-1) ?? '', 2, count.padStart(11, '0')));
  assert.deepEqual(await firstFault(counted(String(lines.length))), [lines.length, 'recordCount']);
});
