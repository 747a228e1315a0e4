import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handsOf, isOneHand } from './second-person.ts';

test('two whom the same user let in may be one person, and so may those who are followed to no end', () => {
  const [ana, bia, caio, dora] = [['ana'], ['bia', 'ana'], ['caio', 'ana'], ['dora']].map(
    (one) => new Set(one),
  );
  assert.equal(isOneHand(ana, bia), true);
  assert.equal(isOneHand(bia, ana), true);
  assert.equal(isOneHand(bia, caio), true);
  assert.equal(isOneHand(ana, dora), false);
  assert.equal(isOneHand(ana, undefined), true);
});

test('a user is the same in whichever hand', () => {
  const hands = handsOf([
    { ofUser: 'caio', userId: 'caio' },
    { ofUser: 'caio', userId: 'bia' },
    { ofUser: 'dora', userId: 'dora' },
    { ofUser: 'caio', userId: 'bia' },
  ]);
  assert.deepEqual(
    hands,
    new Map([
      ['caio', new Set(['caio', 'bia'])],
      ['dora', new Set(['dora'])],
    ]),
  );
});
