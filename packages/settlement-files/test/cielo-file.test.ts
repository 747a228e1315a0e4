import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cielo03FileLines,
  cieloEntry,
  cieloFileLines,
  cieloHeader,
  cieloTrailer,
  cieloUnit,
} from './cielo-lines.ts';
import { firstFault, readLines, withText } from './written-lines.ts';

test('a Cielo 04 is read to its end', async () => {
  const { head, entries, end, faults } = await readLines(cieloFileLines());
  assert.deepEqual(faults, []);
  assert.deepEqual(head, {
    format: 'cielo04',
    version: '015',
    establishment: '1234567890',
    madeOn: '2026-11-20',
    from: '2026-11-19',
    to: '2026-11-20',
    sequence: 321,
    isRepetition: false,
  });
  assert.deepEqual(end?.leftOut, { Pix: 1 });
  assert.deepEqual(
    entries.map(({ kind, installmentNumber, installmentCount, gross, fee, net, anticipationFee }) => [
      kind,
      installmentNumber,
      installmentCount,
      gross,
      fee,
      net,
      anticipationFee,
    ]),
    [
      ['payout', 1, 1, 10_000, 250, 9_750, null],
      ['payout', 2, 3, 3_333, 83, 3_250, null],
      ['payout', 12, 12, 3_333, 83, 3_250, null],
      ['sale', 1, 1, 500, 10, 490, null],
      ['anticipation', 1, 1, 700, 10, 690, 0],
      ['cancel', 1, 1, -1_000, -25, -975, null],
      ['chargeback', 2, 3, -3_333, -83, -3_250, null],
      ['pledge', 1, 1, -200, 0, -200, null],
      ['adjustment', 1, 1, 50, 0, 50, null],
    ],
  );
  const { nsu, tid, orderReference, authorizationCode, brand, cardLastFour, soldOn, bankOn } =
    entries[0] ?? {};
  assert.deepEqual(
    [nsu, tid, orderReference, authorizationCode, brand, cardLastFour, soldOn, bankOn],
    [
      '42',
      '10069930690009F2122A',
      'cdef0123456789abcdef',
      'A1B2C3',
      'visa',
      '0007',
      '2026-11-19',
      '2026-11-20',
    ],
  );
  assert.equal(entries[0]?.receivableUnit, 'UR-001-002-20261120-1234567890');
  assert.equal(entries[7]?.description, '13 0099');
});

test('every type of entry has its kind', async () => {
  const kinds: Record<string, string[]> = {
    payout: ['01', '02', '03', '42'],
    adjustment: ['04', '05', '10', '15', '16', '27', '28', '49', '50', '51', '52', '53', '54'],
    cancel: ['06'],
    cancelReversal: ['07'],
    chargeback: ['08'],
    chargebackReversal: ['09'],
    pledge: ['11', '13', '14', '17', '18', '19', '20', '23', '26', '35', '36', '37', '38', '39', '40'],
  };
  const types = Object.values(kinds).flat();
  const pairs = types.flatMap((type) => [
    cieloUnit({ type, count: 1, gross: 10, net: 9 }),
    cieloEntry({ type, gross: 10, net: 9 }),
  ]);
  const trailer = cieloTrailer(types.length * 2, types.length, types.length * 10, types.length * 9);
  const { entries, faults } = await readLines([cieloHeader(), ...pairs, trailer]);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    Object.entries(kinds).flatMap(([kind, of]) => of.map(() => kind)),
  );
});

test('the status of its unit says what a sale is: a file says of what is paid on its day that it was sent', async () => {
  const kinds: Record<string, string[]> = {
    payout: ['04', '99', '03', '45', '0O', '07', '0X'],
    anticipation: ['58'],
    sale: ['00', '0P', '02', '06', '08', '0R', '42', '46'],
    // Paid and suspended, by the same manual.
    unknown: ['0A'],
  };
  for (const [kind, statuses] of Object.entries(kinds)) {
    for (const status of statuses) {
      const unit = cieloUnit({ type: '02', status, count: 1, gross: 10, net: 9 });
      const entry = cieloEntry({ type: '02', gross: 10, net: 9 });
      const { entries } = await readLines([cieloHeader(), unit, entry, cieloTrailer(2, 1, 10, 9)]);
      assert.equal(entries[0]?.kind, kind, status);
    }
  }
});

test('blanks that are only reserved at the end of a line may be missing, fields may not', async () => {
  const lines = cieloFileLines();
  const lengths: Record<string, number> = { '0': 73, D: 319, E: 708, '8': 11, '9': 95 };
  const short = lines.map((line) => line.slice(0, lengths[line[0] ?? '']));
  assert.equal(await firstFault(short), null);
  const shorter = short.with(2, (short[2] ?? '').slice(0, -1));
  assert.deepEqual(await firstFault(shorter), [3, null]);
});

