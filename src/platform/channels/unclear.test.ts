import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behindAnswer, unusable } from './unclear.ts';

test('a silence behind an answer is a silence in part, and everything else is what it was', () => {
  const reason = 'R';
  for (const kind of ['unknown', 'notConnected'] as const) {
    assert.deepEqual(behindAnswer({ kind, reason }), { kind, reason, cause: 'partly' });
    assert.deepEqual(behindAnswer({ kind, cause: 'silent', reason }), { kind, reason, cause: 'partly' });
  }
  const others = [
    unusable(reason),
    { kind: 'unknown', cause: 'notAsked', reason },
    { kind: 'notSent', reason },
    { kind: 'captured' },
    [{ kind: 'unknown' }],
  ];
  for (const answer of others) assert.deepEqual(behindAnswer(answer), answer);
});
