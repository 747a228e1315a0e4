import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roomOf } from './disk-space.ts';

test('a disk is full below 100 MB, a small one below its tenth: the 16 MiB of a container are no full disk', () => {
  const lacks = (free: number, size: number) => roomOf(free, size).lack;
  assert.deepEqual(
    [99e6, 101e6, 999e6, 1e9].map((free) => lacks(free, 1e12)),
    ['full', 'low', 'low', null],
  );
  assert.deepEqual(
    [1e6, 3e6, 16e6].map((free) => lacks(free, 16 * 2 ** 20)),
    ['full', 'low', null],
  );
});