test('units may stand before the entries of another, never behind their own', async () => {
  const lines = cieloFileLines();
  const [header = '', unit = '', entry = '', other = '', first = '', second = ''] = lines;
  const trailer = cieloTrailer(5, 3, 16_666, 16_250);
  const good = [header, unit, other, first, entry, second, trailer];
  assert.equal(await firstFault(good), null);
  assert.deepEqual(await firstFault([header, entry, unit, trailer]), [2, 'unit']);
  assert.deepEqual(await firstFault([header, unit, unit, entry, entry, trailer]), [3, 'unit']);
});

test('a second header is found', async () => {
  assert.deepEqual(await firstFault(cieloFileLines().with(18, cieloHeader())), [19, null]);
});

test('versions of v15 are taken, others are refused, and one made anew has no number', async () => {
  const trailer = cieloTrailer(0, 0, 0, 0);
  for (const version of ['015', '15 ', '151', '154']) {
    assert.equal(await firstFault([cieloHeader({ version }), trailer]), null);
  }
  const { faults } = await readLines([cieloHeader({ version: '014' }), trailer]);
  assert.deepEqual([faults[0]?.lineNumber, faults[0]?.field], [1, 'version']);
  assert.match(faults[0]?.sentence.pt ?? '', /outra versão do leiaute \("014"\): só a 15 é lida/);
  const { head } = await readLines([cieloHeader({ sequence: '9999999' }), trailer]);
  assert.equal(head?.isRepetition, true);
});

test('the statement that is not read is refused by name, in both languages', async () => {
  const { faults } = await readLines([cieloHeader({ statement: '06' })]);
  assert.equal(faults[0]?.lineNumber, 1);
  assert.match(faults[0]?.sentence.en ?? '', /Cielo, de outro extrato/);
  assert.match(faults[0]?.sentence.pt ?? '', /Cielo, de outro extrato.*ainda não é lido/);
});

const MISTAKES: readonly (readonly [string, number, number, string, readonly [number, string | null]])[] = [
  ['a movement that ends before it begins', 1, 28, '20261118', [1, 'to']],
  ['a type of entry that is not that of its unit', 3, 28, '99', [3, 'unit']],
  ['an entry of another unit', 3, 30, 'UX', [3, 'unit']],
  ['an amount without sign', 3, 261, '0', [3, 'gross']],
  ['a sign in the digits', 3, 262, '-', [3, 'gross']],
  ['an installment beyond their number', 5, 18, '04', [5, 'installmentNumber']],
  ['another sum of a unit', 4, 85, '7', [4, 'gross']],
  ['another net sum of a unit', 4, 113, '1', [4, 'net']],
  ['a unit that awaits one more', 2, 144, '000002', [2, 'entryCount']],
  ['a unit with one entry too many', 4, 144, '000001', [4, 'gross']],
  ['another count of lines', 20, 2, '00000000017', [20, 'recordCount']],
  ['another count of entries', 20, 31, '00000000008', [20, 'entryCount']],
  ['another net sum', 20, 30, '1', [20, 'net']],
  ['another gross sum', 20, 59, '1', [20, 'gross']],
  ['a day in the order of the header', 3, 566, '20261119', [3, 'soldOn']],
  ['an unknown record', 19, 1, '7', [19, null]],
];

for (const [name, at, from, text, fault] of MISTAKES) {
  test(`${name} is found with its line and field`, async () => {
    const lines = cieloFileLines();
    assert.deepEqual(await firstFault(lines.with(at - 1, withText(lines[at - 1] ?? '', from, text))), fault);
  });
}

test('a Cielo 03 says what was captured and when it is to be paid, and pays nothing', async () => {
  const lines = cielo03FileLines();
  const { head, entries, end, faults } = await readLines(lines);
  assert.deepEqual(faults, []);
  assert.deepEqual([head?.format, head?.sequence], ['cielo03', 321]);
  assert.deepEqual(
    entries.map(({ kind, installmentNumber, gross, net, bankOn, description }) => [
      ...[kind, installmentNumber, gross, net, bankOn, description],
    ]),
    [
      ['sale', 1, 10_000, 9_750, '2026-11-20', null],
      ['sale', 1, 3_333, 3_250, '2026-11-20', null],
      ['sale', 2, 3_334, 3_251, '2026-11-20', null],
      ['unknown', 1, 500, 490, '2026-11-20', '057 venda rejeitada'],
    ],
  );
  assert.deepEqual(end?.leftOut, {
    'Lançamento previsto que não é venda': 1,
    'Reserva financeira': 1,
  });
  const trailer = (...sums: [number, number, number, number]) => lines.with(-1, cieloTrailer(...sums));
  assert.deepEqual(await firstFault(trailer(6, 5, 16_168, 15_766)), [8, 'gross']);
  assert.deepEqual(await firstFault(trailer(6, 4, 16_167, 15_766)), [8, 'entryCount']);
  assert.deepEqual(await firstFault(trailer(7, 5, 16_167, 15_766)), [8, 'recordCount']);
});

