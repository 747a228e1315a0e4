import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalText } from '../src/banks/banks.ts';
import { agreementFault } from '../src/remittances/remittance-banks.ts';
import { cnab240, cnab400, returnedLines } from './return-lines.ts';
import { digits } from './written-lines.ts';
import { bankOf, COMPANY, ORDER, written } from './written-remittances.ts';

const ITAU = {
  branch: '0810',
  account: '53678',
  accountDigit: '9',
  portfolio: '175',
  companyName: 'Loja São João Ltda',
  companyDocument: '11222333000181',
};
const BRADESCO = {
  branch: '1172',
  account: '0403005',
  accountDigit: '2',
  portfolio: '06',
  companyCode: '4567',
  companyName: 'Loja São João Ltda',
};

const BB = {
  ...{ branch: '4042', branchDigit: '8', account: '61900', accountDigit: '0' },
  ...{ agreement: '1238798', portfolio: '18', variation: '019', ...COMPANY },
};
const SANTANDER = {
  ...{ branch: '0059', branchDigit: '7', account: '13000123', accountDigit: '4' },
  ...{ companyCode: '1899775', portfolio: '102', ...COMPANY },
};
const CAIXA = { branch: '1825', branchDigit: '9', companyCode: '245274', ...COMPANY };
const SICOOB = {
  ...{ branch: '4327', branchDigit: '3', account: '417270', accountDigit: '0' },
  ...{ companyCode: '229385', modality: '01', ...COMPANY },
};
const AILOS = {
  ...{ branch: '0101', branchDigit: '5', account: '1111111', accountDigit: '9' },
  ...{ agreement: '000000', portfolio: '01', ...COMPANY },
};

/** Published boletos: agreement, number, free field and number as printed. */
const VECTORS = [
  ['341', ITAU, '12345678', '1751234567840810536789000', '175/12345678-4'],
  ['341', ITAU, '00258281', '1750025828170810536789000', '175/00258281-7'],
  ['341', { ...ITAU, portfolio: '168' }, '00258281', '1680025828120810536789000', '168/00258281-2'],
  [
    '341',
    { ...ITAU, branch: '1248', account: '02124', accountDigit: '6', portfolio: '109' },
    '00010152',
    '1090001015271248021246000',
    '109/00010152-7',
  ],
  ['237', BRADESCO, '00075896452', '1172060007589645204030050', null],
  [
    '237',
    { ...BRADESCO, branch: '4042', account: '0061900', portfolio: '03' },
    '00777700168',
    '4042030077770016800619000',
    null,
  ],
  ['237', BRADESCO, '00000000525', null, '06/00000000525-P'],
  ['237', { ...BRADESCO, portfolio: '09' }, '00000000001', null, '09/00000000001-1'],
  ['001', BB, '7777700168', '0000001238798777770016818', '12387987777700168'],
  ['033', SANTANDER, '000009000026', '9189977500000900002690102', '000009000026-9'],
  ['033', SANTANDER, '000009000272', '9189977500000900027250102', '000009000272-5'],
  ['033', SANTANDER, '566612457800', null, '566612457800-2'],
  ['104', CAIXA, '000000000000001', '2452740000100040000000017', '14000000000000001-4'],
  ['756', SICOOB, '0000002', '1432701022938500000024001', '0000002-4'],
  ['756', SICOOB, '0000007', null, '0000007-0'],
  [
    '756',
    { ...SICOOB, branch: '4134', companyCode: '148180', modality: '05' },
    '0000110',
    '1413405014818000001104001',
    null,
  ],
  ['085', AILOS, '000000001', '0000001111111900000000101', '11111119000000001'],
  [
    '085',
    { ...AILOS, account: '356156', agreement: '000234' },
    '000000001',
    '0002340356156900000000101',
    '03561569000000001',
  ],
] as const;

test('free fields and numbers are those of published boletos', () => {
  for (const [code, agreement, number, freeField, shown] of VECTORS) {
    const bank = bankOf(code);
    assert.equal(agreementFault(bank, agreement), null);
    if (shown !== null) assert.equal(bank.shownNumber(number, agreement), shown);
    assert.equal(bank.freeField(number, agreement).length, 25);
    if (freeField !== null) assert.equal(bank.freeField(number, agreement), freeField);
  }
});

