import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataKeyNumber } from './data-key-number.ts';

const LARGEST_INTEGER = 2 ** 31 - 1;

test('numbers of two cells never meet, nor those of an installation that has none', () => {
  assert.equal(dataKeyNumber(null, 7), 7);
  assert.equal(dataKeyNumber('aa', 7), 2_000_007);
  assert.ok(dataKeyNumber('aa', 1_999_999) < dataKeyNumber('ab', 1));
  assert.ok(dataKeyNumber(null, 1_999_999) < dataKeyNumber('aa', 1));
  assert.throws(() => dataKeyNumber('aa', 2_000_000), /all the data keys/);
});

test('the last number of the last cell fits into the column', () => {
  assert.ok(dataKeyNumber('z9', 1_999_999) <= LARGEST_INTEGER);
});
