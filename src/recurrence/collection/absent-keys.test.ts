import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAbsentKeys, secondsUntilKeyIsSought } from './open-collector.ts';

test('what waits for a key is looked at again soon, then ever more seldom, at least every hour', () => {
  const waits = [0, 60, 600, 7_200, 1_000_000].map(secondsUntilKeyIsSought);
  assert.deepEqual(waits, [30, 30, 300, 3_600, 3_600]);
});

test('the operator is notified of a missing key once a minute, however many billings wait for it', () => {
  const keys = openAbsentKeys();
  const logged = [0, 1, 59, 60, 61].map((second) => keys.note(7, second).isToBeLogged);
  assert.deepEqual(logged, [true, false, false, true, false]);
  assert.equal(keys.note(8, 61).isToBeLogged, true, 'another key');
});

test('a key that was there again for hours is missed anew', () => {
  const keys = openAbsentKeys();
  keys.note(7, 0);
  assert.equal(keys.note(7, 1_000).waitSeconds, 500);
  assert.equal(keys.note(7, 20_000).waitSeconds, 30);
});
