import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { countingWhenRead } from '../../src/platform/work/every-so-often.ts';

const { signal } = new AbortController();

/** How long after a count the next read counts again, when a count takes so long. */
async function oldAfter(tookMilliseconds: number): Promise<number> {
  let now = 1_000_000;
  const clock = mock.method(performance, 'now', () => now);
  let read: () => Promise<void> = async () => {};
  let counts = 0;
  const work = countingWhenRead(
    'test',
    10_000,
    {
      beforeRead(before) {
        read = async () => before();
      },
    },
    async () => {
      counts += 1;
      now += tookMilliseconds;
    },
  );
  try {
    await work.runDue(signal);
    const countedAt = now;
    for (; counts === 1; now += 100) {
      const reading = read();
      await work.runDue(signal);
      await reading;
      if (counts === 1) assert.ok(now - countedAt < 60_000, 'it was never counted again');
    }
    return now - countedAt - tookMilliseconds - 100;
  } finally {
    clock.mock.restore();
  }
}

test('a count that takes no time is a second old at most, and one that takes long as old as it may be', async () => {
  assert.equal(await oldAfter(2), 1_000);
  assert.equal(await oldAfter(200), 4_000);
  assert.equal(await oldAfter(3_000), 10_000);
});
