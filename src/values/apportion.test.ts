import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apportion, portionHalfEven } from './apportion.ts';
import { cents } from './cents.ts';

const sumOf = (parts: readonly number[]) => parts.reduce((sum, part) => sum + BigInt(part), 0n);

test('cents that do not divide go to the largest fractions, the earlier of equal ones', () => {
  assert.deepEqual(apportion(cents(100), [1, 1, 1]), [34, 33, 33]);
  assert.deepEqual(apportion(cents(5), [3_334, 3_333, 3_333]), [2, 2, 1]);
  assert.deepEqual(apportion(cents(1), [10, 90]), [0, 1]);
  assert.deepEqual(apportion(cents(7), [0, 5]), [0, 7]);
  assert.throws(() => apportion(cents(7), [0, 0]), RangeError);
});

test('the parts add up to the total, and each is within a cent of its exact share', () => {
  const weights = fc
    .array(fc.integer({ min: 0, max: 10_000_000_000 }), { minLength: 1, maxLength: 30 })
    .filter((list) => list.some((weight) => weight > 0));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9_999_999_999 }), weights, (total, list) => {
      const parts = apportion(cents(total), list);
      assert.equal(sumOf(parts), BigInt(total));
      for (const [index, part] of parts.entries()) {
        const exact = BigInt(total) * BigInt(list[index] as number);
        const distance = BigInt(part) * sumOf(list) - exact;
        assert.ok(distance < sumOf(list) && distance > -sumOf(list));
      }
    }),
  );
});

test('half a cent is rounded to the even one', () => {
  assert.equal(portionHalfEven(cents(50), 100), 0);
  assert.equal(portionHalfEven(cents(150), 100), 2);
  assert.equal(portionHalfEven(cents(250), 100), 2);
  assert.equal(portionHalfEven(cents(251), 100), 3);
  assert.equal(portionHalfEven(cents(9_999_999_999), 10_000), 9_999_999_999);
});
