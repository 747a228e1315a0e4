import assert from 'node:assert/strict';
import { test } from 'node:test';
import { READ_TYPES } from './pools.ts';

const INT8_ARRAY = 1016;

test('an array of whole numbers may have nulls in it', () => {
  const read = READ_TYPES.getTypeParser(INT8_ARRAY as number, 'text');
  assert.deepEqual(read('{}'), []);
  assert.deepEqual(read('{NULL,5,-7}'), [null, 5, -7]);
  assert.throws(() => read('{9007199254740993}'), RangeError);
});
