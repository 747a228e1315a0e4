import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agreement, RemittanceOrder } from '../src/remittances/remittance.ts';
import {
  agreementFault,
  REMITTANCE_BANKS,
  remittanceBankNamed,
} from '../src/remittances/remittance-banks.ts';
import { cnab240, cnab400, returnedLines } from './return-lines.ts';
import { digits, line, type Texts, withText } from './written-lines.ts';
import { bankOf, COMPANY, day, ORDER, written } from './written-remittances.ts';

/**
 * Whole files, line by line: a registration, a write-off and a change of the due day of one boleto. Positions
 * are typed from the manuals of the banks; all others are blank.
 */

const SICREDI = {
  ...{ branch: '0165', unit: '02', companyCode: '00623', account: '623', accountDigit: '8' },
  ...COMPANY,
};

function filed(bankNumber: string): readonly RemittanceOrder[] {
  const order = { ...ORDER, bankNumber };
  return [order, { ...order, kind: 'writeOff' }, { ...order, kind: 'dueDay', dueOn: day('2026-12-20') }];
}

/** Each instruction's movement, due day, and the days after it that banks count from. */
const TOLD = [
  { movement: '01', due: '10122026', after: '11122026' },
  { movement: '02', due: '10122026', after: '11122026' },
  { movement: '06', due: '20122026', after: '21122026' },
] as const;

type Told = (typeof TOLD)[number];

const PAYER = 'INES CONCEICAO D AVILA';
const STREET = 'RUA DAS FLORES, 100 - APTO 2';

/** What the CNAB 240 of all banks has where FEBRABAN puts it. `numbered` continues over the segments. */
type Shape = {
  readonly bank: string;
  readonly header: Texts;
  readonly lot: Texts;
  readonly p: (told: Told) => Texts;
  readonly q?: Texts;
  readonly r?: (told: Told) => Texts;
  /** Behind the P of a write-off and of a change. */
  readonly behind?: '' | 'Q' | 'QR';
  readonly totals: string;
  readonly end: string;
};

function expected240({ bank, header, lot, p, q, r, behind = 'QR', totals, end }: Shape): string[] {
  const details = TOLD.flatMap((told): Texts[] => {
    const head = (segment: string) => ({ 14: `${segment} ${told.movement}` });
    const ofPayer = {
      ...{ 18: '1000052998224725', 34: PAYER, 74: STREET, 114: 'CENTRO', 129: '01001000' },
      ...{ 137: 'SAO PAULO', 152: 'SP', 154: digits(0, 16), 210: '000', ...q },
    };
    const fine = { 18: digits(0, 48), 66: `2${told.after}${digits(200, 15)}` };
    const rest = { 200: digits(0, 16), 217: digits(0, 12), 231: '0' };
    const segments: Texts[] = [{ ...head('P'), ...p(told) }];
    const isRegistered = told.movement === '01';
    if (isRegistered || behind !== '') segments.push({ ...head('Q'), ...ofPayer });
    if (isRegistered || (behind === 'QR' && told.movement === '06'))
      segments.push({ ...head('R'), ...fine, ...rest, ...r?.(told) });
    return segments;
  });
  const last = details.length + 4;
  return [
    line(240, { 1: `${bank}00000`, 73: 'LOJA SAO JOAO LTDA', 143: '129112026000000000007', ...header }),
    line(240, { 1: `${bank}00011R01`, 18: '2011222333000181', 74: 'LOJA SAO JOAO LTDA', ...lot }),
    ...details.map((texts, index) => line(240, { 1: `${bank}00013${digits(index + 1, 5)}`, ...texts })),
    line(240, { 1: `${bank}00015`, 18: digits(last - 2, 6) + totals }),
    line(240, { 1: `${bank}99999`, 18: `000001${digits(last, 6)}${end}` }),
  ];
}

function expected400(
  header: Texts,
  detail: (told: Told) => readonly Texts[],
  trailer: Texts = { 1: '9' },
): string[] {
  return [header, ...TOLD.flatMap(detail), trailer].map((texts, index) =>
    line(400, { ...texts, 395: digits(index + 1, 6) }),
  );
}

