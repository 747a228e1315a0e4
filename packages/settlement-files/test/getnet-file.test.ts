import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getnetBatch, getnetFileLines, getnetHeader, getnetSale, getnetTrailer } from './getnet-lines.ts';
import { digits, firstFault, readLines, withText } from './written-lines.ts';

test('a Getnet V10 is read to its end', async () => {
  const { head, entries, faults } = await readLines(getnetFileLines());
  assert.deepEqual(faults, []);
  assert.deepEqual(
    [head?.format, head?.establishment, head?.madeOn, head?.from, head?.sequence],
    ['getnet', '1447355', '2026-11-20', '2026-11-19', 2146],
  );
  assert.deepEqual(
    entries.map(({ kind, gross, fee, net, anticipationFee, bankOn }) => [
      kind,
      gross,
      fee,
      net,
      anticipationFee,
      bankOn,
    ]),
    [
      ['sale', 10_000, 250, 9_750, null, '2026-11-20'],
      ['payout', 10_000, 250, 9_750, null, '2026-11-20'],
      ['anticipation', 10_000, 250, 9_650, 100, '2026-11-20'],
      ['pledge', 10_000, 250, 9_750, null, '2026-11-20'],
      ['cancel', -1_000, null, -1_000, null, '2026-11-20'],
      ['pledge', -2_000, null, -2_000, null, '2026-11-20'],
    ],
  );
  for (const { tid, orderReference, nsu, soldOn } of entries.slice(0, -1)) {
    assert.deepEqual(
      [tid, orderReference, nsu, soldOn],
      ['tid-0001', '0123456789abcdef0123456789abcdef', '4242', '2026-11-17'],
    );
  }
});

test('each line of a Getnet that is missing, doubled or swapped with the next is found', async () => {
  const lines = getnetFileLines();
  assert.equal(await firstFault([getnetHeader(), getnetTrailer(2)]), null);
  for (const index of lines.keys()) {
    assert.ok(await firstFault(lines.toSpliced(index, 1)), `without ${index}`);
    assert.ok(await firstFault(lines.toSpliced(index, 0, lines[index] ?? '')), `twice ${index}`);
    const [one = '', next] = lines.slice(index);
    if (next !== undefined)
      assert.ok(await firstFault(lines.toSpliced(index, 2, next, one)), `swap ${index}`);
  }
});

test('a credit of Getnet that its batch does not explain, and a status that is not known, pay nothing', async () => {
  const lines = getnetFileLines();
  const others = [
    withText(lines[3] ?? '', 145, '000000009749'),
    withText(lines[3] ?? '', 169, 'ZZ'),
    withText(lines[3] ?? '', 282, '840'),
  ];
  for (const other of others) {
    const { entries, faults } = await readLines(lines.toSpliced(3, 1, other));
    assert.deepEqual([faults.length, entries[1]?.kind], [0, 'unknown']);
  }
});

test('a sale of Getnet under a status that is not known pays nothing, and a canceled one is left out', async () => {
  const lines = getnetFileLines();
  const amounts = withText(withText(lines[3] ?? '', 97, '000000000000'), 121, '000000000000');
  const batch = withText(withText(amounts, 67, '000000000000000001'), 145, '000000000000');
  for (const [status, kind] of [
    ['Z', 'unknown'],
    ['X', undefined],
  ] as const) {
    const sale = withText(lines[4] ?? '', 144, status);
    const { entries, faults } = await readLines(lines.toSpliced(3, 2, batch, sale));
    assert.deepEqual([faults, entries.find(({ lineNumber }) => lineNumber === 5)?.kind], [[], kind]);
  }
  assert.deepEqual(await firstFault(lines.with(4, withText(lines[4] ?? '', 172, ' '))), [5, 'sign']);
});

test('an installment of Getnet has an amount of its own since V10.1 alone', async () => {
  const batch = getnetBatch({ batch: 1, status: 'PG', net: 9_750 });
  const sale = (amount: number, own: number) =>
    getnetSale(1, { 71: digits(amount, 12), 111: digits(own, 12) });
  const read = (version: string, line: string) =>
    readLines([getnetHeader({ 92: `${version} 400 BYTES`.padEnd(25) }), batch, line, getnetTrailer(4)]);
  for (const [version, amount, own] of [
    ['SANT. V.10.1', 20_000, 10_000],
    ['SANT. V.10.1', 10_000, 0],
    ['SANT V10.1', 20_000, 10_000],
    ['V10.1', 20_000, 10_000],
    ['V.10.01', 20_000, 10_000],
    ['V 10.10', 20_000, 10_000],
    ['SANT V10', 10_000, 5_000],
    ['SANT. V.10', 10_000, 5_000],
    ['SANT. V.10.0', 10_000, 5_000],
  ] as const) {
    const { entries, faults } = await read(version, sale(amount, own));
    assert.deepEqual([faults, entries[0]?.gross, entries[0]?.net], [[], 10_000, 9_750], version);
  }
  assert.deepEqual((await read('SANT. V.10', sale(20_000, 10_000))).faults[0]?.field, 'net');
});