test('a file of Itaú has each value in its place', () => {
  const { lines, at } = written('341', ITAU, [ORDER, { ...ORDER, kind: 'writeOff' }]);
  assert.equal(lines.length, 5);
  assert.equal(at(0, 1, 46), '01REMESSA01COBRANCA       081000536789        ');
  assert.equal(at(0, 47, 100), 'LOJA SAO JOAO LTDA            341BANCO ITAU SA  291126');
  assert.equal(at(1, 1, 29), '10211222333000181081000536789');
  assert.equal(at(1, 38, 62), '10000000001'.padEnd(25));
  assert.equal(at(1, 63, 70), '00000001');
  assert.equal(at(1, 84, 86), '175');
  assert.equal(at(1, 108, 147), 'I010000000001101226000000001499034100000');
  assert.equal(at(1, 148, 160), '01N2911269100');
  // 1 % a month of R$ 149.90 are 5 cents a day.
  assert.equal(at(1, 161, 218), '0000000000005051226000000000100000000000000000000000000000');
  assert.equal(at(1, 219, 264), '0100052998224725INES CONCEICAO D AVILA        ');
  assert.equal(
    at(1, 275, 351),
    `${'RUA DAS FLORES, 100 - APTO 2'.padEnd(40)}CENTRO      01001000SAO PAULO      SP`,
  );
  assert.equal(at(1, 386, 394), '00000030 ');
  assert.equal(at(2, 1, 24), '22101220260000000000200 ');
  assert.equal(at(3, 109, 110), '02');
  assert.equal(lines[4]?.slice(0, 394), '9'.padEnd(394));
});

test('a file of Bradesco has each value in its place, and its number', () => {
  const order = { ...ORDER, bankNumber: '00000000525', daysAfterDue: 0 };
  const { lines, at } = written('237', BRADESCO, [order]);
  assert.equal(lines.length, 3);
  assert.equal(at(0, 27, 46), '00000000000000004567');
  assert.equal(at(0, 77, 117), '237BRADESCO       291126        MX0000007');
  assert.equal(at(1, 21, 37), '00060117204030052');
  assert.equal(at(1, 63, 94), '0002020000000000525P00000000002N');
  assert.equal(at(1, 109, 160), '01000000000110122600000000149900000000001N2911260900');
  assert.equal(at(1, 235, 274), 'INES CONCEICAO D AVILA'.padEnd(40));
  assert.equal(at(1, 327, 334), '01001000');
});

/** Digits of the number; header 17 to 72, of the lot 34 to 73, segment P 18 to 62 and 221 to 240. */
const FILES_240 = [
  [
    ...(['001', BB, 10] as const),
    ' 211222333000181001238798001418019  0404280000000619000 ',
    '001238798001418019  0404280000000619000 ',
    '0404280000000619000 12387980000000001   11 00',
    '3000000090000000000 ',
  ],
  [
    ...(['033', SANTANDER, 12] as const),
    '2011222333000181005900001899775                         ',
    '                    005900001899775     ',
    '0059701300012340130001234  0000000000019512  ',
    '000103000           ',
  ],
  [
    ...(['104', CAIXA, 15] as const),
    ' 21122233300018100000000000000000000018259245274' + '00000000',
    '2452740000000000000001825924527400000000',
    '018259245274' + '0000000000' + '014000000000000001' + '11220',
    '3001030090000000000 ',
  ],
  [
    ...(['756', SICOOB, 7] as const),
    ' 211222333000181                    0432730000004172700 ',
    '                    0432730000004172700 ',
    '0432730000004172700 000000001701014     10 22',
    '3000   090000000000 ',
  ],
  [
    ...(['085', AILOS, 9] as const),
    ' 211222333000181000000              0010150000011111119 ',
    '000000              0010150000011111119 ',
    '0010150000011111119 11111119000000001   10122',
    '3002   090000000000 ',
  ],
] as const;

