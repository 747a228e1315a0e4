import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownOf } from './pages.ts';

test('a page ends where it is full, and says where the next begins only when others follow', () => {
  assert.deepEqual(shownOf(['a', 'b', 'c'], 2), { shown: ['a', 'b'], lastBeforeOthers: 'b' });
  assert.deepEqual(shownOf(['a', 'b'], 2), { shown: ['a', 'b'], lastBeforeOthers: null });
  assert.deepEqual(shownOf([], 2), { shown: [], lastBeforeOthers: null });
});
