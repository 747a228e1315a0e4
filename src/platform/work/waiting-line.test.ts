import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Overloaded } from '../postgres/batched-writes.ts';
import { waitingLine, waitingLines } from './waiting-line.ts';

const LIMITS = { name: 'test', atOnce: 2, waiting: 3, longestWaitMilliseconds: 60_000 };

/** Tasks that end when told, and what has begun so far. */
function tasks() {
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  const task = (number: number) => () =>
    new Promise<number>((resolve) => {
      begun.push(number);
      ends.set(number, () => resolve(number));
    });
  return { begun, task, end: (number: number) => ends.get(number)?.() };
}

test('two work, three wait in order, the sixth is refused at once', async () => {
  const { begun, task, end } = tasks();
  const line = waitingLine(LIMITS);
  const results = [1, 2, 3, 4, 5].map((number) => line(task(number)));
  await assert.rejects(line(task(6)), Overloaded);
  await turn();
  assert.deepEqual(begun, [1, 2]);
  end(2);
  await turn();
  assert.deepEqual(begun, [1, 2, 3]);
  for (const number of [1, 3, 4, 5]) {
    end(number);
    await turn();
  }
  assert.deepEqual(await Promise.all(results), [1, 2, 3, 4, 5]);
});

test('a task that fails gives its place to the next', async () => {
  const line = waitingLine({ ...LIMITS, atOnce: 1 });
  const failing = line(() => Promise.reject(new Error('no')));
  const next = line(async () => 'yes');
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'yes');
});

test('whoever waits too long is refused, and the line goes on', async () => {
  const { begun, task, end } = tasks();
  const line = waitingLine({ ...LIMITS, atOnce: 1, longestWaitMilliseconds: 1 });
  const first = line(task(1));
  await assert.rejects(line(task(2)), Overloaded);
  end(1);
  await first;
  assert.equal(await line(async () => 3), 3);
  assert.deepEqual(begun, [1]);
});

test('a busy key does not hold up another', async () => {
  const { begun, task, end } = tasks();
  const inLine = waitingLines({ ...LIMITS, atOnce: 1 });
  const results = [inLine('a', task(1)), inLine('a', task(2)), inLine('b', task(3))];
  await turn();
  assert.deepEqual(begun, [1, 3]);
  end(1);
  await turn();
  for (const number of [2, 3]) end(number);
  assert.deepEqual(await Promise.all(results), [1, 2, 3]);
});
