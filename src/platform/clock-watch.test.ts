import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockAheadSeconds } from './clock-skew.ts';
import { CLOCK_AHEAD, watchClock } from './clock-watch.ts';
import { openMetrics } from './metrics.ts';

test('a clock is ahead or behind by what no reading of it explains', () => {
  const ours = { before: 1_000_000, after: 1_000_400 };
  assert.equal(clockAheadSeconds(1_000_200, ours), 0);
  assert.equal(clockAheadSeconds(1_003_400, ours), 3);
  assert.equal(clockAheadSeconds(990_000, ours), -10);
});

test('a machine whose clock is set is told of and measured, until it is right again', async () => {
  const metrics = openMetrics();
  const read: (string | null)[] = [];
  let moved = 0;
  const note = watchClock(
    { outages: { clockRead: (difference) => void read.push(difference) }, metrics },
    () => Date.now() + moved,
  );
  const look = () => {
    const at = performance.now();
    note(Date.now(), at - 1_000, at + 1_000);
  };
  const ahead = async () => Math.round((await metrics.read(CLOCK_AHEAD.name))[0]?.value ?? Number.NaN);
  look();
  assert.equal(await ahead(), 0);
  moved = -3_600_000;
  look();
  assert.equal(await ahead(), 3_599);
  moved = 3_600_000;
  look();
  assert.equal(await ahead(), -3_599);
  moved = 10_000;
  look();
  assert.equal(await ahead(), -9);
  assert.deepEqual(read, [
    null,
    'the clock of the database is 3599 s ahead of ours',
    'the clock of the database is 3599 s behind ours',
    null,
  ]);
});
