import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccessToken, type NewToken } from './access-token.ts';

const LONG = 60_000;

function opened() {
  const questions: { readonly timeout: number; readonly answer: (answer: NewToken) => void }[] = [];
  const clock = { now: 0 };
  const token = new AccessToken(
    (timeout) => {
      const { promise, resolve } = Promise.withResolvers<NewToken>();
      questions.push({ timeout, answer: resolve });
      return promise;
    },
    () => clock.now,
  );
  return { token, questions, clock };
}

test('a caller with little time left neither shortens the question nor waits for its end', async () => {
  const { token, questions } = opened();
  const hurried = token.get(1);
  const patient = token.get(LONG);
  assert.equal((await hurried).kind, 'away');
  assert.equal(questions.length, 1);
  assert.ok((questions[0]?.timeout ?? 0) > 1_000);
  questions[0]?.answer({ kind: 'token', token: 'A', seconds: 600 });
  assert.deepEqual(await patient, { kind: 'token', token: 'A' });
  assert.deepEqual(await token.get(1), { kind: 'token', token: 'A' });
});

test('a caller whose time is over waits for nothing, and sets no timer to the past', async (t) => {
  const { token, questions } = opened();
  const timers = t.mock.method(globalThis, 'setTimeout');
  for (const timeout of [0, -1]) assert.equal((await token.get(timeout)).kind, 'away');
  assert.deepEqual(
    timers.mock.calls.map(({ arguments: [, delay] }) => delay),
    [0, 0],
  );
  const patient = token.get(LONG);
  assert.equal(questions.length, 1);
  questions[0]?.answer({ kind: 'token', token: 'A', seconds: 600 });
  assert.deepEqual(await patient, { kind: 'token', token: 'A' });
});

test('a token whose life nobody names is used again', async () => {
  for (const seconds of [undefined, null, 0, -1, 'soon']) {
    const { token, questions } = opened();
    const first = token.get(LONG);
    questions[0]?.answer({ kind: 'token', token: 'A', seconds });
    await first;
    assert.deepEqual(await token.get(LONG), { kind: 'token', token: 'A' });
    assert.equal(questions.length, 1, String(seconds));
  }
});

test('a token is given up a good while before its life is over, counted from the question', async () => {
  const { token, questions, clock } = opened();
  const first = token.get(LONG);
  clock.now = 10_000;
  questions[0]?.answer({ kind: 'token', token: 'A', seconds: 100 });
  await first;
  clock.now = 70_000;
  assert.deepEqual(await token.get(LONG), { kind: 'token', token: 'A' });
  clock.now = 80_000;
  const next = token.get(LONG);
  assert.equal(questions.length, 2);
  questions[1]?.answer({ kind: 'token', token: 'B', seconds: 100 });
  assert.deepEqual(await next, { kind: 'token', token: 'B' });
});

test('a refusal is told to all who wait, and the next caller asks again', async () => {
  const { token, questions } = opened();
  const waiting = [token.get(LONG), token.get(LONG)];
  questions[0]?.answer({ kind: 'refused', reason: 'unknown' });
  for (const answer of await Promise.all(waiting)) assert.equal(answer.kind, 'refused');
  const next = token.get(LONG);
  questions[1]?.answer({ kind: 'token', token: 'B', seconds: 600 });
  assert.deepEqual(await next, { kind: 'token', token: 'B' });
  token.forget('A');
  assert.deepEqual(await token.get(LONG), { kind: 'token', token: 'B' });
  token.forget('B');
  void token.get(LONG);
  assert.equal(questions.length, 3);
  questions[2]?.answer({ kind: 'away', reason: 'the test ends' });
});
