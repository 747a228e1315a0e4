import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptRead } from './prepared-reads.ts';

test('many callers share a read, and the next ones what it gave', async () => {
  let reads = 0;
  const read = keptRead(600_000, async () => {
    reads += 1;
    return reads;
  });
  assert.deepEqual(await Promise.all([read(), read()]), [1, 1]);
  assert.equal(await read(), 1);
});

test('what is too old is read again, and what failed is not kept', async () => {
  let reads = 0;
  const read = keptRead(0, async () => {
    reads += 1;
    if (reads === 2) throw new Error('away');
    return reads;
  });
  assert.equal(await read(), 1);
  await assert.rejects(read(), /away/);
  assert.equal(await read(), 3);
});