test('a file of CNAB 240 has each value in its place, and its counts', () => {
  for (const [code, agreement, length, company, companyOfLot, title, end] of FILES_240) {
    const order = { ...ORDER, bankNumber: '1'.padStart(length, '0') };
    const { lines, at } = written(code, agreement, [order, { ...order, kind: 'writeOff' }]);
    const isPAlone = code === '033';
    const last = lines.length;
    assert.deepEqual(
      lines.map((line) => line.length),
      Array(isPAlone ? 8 : 9).fill(240),
    );
    assert.equal(at(0, 1, 8), `${code}00000`);
    assert.equal(at(0, 17, 72), company, code);
    assert.equal(at(0, 73, 102), 'LOJA SAO JOAO LTDA'.padEnd(30));
    assert.equal(at(0, 143, 163), '129112026000000000007');
    assert.equal(at(1, 1, 11), `${code}00011R01`);
    assert.equal(at(1, 18, 33), '2011222333000181');
    assert.equal(at(1, 34, 73), companyOfLot, code);
    assert.equal(at(1, 184, 199), '0000000729112026');
    assert.equal(at(2, 1, 17), `${code}0001300001P 01`);
    assert.equal(at(2, 18, 62), title, code);
    assert.equal(at(2, 63, 77)?.trim().slice(-11), '10000000001');
    assert.equal(at(2, 78, 117), '1012202600000000001499000000 02N29112026');
    // 1 % a month of R$ 149.90 are 5 cents a day, from the day after the due day.
    assert.equal(at(2, 118, 141), '111122026000000000000005');
    assert.equal(at(2, 142, 195), `105122026${'1000'.padStart(15, '0')}${'0'.repeat(30)}`);
    assert.equal(at(2, 196, 220), '10000000001'.padEnd(25));
    assert.equal(at(2, 221, 240), end, code);
    assert.equal(at(3, 14, 36), 'Q 012000052998224725INE'.replace('2000', '1000'));
    assert.equal(at(3, 129, 153), '01001000SAO PAULO      SP');
    assert.equal(at(4, 14, 17), 'R 01');
    assert.equal(at(4, 66, 89), '211122026000000000000200');
    assert.equal(at(5, 14, 17), 'P 02');
    if (!isPAlone) assert.equal(at(6, 9, 17), '00005Q 02');
    assert.equal(at(last - 2, 18, 23), digits(last - 2, 6));
    assert.equal(at(last - 1, 1, 29), `${code}99999${' '.repeat(9)}000001${digits(last, 6)}`);
  }
});

test('what does not fit is not written', () => {
  assert.throws(() => written('341', ITAU, [{ ...ORDER, amount: 10 ** 13 }]), RangeError);
  assert.throws(() => written('341', ITAU, [{ ...ORDER, bankNumber: '123456789' }]), RangeError);
});

test('an agreement is refused by the name of what is wrong', () => {
  const bank = bankOf('341');
  assert.match(agreementFault(bank, { ...ITAU, branch: '81' }) ?? '', /^branch=81 is not/);
  assert.match(agreementFault(bank, { ...ITAU, accountDigit: '1' }) ?? '', /check digit/);
  const { portfolio: _portfolio, ...rest } = ITAU;
  assert.match(agreementFault(bank, rest) ?? '', /^portfolio is missing/);
});

test('why a bank refuses is said by the list of its layout', () => {
  assert.equal(
    refusalText({ bank: '104', format: 'cnab240' }, '6300000000'),
    '63 o boleto já está registrado',
  );
  assert.match(
    refusalText({ bank: '341', format: 'cnab240' }, '15'),
    /^15 o nosso número se repete no arquivo$/,
  );
  assert.equal(refusalText({ bank: '104', format: 'cnab400' }, '63'), 'motivo 63');
});

test('a refusal of Sicredi in CNAB 400 and one of Inter have the reasons of their lines', async () => {
  const sicredi = cnab400({ bank: '748', madeOn: '20270112' }, [{ 109: '03110127', 319: '09B7C60000' }]);
  const inter = cnab400({ bank: '077' }, [{ 90: '03110127', 241: 'CEP DO PAGADOR  INVALIDO', 375: 'FIM' }]);
  const said: string[] = [];
  for (const [bank, lines] of [
    ['748', sicredi],
    ['077', inter],
  ] as const) {
    const { entries } = await returnedLines(lines);
    said.push(...entries.map(({ reasons }) => refusalText({ bank, format: 'cnab400' }, reasons)));
  }
  assert.deepEqual(said, [
    '09 o nosso número se repete; B7 o seu número não é válido; C6 o boleto já foi pago',
    'CEP DO PAGADOR INVALIDO FIM',
  ]);
});

test('the number that a file for Caixa has is found in its return files, without the modality', async () => {
  const order = { ...ORDER, bankNumber: '000010000000001' };
  const { at } = written('104', CAIXA, [order]);
  const sent = at(2, 41, 57) ?? '';
  assert.equal(sent, '14000010000000001');
  const shown = bankOf('104').shownNumber(order.bankNumber, CAIXA).replace('-', '');
  const of240 = cnab240({ bank: '104' }, [{ movement: '06', bankNumber: `  ${shown}`, paid: 10_000 }]);
  const of400 = cnab400({ bank: '104' }, [{ 57: sent, 109: '21110127', 153: digits(10_000, 13) }]);
  for (const lines of [of240, of400]) {
    const { entries } = await returnedLines(lines);
    assert.deepEqual(
      entries.map(({ number }) => number),
      [order.bankNumber],
    );
  }
});
