import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Answer, Call } from './endpoint.ts';
import { serve } from './endpoint.ts';
import { HEALTH_ENDPOINTS, sharedLook, type UnreadyReason } from './health.ts';

const there = async () => {};

function ask(
  path: string,
  question: () => Promise<void>,
  { whyNot = null, answered = 0 }: { whyNot?: UnreadyReason | null; answered?: number } = {},
) {
  const look = sharedLook(question, () => performance.now() - answered);
  const served = serve(HEALTH_ENDPOINTS, { look, whyNot: () => whyNot });
  const found = served.find(({ contract }) => contract.path === path);
  assert.ok(found);
  return () => found.serve({} as Call<unknown, unknown, unknown>) as Promise<Answer>;
}

test('a process is alive whatever its database does', async () => {
  const live = ask('/health/live', () => Promise.reject(new Error('away')));
  assert.deepEqual(await live(), { status: 200, body: { status: 'ok' } });
});

test('a process is ready while its database answers', async () => {
  const ready = ask('/health/ready', there);
  assert.deepEqual(await ready(), { status: 200, body: { status: 'ok' } });
});

test('a process is not ready when its database refuses, however lately it answered', async () => {
  const refused = () => Promise.reject(new Error('connect ECONNREFUSED 127.0.0.1:5432'));
  const { status, body } = await ask('/health/ready', refused)();
  assert.deepEqual([status, body], [503, { status: 'unavailable', reason: 'databaseAway' }]);
});

test('a process that may not act is not ready, and says why', async () => {
  const { status, body } = await ask('/health/ready', there, { whyNot: 'unwritable' })();
  assert.deepEqual([status, body], [503, { status: 'unavailable', reason: 'unwritable' }]);
});

test('a process that is to stop is alive, and not ready though its database answers', async () => {
  assert.equal((await ask('/health/live', there, { whyNot: 'stopping' })()).status, 200);
  const { status, body, headers } = await ask('/health/ready', there, { whyNot: 'stopping' })();
  assert.deepEqual([status, body], [503, { status: 'unavailable', reason: 'stopping' }]);
  assert.ok(headers?.['retry-after']);
});

const LONG_AGO = 60_000;
const SLOW = { status: 'degraded', reason: 'databaseSlow' };
const silent = () => new Promise<void>(() => {});

/** The answer when the database takes more than two seconds. */
async function askLate(question: () => Promise<void>, answered: number): Promise<Answer> {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const asked = ask('/health/ready', question, { answered })();
    mock.timers.tick(1_999);
    assert.equal(await Promise.race([asked.then(() => 'answered'), turn('waiting')]), 'waiting');
    mock.timers.tick(1);
    return await asked;
  } finally {
    mock.timers.reset();
  }
}

test('a database that is silent for two seconds is away, if it answered nothing else for long', async () => {
  const { status, body } = await askLate(silent, LONG_AGO);
  assert.deepEqual([status, body], [503, { status: 'unavailable', reason: 'databaseAway' }]);
});

test('a database that takes its time and answers others is slow: requests may be sent', async () => {
  const { status, body } = await askLate(silent, 5_000);
  assert.deepEqual([status, body], [200, SLOW]);
});

test('a question that ends without an answer for lack of time says what the other answers say', async () => {
  const full = () => Promise.reject(new Error('timeout exceeded when trying to connect'));
  assert.deepEqual((await ask('/health/ready', full)()).body, SLOW);
  assert.equal((await ask('/health/ready', full, { answered: LONG_AGO })()).status, 503);
});

test('a slow database is asked one question at a time', async () => {
  let questions = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const ready = ask('/health/ready', () => {
    questions += 1;
    return promise;
  });
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    for (let looks = 0; looks < 3; looks += 1) {
      const asked = ready();
      mock.timers.tick(2_000);
      assert.deepEqual((await asked).body, SLOW);
    }
  } finally {
    mock.timers.reset();
  }
  assert.equal(questions, 1);
  resolve();
  await turn();
  assert.deepEqual((await ready()).body, { status: 'ok' });
  assert.equal(questions, 2);
});

test('many who ask at once look at the database once, and the next looks again', async () => {
  let looks = 0;
  const ready = ask('/health/ready', async () => {
    looks += 1;
    await turn();
  });
  await Promise.all(Array.from({ length: 100 }, ready));
  assert.equal(looks, 1);
  await ready();
  assert.equal(looks, 2);
});
