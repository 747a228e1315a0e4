import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Cents, cents, MAX_PAYMENT_CENTS, reaisText, splitIntoInstallments } from './cents.ts';

const amount = fc.maxSafeNat().map(cents);

test('an amount is whole cents, never negative, never too large to be exact', () => {
  assert.equal(cents(0), 0);
  assert.equal(cents(9_999_999_999), MAX_PAYMENT_CENTS);
  assert.ok(Object.is(cents(-0), 0));
  for (const value of [-1, 0.5, 1e300, 2 ** 53, Number.NaN, Infinity])
    assert.throws(() => cents(value), RangeError);
});

test('what does not divide evenly is paid with the first installment', () => {
  assert.deepEqual(splitIntoInstallments(cents(10_000), 3), [3_334, 3_333, 3_333]);
  assert.deepEqual(splitIntoInstallments(cents(10_000), 4), [2_500, 2_500, 2_500, 2_500]);
  assert.deepEqual(splitIntoInstallments(cents(1_099), 12), [98, 91, 91, 91, 91, 91, 91, 91, 91, 91, 91, 91]);
  assert.deepEqual(splitIntoInstallments(cents(1), 1), [1]);
  assert.deepEqual(splitIntoInstallments(cents(2), 3), [2, 0, 0]);
});

test('the installments add up to the sale, to the cent', () => {
  fc.assert(
    fc.property(amount, fc.integer({ min: 1, max: 99 }), (total, count) => {
      const parts = splitIntoInstallments(total, count);
      assert.equal(parts.length, count);
      assert.equal(
        parts.reduce((sum, part) => sum + BigInt(part), 0n),
        BigInt(total),
      );
      const [first = 0, ...others] = parts;
      for (const other of others) assert.equal(BigInt(other), BigInt(total) / BigInt(count));
      assert.ok(count === 1 || first - (others[0] ?? 0) < count);
    }),
  );
});

test('a sale has between 1 and 99 installments', () => {
  for (const count of [0, -1, 1.5, 100, Number.NaN]) {
    assert.throws(() => splitIntoInstallments(cents(100), count), RangeError);
  }
});

test('reais are written with a point and two decimals', () => {
  assert.equal(reaisText(cents(123_456)), '1234.56');
  assert.equal(reaisText(cents(0)), '0.00');
  assert.equal(reaisText(cents(5)), '0.05');
  assert.equal(reaisText(cents(100)), '1.00');
  assert.equal(reaisText(-5 as Cents), '-0.05');
  assert.equal(reaisText(-12_345 as Cents), '-123.45');
  assert.equal(reaisText(cents(Number.MAX_SAFE_INTEGER)), '90071992547409.91');
});

test('reais are the same digits as the cents', () => {
  fc.assert(fc.property(amount, (value) => assert.equal(Number(reaisText(value).replace('.', '')), value)));
});
