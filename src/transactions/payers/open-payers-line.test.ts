import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPayersLine } from './open-payers-line.ts';

test('an address asks for sixty pages at once and for twenty a second after them, another one by itself', async () => {
  let now = 0;
  const askForPayer = openPayersLine(
    (_merchantId, ask) => ask({ query: async () => [] }),
    () => now,
  );
  const asked = async (address: string, times: number) => {
    let answered = 0;
    for (let time = 0; time < times; time += 1) {
      if ((await askForPayer(address, async () => 'shown')) === 'shown') answered += 1;
    }
    return answered;
  };
  assert.equal(await asked('203.0.113.9', 100), 60);
  assert.deepEqual(await askForPayer('203.0.113.9', async () => 'shown'), { secondsToWait: 1 });
  assert.equal(await asked('203.0.113.8', 1), 1);
  now += 1_000;
  assert.equal(await asked('203.0.113.9', 100), 20);
  now += 3_600_000;
  assert.equal(await asked('203.0.113.9', 100), 60);
});
