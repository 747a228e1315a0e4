import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataKeyNumber, mayBeOfCell } from './data-key-number.ts';

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

test('a database of a cell is known by its newest key, and one that made its keys without a cell is not', () => {
  const ofCell = dataKeyNumber('a1', 3);
  assert.deepEqual(
    [mayBeOfCell(ofCell, 'a1'), mayBeOfCell(ofCell, null), mayBeOfCell(ofCell, 'a2')],
    [true, false, false],
  );
  assert.deepEqual([mayBeOfCell(3, null), mayBeOfCell(3, 'a1')], [true, true]);
});
