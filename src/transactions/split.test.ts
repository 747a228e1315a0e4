import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Cents, cents, splitIntoInstallments } from '../values/cents.ts';
import { beneficiaryShares, type Split, sharesByInstallment } from './split.ts';

const of = (kind: Split['kind'], ...portions: number[]): Split => ({
  kind,
  entries: portions.map((portion, index) => ({ beneficiary: String(index), portion })),
});
const sumOf = (parts: readonly Cents[]) => parts.reduce((sum, part) => sum + part, 0);

test('a share is rounded once, on the total', () => {
  assert.deepEqual(beneficiaryShares(cents(10_000), of('gross', 3_333, 2_000), 0), [3_333, 2_000]);
  assert.deepEqual(beneficiaryShares(cents(1), of('gross', 5_000, 5_000), 0), [1, 0]);
  assert.deepEqual(beneficiaryShares(cents(999), of('gross', 10_000), 0), [999]);
  assert.deepEqual(beneficiaryShares(cents(999), of('gross', 0), 0), [0]);
});

test('liquido divides what the fee leaves, and the merchant bears the fee', () => {
  assert.deepEqual(beneficiaryShares(cents(10_000), of('net', 5_000), 300), [4_850]);
  assert.deepEqual(beneficiaryShares(cents(10_000), of('net', 10_000), 300), [9_700]);
  assert.deepEqual(beneficiaryShares(cents(10_000), of('gross', 5_000), 300), [5_000]);
});

test('portions of more than the whole are a bug of the caller', () => {
  assert.throws(() => beneficiaryShares(cents(100), of('gross', 6_000, 5_000), 0), RangeError);
});

test('the installments of a share follow the installments of the sale', () => {
  assert.deepEqual(sharesByInstallment([cents(3_000)], [cents(3_334), cents(3_333), cents(3_333)]), [
    [1_000],
    [1_000],
    [1_000],
  ]);
  // Everything is the beneficiary's: nothing is ever left for, or taken from, the merchant.
  assert.deepEqual(sharesByInstallment([cents(1), cents(1)], [cents(1), cents(1)]), [
    [1, 0],
    [0, 1],
  ]);
});

test('over all installments everybody has the share to the cent, and no installment gives more than it has', () => {
  const portions = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 12 });
  const amounts = fc.oneof(fc.integer({ min: 99, max: 400 }), fc.integer({ min: 99, max: 9_999_999_999 }));
  const counts = fc.integer({ min: 1, max: 99 });
  const fees = fc.integer({ min: 0, max: 2_000 });
  fc.assert(
    fc.property(amounts, counts, portions, fees, fc.boolean(), (amount, count, wanted, fee, isNet) => {
      let left = 10_000;
      const fitting = wanted.map((portion) => {
        const part = Math.min(portion, left);
        left -= part;
        return part;
      });
      const shares = beneficiaryShares(cents(amount), of(isNet ? 'net' : 'gross', ...fitting), fee);
      const installments = splitIntoInstallments(cents(amount), count);
      const spread = sharesByInstallment(shares, installments);
      for (const [index, share] of shares.entries()) {
        assert.equal(sumOf(spread.map((parts) => parts[index] as Cents)), share);
      }
      for (const [index, parts] of spread.entries()) {
        assert.ok(sumOf(parts) <= (installments[index] as number));
        assert.ok(parts.every((part) => part >= 0));
      }
    }),
    { numRuns: 2_000 },
  );
});
