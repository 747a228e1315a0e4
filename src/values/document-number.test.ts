import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { documentKind, documentText, isCnpj, isCpf } from './document-number.ts';

const CPFS = ['11144477735', '52998224725', '12345678909'];
const CNPJS = ['12ABC34501DE35', '11222333000181', '00000000000191', 'A1B2C3D41A2B62'];

test('known CPFs are taken', () => {
  for (const cpf of CPFS) {
    assert.ok(isCpf(cpf), cpf);
    assert.equal(documentKind(cpf), 'cpf');
  }
});

test('known CNPJs are taken, with digits only and with letters', () => {
  for (const cnpj of CNPJS) {
    assert.ok(isCnpj(cnpj), cnpj);
    assert.equal(documentKind(cnpj), 'cnpj');
  }
});

test('a CPF of eleven equal digits is refused', () => {
  for (const digit of '0123456789') assert.equal(isCpf(digit.repeat(11)), false);
});

test('a CNPJ of fourteen equal digits is refused, all zeros too', () => {
  for (const digit of '0123456789') assert.equal(isCnpj(digit.repeat(14)), false);
});

test('a lower-case letter in a CNPJ is refused', () => {
  for (const cnpj of ['12abc34501de35', '12ABc34501DE35', 'a1B2C3D41A2B62'])
    assert.equal(isCnpj(cnpj), false, cnpj);
});

test('letters stand in neither a CPF nor the check digits of a CNPJ', () => {
  for (const text of ['1114447773A', 'A1144477735', '12ABC34501DE3A', '1122233300018A'])
    assert.equal(documentKind(text), null);
});

test('masks, blanks, other lengths and other digits are refused', () => {
  const texts = [
    '111.444.777-35',
    '11.222.333/0001-81',
    ' 1114447773',
    '11144477735\n',
    '1114447773',
    '111444777350',
  ];
  for (const text of [
    ...texts,
    '',
    '1122233300018',
    '112223330001811',
    '11222333000181\n',
    '１1144477735',
    '1'.repeat(100_000),
  ]) {
    assert.equal(documentKind(text), null, text.slice(0, 30));
  }
});

/** Computed as the Receita Federal's instruction words it: weights in a row, remainders under 2 give 0. */
function withCheckDigits(body: string, weights: readonly number[]): string {
  const digit = (text: string, row: readonly number[]) => {
    const sum = row.reduce((total, weight, index) => total + weight * (text.charCodeAt(index) - 48), 0);
    return sum % 11 < 2 ? 0 : 11 - (sum % 11);
  };
  const first = digit(body, weights.slice(1));
  return `${body}${first}${digit(`${body}${first}`, weights)}`;
}

test('people read a number with its mask, and one that is neither as it is', () => {
  assert.equal(documentText('52998224725'), '529.982.247-25');
  assert.equal(documentText('11222333000181'), '11.222.333/0001-81');
  assert.equal(documentText('12ABC34501DE35'), '12.ABC.345/01DE-35');
  assert.equal(documentText('4711'), '4711');
});

const CNPJ_WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
const CPF_WEIGHTS = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2];

test('every number with the right check digits is taken, and with any others refused', () => {
  const cnpjBody = fc.string({
    unit: fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'),
    minLength: 12,
    maxLength: 12,
  });
  const cpfBody = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 9, maxLength: 9 });
  const anyDigits = fc.nat(99).map((number) => String(number).padStart(2, '0'));
  fc.assert(
    fc.property(cnpjBody, cpfBody, anyDigits, (company, person, digits) => {
      fc.pre(new Set(person).size > 1 && !/^0+$/.test(company));
      const cnpj = withCheckDigits(company, CNPJ_WEIGHTS);
      const cpf = withCheckDigits(person, CPF_WEIGHTS);
      assert.ok(isCnpj(cnpj), cnpj);
      assert.ok(isCpf(cpf), cpf);
      assert.equal(isCnpj(company + digits), cnpj.endsWith(digits));
      assert.equal(isCpf(person + digits), cpf.endsWith(digits));
    }),
    { numRuns: 1_000 },
  );
});
