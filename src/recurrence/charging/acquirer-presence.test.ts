import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAcquirerThere } from './acquirer-presence.ts';

test('a yes or a no tells that the acquirer is there, and what was never sent tells nothing', () => {
  for (const isAway of [true, false]) {
    assert.equal(isAcquirerThere('approved', isAway), true);
    assert.equal(isAcquirerThere('declined', isAway), true);
    assert.equal(isAcquirerThere('notSent', isAway), null);
  }
});

test('a slow answer is no absence: only who is away already stays so', () => {
  assert.equal(isAcquirerThere('unknown', false), null);
  assert.equal(isAcquirerThere('unknown', true), false);
});
