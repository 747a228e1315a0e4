import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingNumbers, rangesText } from './lost-change.ts';

test('numbers are missing behind the head and between others, whatever their order and however often they come', () => {
  assert.equal(rangesText(missingNumbers(9, [12, 11, 12, 14, 18])), '10, 13, 15-17');
  assert.deepEqual(missingNumbers(9, [10, 11]), []);
  assert.deepEqual(missingNumbers(9, []), []);
});
