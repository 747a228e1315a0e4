import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOneHand } from './hands.ts';

test('two whom the same user let in may be one person, and so may those of whom nothing is known', () => {
  const [ana, bia, caio, dora] = [['ana'], ['bia', 'ana'], ['caio', 'ana'], ['dora']].map(
    (one) => new Set(one),
  );
  assert.equal(isOneHand(ana, bia), true);
  assert.equal(isOneHand(bia, ana), true);
  assert.equal(isOneHand(bia, caio), true);
  assert.equal(isOneHand(ana, dora), false);
  assert.equal(isOneHand(ana, undefined), true);
});
