import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { areOfOneCard, isEnumeration, isSuspicious } from './card-testing.ts';

const hour = (attempts: number, declines: number, cards: number) => ({ attempts, declines, cards });

test('many different cards, nearly all declined, are an attack', () => {
  assert.ok(isEnumeration(hour(60, 60, 60)));
  assert.ok(isEnumeration(hour(500, 450, 480)));
  assert.ok(isEnumeration(hour(80, 60, 30)));
});

test('few tries, ordinary declines and few cards are none', () => {
  assert.ok(!isEnumeration(hour(59, 59, 59)), 'too few to tell');
  assert.ok(!isEnumeration(hour(500, 150, 480)), 'three declines in ten');
  assert.ok(!isEnumeration(hour(81, 60, 81)), 'a share below three quarters');
  assert.ok(!isEnumeration(hour(200, 190, 29)), 'a few cards again and again');
});

test('more declines never end an attack, and whatever is one was suspicious before its cards were counted', () => {
  const count = fc.nat(500);
  fc.assert(
    fc.property(count, count, count, (approved, declines, cards) => {
      const now = hour(approved + declines, declines, cards);
      const later = hour(now.attempts + 1, declines + 1, cards + 1);
      if (!isEnumeration(now)) return;
      assert.ok(isSuspicious(now));
      assert.ok(isEnumeration(later));
    }),
  );
});

test('a card of too many tries is distinguished from a buyer of too many cards', () => {
  assert.ok(areOfOneCard(['document/day/cards', 'card/hour/attempts']));
  assert.ok(!areOfOneCard(['document/day/cards', 'merchant/hour/enumeration']));
});