const shortened = (eight: string) => eight.slice(0, 4) + eight.slice(6);

function sameLines(code: string, layout: string, agreement: Agreement, number: string, wanted: string[]) {
  const bank = bankOf(code, layout);
  assert.equal(agreementFault(bank, agreement), null);
  const { lines } = written(bank, agreement, filed(number));
  assert.deepEqual(lines, wanted);
}

test('the files of Sicredi have each value in its place', () => {
  const account = '00165 0000000006238';
  const own = {
    bank: '748',
    header: { 18: '211222333000181', 53: account, 103: 'SICREDI', 164: '08101600' },
    lot: { 14: '040', 54: account, 184: '0000000729112026', 200: digits(0, 8) },
    p: ({ due, after }: Told) => ({
      ...{ 18: account, 38: '262000016', 58: '11122', 63: '0000000001', 78: due, 86: digits(14_990, 15) },
      ...{ 101: '00000', 107: '03N29112026', 118: `1${after}${digits(5, 15)}` },
      ...{
        142: `105122026${digits(1_000, 15)}${digits(0, 30)}`,
        196: '10000000001',
        221: '3001060090000000000',
      },
    }),
    totals: digits(0, 92),
    end: '000000',
  };
  sameLines('748', '240', SICREDI, '26200001', expected240(own));
  const late = { ...ORDER, bankNumber: '26200001', daysAfterDue: 61 };
  assert.throws(() => written('748', SICREDI, [late]), RangeError);
  for (const kind of ['writeOff', 'dueDay'] as const)
    assert.equal(written('748', SICREDI, [{ ...late, kind }]).at(2, 224, 227), '1060');
  const header = {
    ...{ 1: '01REMESSA01COBRANCA', 27: '0062311222333000181', 77: '748SICREDI', 95: '20261129' },
    ...{ 111: '0000007', 391: '2.00' },
  };
  const detail = ({ movement, due }: Told) => [
    {
      ...{ 1: '1AAA', 17: 'AAA', 48: '262000016', 63: '20261129', 72: 'N', 74: 'B', 83: digits(0, 10) },
      ...{ 93: '0200', 109: `${movement}0000000001${shortened(due)}${digits(14_990, 13)}` },
      ...{ 149: 'AN2911260000', 161: digits(5, 13), 174: `051226${digits(1_000, 13)}`, 193: digits(0, 26) },
      ...{ 219: '1000052998224725', 235: PAYER, 275: STREET, 315: digits(0, 11), 327: '0100100000000' },
    },
  ];
  const wanted = expected400(header, detail, { 1: '9174800623' });
  sameLines('748', '400', SICREDI, '26200001', wanted);
});

test('the file of BTG has each value in its place', async () => {
  const agreement = {
    ...{ branch: '0050', account: '388685', accountDigit: '3', companyCode: '001100983001401000' },
    ...{ portfolio: '1', ...COMPANY },
  };
  const account = '00050 0000003886853';
  const company = '001100983001401000';
  const number = '000000063804';
  const wanted = expected240({
    bank: '208',
    header: {
      ...{ 18: '211222333000181', 33: company, 53: account },
      ...{ 103: 'BANCO BTG PACTUAL S.A.', 164: '08300000' },
    },
    lot: { 14: '060', 34: company, 54: account, 184: '0000000729112026', 200: digits(0, 8) },
    p: ({ due, after }) => ({
      ...{ 18: account, 38: number, 58: '11122', 63: digits(10000000001, 15), 78: due },
      ...{ 86: digits(14_990, 15), 101: '00000', 107: '02N29112026', 118: `1${after}${digits(5, 15)}` },
      ...{ 142: `105122026${digits(1_000, 15)}${digits(0, 30)}`, 196: '10000000001' },
      221: '3001030090000000000',
    }),
    totals: digits(0, 92),
    end: '000000',
  });
  sameLines('208', '240', agreement, '00000006380', wanted);
  const bank = bankOf('208');
  // The bank's example of a boleto.
  assert.equal(bank.shownNumber('00000006380', agreement), '001/00000006380-4');
  assert.equal(bank.freeField('00000006380', agreement), '0050010000000638003886850');
  const lines = cnab240({ bank: '208' }, [{ movement: '06', bankNumber: digits(number, 20), paid: 10_000 }]);
  // Its own portfolio stands behind the number, and its lot counts what was paid.
  lines[2] = withText(lines[2] ?? '', 58, '1');
  lines[4] = withText(lines[4] ?? '', 24, digits(1, 6));
  const { entries } = await returnedLines(lines);
  assert.deepEqual(
    entries.map((entry) => entry.number),
    ['00000006380'],
  );
});

