import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fateAfter, type Posted, tryOf, unsentTry } from './delivery-outcome.ts';

const answered = (status: number, retryAfterMilliseconds: number | null = null): Posted => ({
  kind: 'answered',
  status,
  answer: '',
  retryAfterMilliseconds,
  milliseconds: 1,
});
const FAILED: Posted = { kind: 'failed', failure: 'timeout', milliseconds: 15_000 };
const FIRST = { kind: 'movement', tries: 0, triesBefore: 0, isAhead: false } as const;

test('only 2xx is a success; 429, 5xx and no answer say that the target fails, everything else that it refuses', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 999 }), (status) => {
      const { response, failure } = tryOf(answered(status));
      const isTaken = status >= 200 && status <= 299;
      assert.equal(response === 'taken', isTaken);
      assert.equal(failure === null, isTaken);
      assert.equal(response === 'failed', status === 429 || status >= 500);
      assert.equal(response === 'gone', status === 410);
    }),
  );
  assert.equal(tryOf(FAILED).response, 'failed');
  assert.equal(tryOf(answered(302)).failure, 'redirect');
});

test('whatever fails waits for its next try, twelve times, and what was sent again by hand begins anew', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 11 }), fc.integer({ min: 0, max: 1_000 }), (made, before) => {
      for (const posted of [FAILED, answered(400), answered(410), answered(500)]) {
        const fate = fateAfter({ ...FIRST, tries: before + made, triesBefore: before }, tryOf(posted), 0);
        assert.equal(fate.state, made === 11 ? 'givenUp' : 'waiting');
        assert.equal(fate.pauseMilliseconds === null, made === 11);
        assert.equal(fate.isCounted, true);
      }
    }),
  );
});

test('a try ahead of its time counts unless the target fails', () => {
  const ahead = { ...FIRST, isAhead: true };
  const untouched = { state: 'waiting', pauseMilliseconds: null, isCounted: false };
  assert.deepEqual(fateAfter(ahead, tryOf(FAILED), 0), untouched);
  assert.deepEqual(fateAfter(ahead, tryOf(answered(503, 5_000)), 0), untouched);
  assert.equal(fateAfter(ahead, tryOf(answered(204)), 0).state, 'delivered');
  assert.equal(fateAfter(ahead, tryOf(answered(400)), 0).isCounted, true);
});

test('a test is tried once, and what our own keys do not open is tried again', () => {
  assert.equal(fateAfter({ ...FIRST, kind: 'test' }, tryOf(FAILED), 0).state, 'givenUp');
  assert.equal(fateAfter(FIRST, unsentTry('secretNotOpened'), 0).state, 'waiting');
});

test('what this process could not even send is no try, and says nothing of its target', () => {
  const made = tryOf({ kind: 'failed', failure: 'notSent', milliseconds: 1 });
  assert.equal(made.response, 'unsent');
  const tried = { kind: 'movement', tries: 11, triesBefore: 0, isAhead: false } as const;
  assert.deepEqual(fateAfter(tried, made, 0), {
    state: 'waiting',
    pauseMilliseconds: 1_000,
    isCounted: false,
  });
});