/** Of real files of 2026 that public tests have, with other numbers of merchant, holder, account and card. */
const AS_WRITTEN = {
  header: '012345678902026080320260803202608030001265CIELO04I                    01503N',
  unit: 'D1234567890112223330001811122233300018111222333000181001002123456789003+0000000013211-0000000000328+000000001288303410000000000000000000000000100000102112223330001812026-08-0300100072000021234567890112223330001810000000000000000000                    02000000000000000308202631072026030820261234567890NNN00000000000000',
  paid: 'E1234567890001002000043794002112223330001812026-08-0300100072000021234567890112223330001810000000000000000000                    2607030210080058389       040NNN3NNN5448280007046002000000000012345678905JVVROVBAE         CLOUD112461002480000000248+0000000013211+0000000013211+0000000012883-0000000000328+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+00000000000002116440111222333000181001618470748481898618470748481898               0071170183002002000000036030720260407202603072026030720260260703                         03082026123456789000NNN03410000000000000000000000000100000000000000000000000N1000000000000000',
  trailer: '900000000002+0000000000001288300000000001+00000000000013211-00000000000000000-00000000000000000',
  debit:
    'E223456789000700100000547060101027058000191112223330001812026-03-09007210012234567890112223330001810000000000000000000           2603070110290549254       071NNN3NNN54482800075000020000000000                                        002150000000215+0000000024020+0000000024020+0000000023504-0000000000516+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+00000000000000925570111222333000181007606623923731581606623923731581               0084221671701001000000012070320260703202607032026070320265260307                         09032026223456789000NNN03410000000000000000000000000100000000000000000000000N8300000000000000',
  credit:
    'E123456789000100200008856180201027058000191112223330001812026-04-01001720021234567890112223330001810000000000000000000           2603010210060116066       040NNN3NNN5448280007005032000000000012345678905GC8QCTG4E         CLOUD108000002480000000248+0000000017170+0000000017170+0000000016744-0000000000426+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+00000000000001801240111222333000181001606070494976516606070494976516               0071170183002002000000036010320260103202601032026010320260260301                         01042026123456789000NNN03410000000000000000000000000100000000000000000000000N1000000000000000',
  first:
    'E123456789000200201024503590301027058000191112223330001812026-04-06002720021234567890112223330001810000000000000000000           2603060310490056302       012NNN3NNN5448280007010002000000000012345678905GGU4BSSRE         CLOUD108024003150000000315+0000000016225+0000000008113+0000000007857-0000000000256+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+0000000000000+00000000000001009450111222333000181002606570505039259606570505039259               0071170183003003000000036060320260603202606032026060320264260306                         06042026123456789000NNN03410000000000000000000000000100000000000000000000000N8100000000000000',
};

test('a payment as Cielo wrote it in a Cielo 04, each value checked by hand', async () => {
  const { head, entries, faults } = await readLines([
    AS_WRITTEN.header,
    AS_WRITTEN.unit.padEnd(400),
    AS_WRITTEN.paid,
    AS_WRITTEN.trailer,
  ]);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    [head?.madeOn, head?.from, head?.to, head?.sequence],
    [...Array(3).fill('2026-08-03'), 1265],
  );
  assert.deepEqual(entries.map(valuesOf), [
    [
      ...['payout', 13_211, 328, 12_883, '2026-07-03', '2026-08-03', 'visa', '46002', '437940', 1, 1],
      ...['12345678905JVVROVBAE', 'CLOUD112461'],
    ],
  ]);
});

test('a sale by debit, one at once and the first of two installments as Cielo wrote them in a Cielo 03', async () => {
  const { entries, faults } = await readLines([
    cieloHeader({ statement: '03' }),
    ...[AS_WRITTEN.debit, AS_WRITTEN.credit, AS_WRITTEN.first],
    cieloTrailer(3, 3, 49_303, 48_105),
  ]);
  assert.deepEqual(faults, []);
  assert.deepEqual(entries.map(valuesOf), [
    ['sale', 24_020, 516, 23_504, '2026-03-07', '2026-03-09', 'elo', '500002', '054706', 1, 1, null, null],
    [
      ...['sale', 17_170, 426, 16_744, '2026-03-01', '2026-04-01', 'visa', '5032', '885618', 1, 1],
      ...['12345678905GC8QCTG4E', 'CLOUD108000'],
    ],
    [
      ...['sale', 8_113, 256, 7_857, '2026-03-06', '2026-04-06', 'mastercard', '10002', '450359', 1, 2],
      ...['12345678905GGU4BSSRE', 'CLOUD108024'],
    ],
  ]);
});

function valuesOf(entry: Awaited<ReturnType<typeof readLines>>['entries'][number]) {
  const { kind, gross, fee, net, soldOn, bankOn, brand, nsu, authorizationCode } = entry;
  const { installmentNumber, installmentCount, tid, orderReference } = entry;
  const names = [brand, nsu, authorizationCode, installmentNumber, installmentCount, tid, orderReference];
  return [kind, gross, fee, net, soldOn, bankOn, ...names];
}