test('the files of Itaú in CNAB 240 have each value in its place', async () => {
  const agreement = { branch: '0810', account: '53678', accountDigit: '9', portfolio: '175', ...COMPANY };
  const account = '00810 000000053678 9';
  const number = '175002582817';
  const wanted = expected240({
    bank: '341',
    header: {
      ...{ 18: '211222333000181', 53: account, 103: 'BANCO ITAU SA', 164: '04000000', 226: '000' },
    },
    lot: { 12: '00030', 54: account, 184: '0000000729112026', 200: digits(0, 8) },
    p: ({ due, after }) => ({
      ...{ 18: account, 38: number, 58: '00000', 63: '0000000001', 78: due, 86: digits(14_990, 15) },
      ...{ 101: '000000', 107: '01N29112026', 118: `0${after}${digits(5, 15)}` },
      ...{ 142: `005122026${digits(1_000, 15)}${digits(0, 30)}`, 196: '10000000001', 221: '3001300' },
      228: digits(0, 12),
    }),
    behind: 'Q',
    totals: digits(0, 92),
    end: '000000',
  });
  sameLines('341', '240', agreement, '00258281', wanted);
  const lines = cnab240({ bank: '341' }, [{ movement: '06', bankNumber: number, paid: 10_000 }]);
  const { entries } = await returnedLines(lines);
  assert.deepEqual(
    entries.map((entry) => entry.number),
    ['00258281'],
  );
});

test('the files of Bradesco in CNAB 240 have each value in its place', async () => {
  const agreement = {
    ...{ branch: '1172', branchDigit: '0', account: '0403005', accountDigit: '2', portfolio: '06' },
    ...{ companyCode: '4567', ...COMPANY },
  };
  const account = '0117200000004030052';
  const company = digits(4567, 20);
  const wanted = expected240({
    bank: '237',
    header: { 18: '211222333000181', 33: company, 53: account, 103: 'BRADESCO', 164: '08401600' },
    lot: { 14: '042', 34: company, 54: account, 184: '0000000729112026', 200: digits(0, 8) },
    p: ({ due, after }) => ({
      ...{ 18: account, 38: '0060000000000000525P', 58: '11122', 63: digits(10000000001, 15), 78: due },
      ...{ 86: digits(14_990, 15), 101: '00000', 107: '02N29112026', 118: `1${after}${digits(5, 15)}` },
      ...{ 142: `105122026${digits(1_000, 15)}${digits(0, 30)}`, 196: '10000000001' },
      221: '3001030090000000000',
    }),
    totals: digits(3, 6) + digits(3 * 14_990, 17) + digits(0, 69),
    end: '000000',
  });
  sameLines('237', '240', agreement, '00000000525', wanted);
  const lines = cnab240({ bank: '237' }, [{ movement: '02', bankNumber: '0060000000000000525P' }]);
  const { entries } = await returnedLines(lines);
  assert.deepEqual(
    entries.map((entry) => entry.number),
    ['00000000525'],
  );
});

