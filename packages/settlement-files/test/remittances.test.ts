import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../src/day.ts';
import type { Remittance, RemittanceOrder } from '../src/remittances/remittance.ts';
import { agreementFault, remittanceBankNamed, writeRemittance } from '../src/remittances/remittance-banks.ts';

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

const bankOf = (code: string) => {
  const bank = remittanceBankNamed(code);
  assert.ok(bank !== undefined);
  return bank;
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

const day = (text: string) => text as Day;

const ORDER: RemittanceOrder = {
  kind: 'register',
  companyUse: '10000000001',
  bankNumber: '00000001',
  amount: 14_990,
  issuedOn: day('2026-11-29'),
  dueOn: day('2026-12-10'),
  daysAfterDue: 30,
  payer: {
    name: 'Inês Conceição d’Ávila',
    documentNumber: '52998224725',
    street: 'Rua das Flores, 100 - apto 2',
    district: 'Centro',
    city: 'São Paulo',
    state: 'SP',
    zipCode: '01001000',
  },
  finePortion: 200,
  interestPortion: 100,
  discount: { amount: 1_000, until: day('2026-12-05') },
};

function written(code: string, agreement: Remittance['agreement'], orders: readonly RemittanceOrder[]) {
  const bytes = writeRemittance(bankOf(code), { agreement, number: 7, madeOn: day('2026-11-29'), orders });
  const lines = Buffer.from(bytes).toString('latin1').split('\r\n');
  assert.equal(lines.pop(), '');
  lines.forEach((line, index) => {
    assert.equal(line.length, 400);
    assert.equal(line.slice(394), String(index + 1).padStart(6, '0'));
  });
  const at = (line: number, from: number, to: number) => lines[line]?.slice(from - 1, to);
  return { lines, at };
}

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
