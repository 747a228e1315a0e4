import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWatchGivenUp, isWatchOver, secondsUntilNextLook } from './watch.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('a charge is looked for often at first, and every half hour in the end', () => {
  const ages = [0, 1, 2 * MINUTE, 10 * MINUTE, HOUR, 2 * HOUR, 20 * HOUR].map((age) => age - 24 * HOUR);
  assert.deepEqual(ages.map(secondsUntilNextLook), [30, 30, 30, 150, 900, 1_800, 1_800]);
});

test('it is watched for a day, and given up a week later', () => {
  assert.deepEqual([-1, 0].map(isWatchOver), [false, true]);
  assert.deepEqual([168 * HOUR - 1, 168 * HOUR].map(isWatchGivenUp), [false, true]);
});
