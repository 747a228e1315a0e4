import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restAfter } from './looks.ts';

test('hastened looks take a tenth of their connection, and slow ones half of it', () => {
  const rests = [1, 50, 200, 900, 3_000].map((took) => [took, restAfter(took)]);
  assert.deepEqual(rests, [
    [1, 99],
    [50, 500],
    [200, 800],
    [900, 900],
    [3_000, 1_000],
  ]);
});
