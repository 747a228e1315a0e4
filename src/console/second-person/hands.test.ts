import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handsOf, isOneHand } from './hands.ts';

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

test('a user is the same in whichever hand, and of whom somebody unknown let in nothing is known', () => {
  const hands = handsOf([
    { ofUser: 'caio', userId: 'caio' },
    { ofUser: 'caio', userId: 'bia' },
    { ofUser: 'dora', userId: 'dora' },
    { ofUser: 'eva', userId: 'eva' },
    { ofUser: 'eva', userId: null },
  ]);
  assert.deepEqual(
    hands,
    new Map([
      ['caio', new Set(['caio', 'bia'])],
      ['dora', new Set(['dora'])],
    ]),
  );
  assert.equal(isOneHand(hands.get('dora'), hands.get('eva')), true);
});
