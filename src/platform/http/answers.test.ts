import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../log.ts';
import { serveOrCut } from './answers.ts';
import { type Answer, type Call, CUT_CONNECTION, type ServedEndpoint } from './endpoint.ts';

const PAST = { deadlineAt: performance.now() - 1_000 } as Call<unknown, unknown, unknown>;

test('a stream that comes behind its deadline is closed, so that its place is free', async () => {
  const answering = Promise.withResolvers<Answer>();
  const served = { contract: { method: 'GET' }, serve: () => answering.promise } as unknown as ServedEndpoint;
  assert.equal(await serveOrCut({} as Log, served, PAST), CUT_CONNECTION);
  const closed = Promise.withResolvers<void>();
  const { signal } = new AbortController();
  async function* pieces() {}
  answering.resolve({
    status: 200,
    stream: { type: 'text/csv', pieces: pieces(), signal, close: closed.resolve },
  });
  await closed.promise;
});
