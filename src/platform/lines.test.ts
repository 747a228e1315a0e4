import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf } from './lines.ts';

test('lines stand in their order, without those that are not there', () => {
  assert.deepEqual(linesOf(['a', false, ['', ['b'], false], [], 'c']), ['a', '', 'b', 'c']);
});
