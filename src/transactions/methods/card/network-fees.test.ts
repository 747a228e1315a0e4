import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../../values/cents.ts';
import { addFees, FEES_BEYOND_LIMIT, feeOfRetry, NETWORK_LIMITS } from './network-limits.ts';

const feeOf = (...decline: Parameters<typeof feeOfRetry>) => {
  const { reais, dollars } = feeOfRetry(...decline);
  return [reais, dollars];
};

test('what a network never wants again costs from the next try on', () => {
  assert.deepEqual(feeOf('visa', '41', null), [0, 10]);
  assert.deepEqual(feeOf('mastercard', '51', '03'), [250, 0]);
  assert.deepEqual(feeOf('mastercard', '05', '21'), [250, 0]);
});

test('another try within the limits costs nothing', () => {
  assert.deepEqual(feeOf('visa', '51', null), [0, 0]);
  assert.deepEqual(feeOf('mastercard', '41', null), [0, 0]);
  assert.deepEqual(feeOf('mastercard', '51', '24'), [0, 0]);
  assert.deepEqual(feeOf('elo', '41', null), [0, 0]);
  assert.deepEqual(feeOf('elo', '51', '03'), [0, 0], 'advice is of Mastercard alone');
});

test('a network has a fee beyond its limit where it has a limit, and only there', () => {
  for (const [brand, { limits }] of Object.entries(NETWORK_LIMITS))
    assert.equal(FEES_BEYOND_LIMIT[brand as 'visa'] !== null, limits.length > 0, brand);
});

test('fees are added by their currency', () => {
  const dollars = addFees({ reais: cents(1), dollars: cents(2) }, feeOfRetry('visa', '41', null), 3);
  assert.deepEqual({ ...dollars }, { reais: 1, dollars: 32 });
  assert.deepEqual(
    { ...addFees(dollars, feeOfRetry('mastercard', '51', '03'), 2) },
    { reais: 501, dollars: 32 },
  );
});