test('the files of Santander in CNAB 400 have each value in its place', async () => {
  const agreement = {
    ...{ account: '13000123', accountDigit: '4', companyCode: '1899775', portfolio: '102' },
    ...{ transmissionCode: '00591899775013000123', ...COMPANY },
  };
  const header = {
    ...{ 1: '01REMESSA01COBRANCA', 27: '00591899775013000123', 47: 'LOJA SAO JOAO LTDA' },
    ...{ 77: '033SANTANDER', 95: `291126${digits(0, 16)}`, 392: '000' },
  };
  const detail = ({ movement, due }: Told) => [
    {
      ...{ 1: '10211222333000181', 18: '00591899775013000123', 38: '10000000001', 63: '00009008000000' },
      ...{ 78: `40200${digits(0, 15)}`, 102: `0000005${movement}0000000001${shortened(due)}` },
      ...{ 127: `${digits(14_990, 13)}0330000001N2911260300`, 161: digits(5, 13) },
      ...{ 174: `051226${digits(1_000, 13)}${digits(0, 26)}0100052998224725`, 235: PAYER, 275: STREET },
      ...{ 315: 'CENTRO', 327: '01001000SAO PAULO', 350: 'SP', 383: 'I34', 392: '00' },
    },
  ];
  const trailer = { 1: `9${digits(3, 6)}${digits(3 * 14_990, 13)}${digits(0, 374)}` };
  const number = '0000900';
  const of = bankOf('033', '400');
  const shown = of.shownNumber(number, agreement);
  assert.equal(shown, '000000000900-8');
  assert.equal(of.freeField(number, agreement), '9189977500000000090080102');
  sameLines('033', '400', agreement, number, expected400(header, detail, trailer));
  const { lines } = written(of, agreement, [{ ...ORDER, bankNumber: number, daysAfterDue: 29 }]);
  assert.equal(lines[1]?.slice(156, 160), '0000');
  const returnedFile = cnab400({ bank: '033' }, [{ 63: '00009008', 109: '02110127' }]);
  const { entries } = await returnedLines(returnedFile);
  assert.deepEqual(
    entries.map((entry) => entry.number),
    [number],
  );
});

test('the files of Caixa in CNAB 400 have each value in its place', async () => {
  const number = '000010000000001';
  for (const [companyCode, version] of [
    ['245274', '   '],
    ['1100000', '007'],
  ] as const) {
    const agreement = { branch: '1825', companyCode, ...COMPANY };
    const header = {
      ...{ 1: '01REMESSA01COBRANCA', 27: `1825${companyCode}`, 47: 'LOJA SAO JOAO LTDA' },
      ...{ 77: '104C ECON FEDERAL', 95: '291126', 101: version, 390: '00007' },
    };
    const detail = ({ movement, due, after }: Told) => [
      {
        ...{ 1: '10211222333000181000', 21: companyCode.padStart(7), 28: '2000', 32: '10000000001' },
        ...{ 57: `14${number}`, 78: `${shortened(after)}1`, 107: `01${movement === '06' ? '05' : movement}` },
        ...{ 111: `0000000001${shortened(due)}${digits(14_990, 13)}1040000001N2911260200` },
        ...{ 161: digits(5, 13), 174: `051226${digits(1_000, 13)}${digits(0, 26)}0100052998224725` },
        ...{ 235: PAYER, 275: STREET, 315: 'CENTRO', 327: '01001000SAO PAULO', 350: 'SP' },
        // 2 % of R$ 149.90.
        ...{ 352: `${shortened(after)}${digits(300, 10)}`, 390: '00301' },
      },
    ];
    sameLines('104', '400', agreement, number, expected400(header, detail));
  }
  const lines = cnab400({ bank: '104' }, [{ 57: `14${number}`, 109: '05110127' }]);
  const { entries } = await returnedLines(lines);
  assert.deepEqual(
    entries.map((entry) => [entry.number, entry.answer]),
    [[number, { to: 'dueDay', isAccepted: true }]],
  );
});

