import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayAfter, endOfDay } from '../kit/days.ts';
import { endOf, owedOn, totalOf } from './amount-owed.ts';
import type { ChargeContent } from './charge-content.ts';

const KEY = 'loja@example.com';

/** The specification's own examples of how long a charge can be paid, and its last day. */
const EXAMPLES: [due: string, days: number, last: string][] = [
  ['2020-10-20', 4, '2020-10-26'],
  ['2020-12-25', 0, '2020-12-28'],
  ['2020-12-25', 1, '2020-12-29'],
  ['2020-12-25', 3, '2020-12-31'],
  ['2020-12-25', 4, '2021-01-04'],
  ['2021-08-27', 5, '2021-09-01'],
  ['2021-08-28', 5, '2021-09-06'],
];

test('a charge ends with the day that the examples of the specification have', () => {
  for (const [dataDeVencimento, validadeAposVencimento, last] of EXAMPLES) {
    const calendario = { dataDeVencimento, validadeAposVencimento };
    const content = { calendario, valor: { original: '1.00' }, chave: KEY };
    assert.equal(endOf(content, 0), endOfDay(last), `${dataDeVencimento} and ${validadeAposVencimento}`);
  }
});

/** Due on a Tuesday. */
const DUE = '2027-03-16';

function owed(valor: Omit<ChargeContent['valor'], 'original'>, days: number, original = '100.00'): number {
  const content = { calendario: { dataDeVencimento: DUE }, valor: { original, ...valor }, chave: KEY };
  return totalOf(owedOn(content, dayAfter(DUE, days)));
}

test('the example of the specification: two days late, a fine of 3 % and interest of 1 % a day', () => {
  const valor = { multa: { modalidade: 2, valorPerc: '3.00' }, juros: { modalidade: 2, valorPerc: '1.00' } };
  assert.equal(owed(valor, 2), 10_500);
  assert.equal(owed(valor, 0), 10_000);
});

test('each way of interest counts all days, or those of banks', () => {
  // Seven days late: five of banks, since a weekend lies between.
  const of = (modalidade: number, valorPerc: string) =>
    owed({ juros: { modalidade, valorPerc } }, 7) - 10_000;
  const all = [of(1, '0.10'), of(2, '1.00'), of(3, '3.00'), of(4, '36.50')];
  assert.deepEqual(all, [70, 700, 70, 70]);
  const ofBanks = [of(5, '0.10'), of(6, '1.00'), of(7, '2.10'), of(8, '25.20')];
  assert.deepEqual(ofBanks, [50, 500, 50, 50]);
});

test('each way of discount ends with its day, or grows with the days before', () => {
  const fixed = [
    { data: dayAfter(DUE, -8), valorPerc: '5.00' },
    { data: dayAfter(DUE, -1), valorPerc: '2.00' },
  ];
  const byDate = (modalidade: number, days: number) =>
    10_000 - owed({ desconto: { modalidade, descontoDataFixa: fixed } }, days);
  assert.deepEqual(
    [-9, -8, -7, -1, 0].map((days) => byDate(1, days)),
    [500, 500, 200, 200, 0],
  );
  assert.deepEqual([byDate(2, -8), byDate(2, 0)], [500, 0]);
  // Seven days early: five of banks.
  const byDay = (modalidade: number, valorPerc: string) =>
    10_000 - owed({ desconto: { modalidade, valorPerc } }, -7);
  assert.deepEqual(
    [byDay(3, '0.10'), byDay(4, '0.10'), byDay(5, '1.00'), byDay(6, '1.00')],
    [70, 50, 700, 500],
  );
  assert.equal(owed({ desconto: { modalidade: 3, valorPerc: '50.00' } }, -30), 1, 'something is left to pay');
});

test('a reduction holds on every day', () => {
  const abatimento = { modalidade: 2, valorPerc: '10.00' };
  assert.deepEqual(
    [-5, 0, 5].map((days) => owed({ abatimento }, days)),
    [9_000, 9_000, 9_000],
  );
});
