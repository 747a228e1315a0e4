import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Answer, Call } from './endpoint.ts';
import { serve } from './endpoint.ts';
import { HEALTH_ENDPOINTS, sharedLook, type UnreadyReason } from './health.ts';

function ask(path: string, isReady: () => Promise<boolean>, whyNot: UnreadyReason | null = null) {
  const served = serve(HEALTH_ENDPOINTS, { isReady: sharedLook(isReady), whyNot: () => whyNot });
  const found = served.find(({ contract }) => contract.path === path);
  assert.ok(found);
  return () => found.serve({} as Call<unknown, unknown, unknown>) as Promise<Answer>;
}

test('a process is alive whatever its database does', async () => {
  const live = ask('/health/live', () => Promise.reject(new Error('away')));
  assert.deepEqual(await live(), { status: 200, body: { status: 'ok' } });
});

test('a process is ready while its database answers', async () => {
  const ready = ask('/health/ready', async () => true);
  assert.deepEqual(await ready(), { status: 200, body: { status: 'ok' } });
});

test('a process is not ready when its database says no or breaks', async () => {
  for (const isReady of [async () => false, () => Promise.reject(new Error('away'))]) {
    const { status, body } = await ask('/health/ready', isReady)();
    assert.deepEqual([status, body], [503, { status: 'unavailable', reason: 'databaseAway' }]);
  }
});

test('a process that may not act is not ready, and says why', async () => {
  const { status, body } = await ask('/health/ready', async () => true, 'unwritable')();
  assert.deepEqual([status, body], [503, { status: 'unavailable', reason: 'unwritable' }]);
});

test('a process that is to stop is alive, and not ready though its database answers', async () => {
  assert.equal((await ask('/health/live', async () => true, 'stopping')()).status, 200);
  const { status, body, headers } = await ask('/health/ready', async () => true, 'stopping')();
  assert.deepEqual([status, body], [503, { status: 'unavailable', reason: 'stopping' }]);
  assert.ok(headers?.['retry-after']);
});

test('a database that is silent for two seconds is away', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const asked = ask('/health/ready', () => new Promise(() => {}))();
    mock.timers.tick(1_999);
    assert.equal(await Promise.race([asked.then(() => 'answered'), turn('waiting')]), 'waiting');
    mock.timers.tick(1);
    assert.equal((await asked).status, 503);
  } finally {
    mock.timers.reset();
  }
});

test('many who ask at once look at the database once, and the next looks again', async () => {
  let looks = 0;
  const ready = ask('/health/ready', async () => {
    looks += 1;
    await turn();
    return true;
  });
  await Promise.all(Array.from({ length: 100 }, ready));
  assert.equal(looks, 1);
  await ready();
  assert.equal(looks, 2);
});