test('the files of Sicoob in CNAB 400 have each value in its place', async () => {
  const agreement = {
    ...{ branch: '4327', branchDigit: '3', account: '417270', accountDigit: '0' },
    ...{ companyCode: '229385', modality: '01', ...COMPANY },
  };
  const header = {
    ...{ 1: '01REMESSA01COBRANCA', 27: '4327 000229385', 47: 'LOJA SAO JOAO LTDA' },
    ...{ 77: '756BANCOOBCED', 95: '2911260000007' },
  };
  const detail = ({ movement, due }: Told) => [
    {
      ...{ 1: '10211222333000181', 18: '43273004172700000000', 38: '10000000001', 63: '0000000000240100' },
      ...{ 86: digits(0, 16), 106: `201${movement}0000000001${shortened(due)}${digits(14_990, 13)}` },
      ...{ 140: '756432730102911260700', 161: '0100000200002', 174: `051226${digits(1_000, 13)}` },
      ...{ 193: `9${digits(0, 25)}0100052998224725`, 235: PAYER, 275: STREET, 312: 'CENTRO' },
      ...{ 327: '01001000SAO PAULO', 350: 'SP', 392: '00' },
    },
  ];
  sameLines('756', '400', agreement, '0000002', expected400(header, detail));
  const lines = cnab400({ bank: '756' }, [{ 38: '10000000001', 63: '000000000024', 109: '02110127' }]);
  const { entries } = await returnedLines(lines);
  assert.deepEqual(
    entries.map((entry) => [entry.number, entry.companyUse]),
    [['00000000002', '10000000001']],
  );
});

test('the file of Inter has each value in its place, and registrations alone', async () => {
  const agreement = {
    ...{ account: '123456', accountDigit: '7', operation: '1234567' },
    ...{ firstNumber: '0004309540', lastNumber: '0004309549', companyName: COMPANY.companyName },
  };
  const bank = bankOf('077');
  assert.equal(agreementFault(bank, agreement), null);
  const fault = agreementFault(bank, { ...agreement, lastNumber: '0000000001' });
  assert.match(fault ?? '', /^lastNumber=0000000001 is less than firstNumber/);
  const numberOf = (ourNumber: string) => bank.numberOf?.(ourNumber, day('2026-11-29'), agreement);
  assert.deepEqual(['10000000000', '10000000009', '10000000010'].map(numberOf), [
    ...['0004309540', '0004309549', '0004309540'],
  ]);
  assert.equal(bank.shownNumber('0004309540', agreement), '00019/110/0004309540-1');
  assert.equal(bank.shownNumber('0004309541', agreement), '00019/110/0004309541-9');
  assert.equal(bank.freeField('0000000458', agreement), '0001110123456700000004586');
  const order = { ...ORDER, bankNumber: '0004309540' };
  const { lines } = written(bank, agreement, [order, { ...order, finePortion: null, discount: null }]);
  const header = {
    ...{ 1: '01REMESSA01COBRANCA', 47: 'LOJA SAO JOAO LTDA', 77: '077INTER', 95: '291126', 111: '0000007' },
  };
  const title = {
    ...{ 1: '1', 21: '11000010001234567', 38: '10000000001', 66: `2${digits(0, 13)}0200111226` },
    ...{ 90: '00043095401', 109: '010000000001', 121: `101226${digits(14_990, 13)}30`, 148: '01N' },
    ...{ 160: `1${digits(5, 13)}0000111226`, 184: `1${digits(1_000, 13)}0000051226`, 208: digits(0, 13) },
    ...{ 221: '0100052998224725', 237: PAYER, 277: 'RUA DAS FLORES, 100 - APTO 2 CENTRO SA' },
    ...{ 315: 'SP01001000' },
  };
  const plain = { ...title, 66: digits(0, 24), 184: digits(0, 24) };
  assert.deepEqual(
    lines,
    [header, title, plain, { 1: '9000002' }].map((texts, index) =>
      line(400, { ...texts, 395: digits(index + 1, 6) }),
    ),
  );
  for (const [daysAfterDue, told] of [
    [0, '01'],
    [60, '60'],
  ] as const)
    assert.equal(written(bank, agreement, [{ ...order, daysAfterDue }]).at(1, 140, 141), told);
  for (const unfit of [{ kind: 'writeOff' }, { kind: 'dueDay' }, { daysAfterDue: 61 }] as const)
    assert.throws(() => written(bank, agreement, [{ ...order, ...unfit }]), RangeError);
  const ofReturn = { 38: '10000000001', 71: '00043095401', 87: '110', 90: '02110127PEDIDO-1' };
  const { entries } = await returnedLines(cnab400({ bank: '077' }, [ofReturn]));
  assert.deepEqual(
    entries.map(({ number, answer }) => [number, answer]),
    [['0004309540', { to: 'register', isAccepted: true }]],
  );
});

