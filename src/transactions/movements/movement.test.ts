import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cents, splitIntoInstallments } from '../../values/cents.ts';
import { readFeeTable } from '../fees/fee-table.ts';
import { netInstallment, type Sale } from './movement.ts';

const NO_FEES = [] as const;

function saleOf(amount: number, installmentCount: number, split: Sale['split'] = null): Sale {
  return { amount: cents(amount), installmentCount, brand: 'visa', split };
}

const netsOf = (sale: Sale, fees: Parameters<typeof netInstallment>[2]) =>
  Array.from({ length: sale.installmentCount }, (_, index) => netInstallment(sale, index + 1, fees));

test('without a fee the net amount of an installment is its amount', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 99, max: 9_999_999_999 }),
      fc.integer({ min: 1, max: 99 }),
      (amount, count) => {
        const sale = saleOf(amount, count);
        assert.deepEqual(netsOf(sale, NO_FEES), splitIntoInstallments(sale.amount, count));
      },
    ),
  );
});

test('the net amounts of all installments are the sale less its fee to the cent, and none is more than its installment', () => {
  const portions = fc.integer({ min: 0, max: 9_999 });
  fc.assert(
    fc.property(
      fc.integer({ min: 99, max: 9_999_999_999 }),
      fc.integer({ min: 1, max: 99 }),
      portions,
      (amount, count, portion) => {
        const sale = saleOf(amount, count);
        const plan = { firstDays: 30, betweenDays: 30 };
        const rule = { brand: 'any', fromInstallments: 1, toInstallments: 99, portion, plan } as const;
        const nets = netsOf(sale, [rule]);
        const installments = splitIntoInstallments(sale.amount, count);
        for (const [index, net] of nets.entries()) assert.ok(net <= (installments[index] as number));
        const fee = amount - nets.reduce((sum, net) => sum + net, 0);
        assert.ok(Math.abs(fee - (amount * portion) / 10_000) <= 0.5 + 1e-3, `a fee of ${fee}`);
      },
    ),
  );
});

test('a divided sale keeps the fee of its day when the operator changes the table', () => {
  const split = { kind: 'net', feePortion: 1_000, entries: [] } as const;
  const fees = readFeeTable('visa:1-99=50');
  assert.ok(typeof fees !== 'string');
  assert.deepEqual(netsOf(saleOf(1_000, 2, split), fees), [450, 450]);
  assert.deepEqual(netsOf(saleOf(1_000, 2), fees), [250, 250]);
});
