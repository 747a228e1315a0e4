import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateLimit } from './rate-limit.ts';

test('two seconds worth may come at once, then a wait is reported', () => {
  const limit = rateLimit(5);
  for (let request = 0; request < 10; request += 1) assert.equal(limit.secondsToWait('a', 0), 0);
  assert.equal(limit.secondsToWait('a', 0), 1);
});

test('over time only the steady rate passes', () => {
  const limit = rateLimit(5);
  let passed = 0;
  for (let now = 0; now < 60_000; now += 10) if (limit.secondsToWait('a', now) === 0) passed += 1;
  assert.ok(passed >= 305 && passed <= 310, String(passed));
});

test('who was refused passes after the seconds that were reported', () => {
  const limit = rateLimit(0.25);
  assert.equal(limit.secondsToWait('a', 0), 0);
  const seconds = limit.secondsToWait('a', 0);
  assert.equal(seconds, 4);
  assert.equal(limit.secondsToWait('a', seconds * 1_000), 0);
});

test('refusals cost nothing: who keeps trying is not kept out', () => {
  const limit = rateLimit(1);
  for (let request = 0; request < 100; request += 1) limit.secondsToWait('a', 0);
  assert.equal(limit.secondsToWait('a', 1_000), 0);
});

test('one caller does not use up the rate of another', () => {
  const limit = rateLimit(1);
  for (let request = 0; request < 10; request += 1) limit.secondsToWait('a', 0);
  assert.equal(limit.secondsToWait('b', 0), 0);
});

test('callers without number do not fill the memory', () => {
  const limit = rateLimit(1);
  for (let caller = 0; caller < 120_000; caller += 1) limit.secondsToWait(String(caller), 0);
  assert.equal(limit.secondsToWait('a', 0), 0);
});

test('a slow limit can let the whole of a minute come at once', () => {
  const limit = rateLimit(10 / 60, 60);
  for (let request = 0; request < 10; request += 1) assert.equal(limit.secondsToWait('a', 0), 0);
  assert.equal(limit.secondsToWait('a', 0), 6);
  assert.equal(limit.secondsToWait('a', 6_000), 0);
});

test('one that was taken and not used may be taken again, and none that was not', () => {
  const limit = rateLimit(1, 1);
  for (const caller of ['a', 'b']) limit.giveBack(caller);
  assert.deepEqual([limit.secondsToWait('a', 0), limit.secondsToWait('a', 0)], [0, 1]);
  for (let once = 0; once < 2; once += 1) limit.giveBack('a');
  assert.deepEqual([limit.secondsToWait('a', 0), limit.secondsToWait('a', 0)], [0, 1]);
});