test('the files of Banco do Brasil in CNAB 400 have each value in its place', async () => {
  const agreement = {
    ...{ branch: '4042', branchDigit: '8', account: '61900', accountDigit: '0', agreement: '1238798' },
    ...{ portfolio: '17', variation: '019', ...COMPANY },
  };
  const header = {
    ...{ 1: '01REMESSA01COBRANCA', 27: '40428000619000000000', 47: 'LOJA SAO JOAO LTDA' },
    ...{ 77: '001BANCODOBRASIL', 95: '2911260000007', 130: '1238798' },
  };
  const detail = ({ movement, due, after }: Told) => {
    const instruction = movement === '02' ? '4400' : '0700';
    const title = {
      ...{ 1: '70211222333000181', 18: '404280006190001238798', 39: '10000000001' },
      ...{ 64: '123879877777001680000', 92: '0190000000', 107: `17${movement}0000000001${shortened(due)}` },
      ...{ 127: `${digits(14_990, 13)}0010000`, 148: `01N291126${instruction}`, 161: digits(5, 13) },
      ...{ 174: `051226${digits(1_000, 13)}${digits(0, 26)}0100052998224725`, 235: PAYER, 275: STREET },
      ...{ 315: 'CENTRO', 327: '01001000SAO PAULO', 350: 'SP' },
    };
    const fine = { 1: `5992${shortened(after)}${digits(200, 12)}` };
    return movement === '01' ? [title, fine] : [title];
  };
  sameLines('001', '400', agreement, '7777700168', expected400(header, detail));
  // Its return file names the boleto by what the company wrote.
  const lines = cnab400({ bank: '001', type: '7' }, [
    { 39: '10000000001', 64: '12387987777700168', 109: '02110127' },
  ]);
  const { entries } = await returnedLines(lines);
  assert.deepEqual(
    entries.map((entry) => entry.companyUse),
    ['10000000001'],
  );
});

test('a fine goes with a registration alone, where the bank refuses it with a change', () => {
  const agreement = { branch: '0810', account: '53678', accountDigit: '9', portfolio: '175', ...COMPANY };
  const { lines } = written('341', agreement, filed('00258281'));
  assert.deepEqual(
    lines.map((one) => one[0] + one.slice(108, 110)),
    ['0  ', '101', '2  ', '102', '106', '9  '],
  );
});

test('the number of Sicredi is of its year, and the free field that of the manual', () => {
  const bank = bankOf('748');
  assert.equal(bank.freeField('07200003', SICREDI), '1107200003101650200623108');
  assert.equal(bank.shownNumber('07200003', SICREDI), '07/200003-1');
  const numberOf = (ourNumber: string) => bank.numberOf?.(ourNumber, day('2026-11-29'), SICREDI);
  assert.equal(numberOf('10000000001'), '26200001');
  assert.equal(numberOf('10000799999'), '26999999');
  assert.equal(numberOf('10000800000'), '26200000');
});

test('the number that a file for Sicredi has is found in its return files', async () => {
  const of240 = cnab240({ bank: '748' }, [{ movement: '06', bankNumber: '262000016', paid: 10_000 }]);
  const of400 = cnab400({ bank: '748', madeOn: '20270112' }, [
    { 48: '262000016', 109: '06110127', 254: digits(10_000, 13) },
  ]);
  for (const lines of [of240, of400]) {
    const { entries } = await returnedLines(lines);
    assert.deepEqual(
      entries.map(({ number, event }) => [number, event]),
      [['26200001', 'paid']],
    );
  }
});