test('a pledge beside sales that only say that they are settled is as unknown as they are, wherever it stands', async () => {
  const [batch, sale] = [getnetBatch({ batch: 1, status: 'LQ', net: 9_750 }), getnetSale(1)];
  const pledge = getnetFileLines().at(-2) ?? '';
  const otherDay = withText(pledge, 25, '21112026');
  for (const inner of [
    [batch, sale, pledge, otherDay],
    [pledge, otherDay, batch, sale],
  ]) {
    const { entries, faults } = await readLines([getnetHeader(), ...inner, getnetTrailer(6)]);
    assert.deepEqual(faults, []);
    assert.deepEqual(
      entries.map(({ kind, net }) => [kind, net]),
      [
        ['unknown', 9_750],
        ['unknown', -2_000],
        ['pledge', -2_000],
      ],
    );
  }
});

test('only sales in reais of the same establishment or head office, and without words on who was paid, leave a pledge unknown', async () => {
  const pledge = getnetFileLines().at(-2) ?? '';
  const pledgeOf = (shop: string) => withText(pledge, 2, shop.padEnd(15));
  for (const [status, texts, shop, kind] of [
    ['LQ', {}, '1447355', 'unknown'],
    ['LQ', {}, '7', 'pledge'],
    ['LQ', { 175: '000000000000007' }, '7', 'unknown'],
    ['LQ', { 282: '840' }, '1447355', 'pledge'],
    ['PG', {}, '1447355', 'pledge'],
  ] as const) {
    const batch = getnetBatch({ batch: 1, status, net: 9_750 }, texts);
    for (const inner of [
      [batch, getnetSale(1), pledgeOf(shop)],
      [pledgeOf(shop), batch, getnetSale(1)],
    ]) {
      const { entries, faults } = await readLines([getnetHeader(), ...inner, getnetTrailer(5)]);
      assert.deepEqual(faults, []);
      assert.equal(entries.find(({ net }) => net === -2_000)?.kind, kind, `${status} ${shop}`);
    }
  }
});

test('a file of more pledges than are kept is read, and those beyond it are unknown with their group', async () => {
  const pledge = getnetFileLines().at(-2) ?? '';
  const otherDay = withText(pledge, 25, '21112026');
  const inner = [otherDay, ...Array.from({ length: 19_999 }, () => pledge), otherDay, otherDay];
  const lines = [getnetHeader(), ...inner, getnetTrailer(inner.length + 2)];
  const { entries, faults } = await readLines(lines);
  assert.deepEqual(faults, []);
  const counts = Map.groupBy(entries, ({ kind, bankOn }) => `${kind} ${bankOn}`);
  assert.deepEqual([...counts].map(([name, { length }]) => [name, length]).toSorted(), [
    ['pledge 2026-11-20', 19_999],
    ['unknown 2026-11-21', 3],
  ]);
});

/** Of a real file of 2024 that a public test has, with other numbers of merchant, holder and account. */
test('a rent, its settlement and an installment as Getnet wrote them, each value checked by hand', async () => {
  const rent = [
    '11447355        SRMAN051190405030920241609202400000000000000000000000000001000000000000000014890000000014890000000000000000000000000000000000000000000014890000000000000LQ01011447355        00000000000000000000000000000000000000000000000005000511904050001000000000000000000000000000986 -CC000000000000000000002024040902500000000000000',
    '31447355        0511904050309202416092024240903003689439      -00000001489002000000000                  00000000000000000000000000000LQ                98600000000000003Aluguel-',
  ];
  const sale = [
    getnetBatch(
      { batch: 524_597, status: 'PF', net: 393_599 },
      { 39: '16092024', 85: digits(402_374, 12), 121: digits(8_775, 12), 171: '0106' },
    ),
    '21447355        00052459700000200009816082024104422000000******0000   0000024142390000000000000000000000000601000000402374160920240000385282TEFC1447355        T4502939986N+   000000008775',
  ];
  const settled = [
    '51447355        120920241609202400000000000000000000PG00000000000000000036381900000000000000000036381900000000000CC00000000000000000000000000000   LIF 000000000000000000100000000000000  000000000                    000000001447355                         EC2024160900800000000000000',
    '61447355        1609202400000000000000000000LQ000000000000000000SR05082024000000000000000000000000000000000000000000014890  00000000000000000000000000000DIF 000000000000000000 00000000000000  000000000                    000000001447355                         2024050802500000000000000',
  ].map((text) => text.padEnd(400));
  const lines = [...rent, ...sale].map((text) => text.padEnd(400));
  const { entries, faults } = await readLines([getnetHeader(), ...lines, ...settled, getnetTrailer(8)]);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    entries.map(({ kind, gross, fee, net, soldOn, bankOn, nsu, description }) => [
      ...[kind, gross, fee, net, soldOn, bankOn, nsu, description],
    ]),
    [
      ['unknown', -14_890, null, -14_890, null, '2024-09-16', null, '2 Aluguel-'],
      ['sale', 402_374, 8_775, 393_599, '2024-08-16', '2024-09-16', '2000098', null],
    ],
  );
});