test('Sicredi’s CNAB 240 has the document where others have what the company wrote', async () => {
  const said: readonly (readonly [companyUse: string, document: string])[] = [
    ['', 'PEDIDO-1'],
    ['0000000000', 'PEDIDO-1'],
    ['0000000000 01', 'PEDIDO-1'],
    ['          01', 'PEDIDO-1'],
    ['8457', '8457'],
    ['8457      01', '8457'],
    ['0000000042', '0000000042'],
    ['0000000042 01', '0000000042'],
    ['00000000421', '0000000042'],
    ['000000004201', '0000000042'],
  ];
  const lines = said.map(([companyUse]) => ({ movement: '06', bankNumber: '262000016', companyUse }));
  const { entries } = await returnedLines(cnab240({ bank: '748' }, lines));
  assert.deepEqual(
    entries.map((one) => [one.companyUse, one.documentNumber?.replace(/-\d$/, '-1')]),
    said.map(([, document]) => [null, document]),
  );
});

test('the bank’s number names a boleto at Sicredi alone, with the digit of its beneficiary', () => {
  const named = REMITTANCE_BANKS.filter(({ isNamedByBank }) => isNamedByBank === true);
  assert.deepEqual(
    named.map(({ code, layout }) => [code, layout]),
    [
      ['748', '240'],
      ['748', '400'],
    ],
  );
  for (const { freeField } of named) {
    assert.ok(freeField('26200001', SICREDI).includes('262000016'));
    assert.ok(!freeField('26200001', { ...SICREDI, companyCode: '00624' }).includes('262000016'));
  }
});

/** Settings that all layouts take, each what it needs. */
const ANY: Agreement = {
  ...{ branch: '0810', branchDigit: '1', account: '53678', accountDigit: '9', portfolio: '109' },
  ...{ agreement: '1238798', variation: '019', companyCode: '229385', modality: '01', unit: '02' },
  ...{ transmissionCode: '00591899775013000123', operation: '1234567' },
  ...{ firstNumber: '0000000001', lastNumber: '0000000009', ...COMPANY },
};

const OWN: Readonly<Record<string, Agreement>> = {
  '033': { companyCode: '1899775', portfolio: '102' },
  '001': { portfolio: '17' },
  '085': { agreement: '000234', portfolio: '01' },
  '208': { portfolio: '1' },
  '237': { account: '0053678', portfolio: '09' },
  '748': { companyCode: '00623' },
};

test('in all layouts a long name is cut without accents, and what no field holds is not written', () => {
  const street = 'Praça da Constituição de São José dos Pinhais, 1.234 - conjunto nº 56';
  const payer = { ...ORDER.payer, name: 'Conceição Ápio Ünal Ñandú '.repeat(4), street };
  for (const bank of REMITTANCE_BANKS) {
    const agreement = { ...ANY, ...OWN[bank.code] };
    assert.equal(agreementFault(bank, agreement), null, bank.name);
    const bankNumber = '1'.padStart(bank.numberLength, '0');
    const order = { ...ORDER, bankNumber, payer };
    const { lines } = written(bank, agreement, [order]);
    const length = Number(bank.layout);
    assert.ok(
      lines.every((one) => one.length === length && /^[ -~]*$/.test(one)),
      bank.name,
    );
    assert.ok(
      lines.some((one) => one.includes('CONCEICAO APIO UNAL NANDU CONC')),
      bank.name,
    );
    for (const unfit of [{ amount: 0 }, { amount: 10 ** 15 }, { bankNumber: `1${bankNumber}` }])
      assert.throws(() => written(bank, agreement, [{ ...order, ...unfit }]), RangeError, bank.name);
    const most = { amount: 10 ** 13 - 1, finePortion: null, interestPortion: null };
    const { lines: ofMost } = written(bank, agreement, [{ ...order, ...most }]);
    assert.ok(
      ofMost.some((one) => one.includes('9999999999999')),
      bank.name,
    );
  }
});

test('a layout that is not written is refused with those that are', () => {
  assert.equal(bankOf('748').layout, '240');
  assert.equal(bankOf('748', '400').layout, '400');
  assert.match(
    String(remittanceBankNamed('104', '500')),
    /^layout=500 is not written for bank 104 \(Caixa\): it is /,
  );
  assert.equal(remittanceBankNamed('999'), 'bank=999 is no bank whose files are written');
});
