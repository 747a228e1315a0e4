import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { issuerCodes } from '../providers/acquirers/issuer-code.ts';
import {
  areOfOneCard,
  isEnumeration,
  isSuspicious,
  TESTED_KINDS,
  type TestedCards,
  type TestedKind,
} from './card-testing.ts';
import { CODES_OF_NO_CARD } from './velocity-events.sql.ts';

const NONE = { cards: 0, failed: 0, usualCards: 0, usualFailed: 0 };

/** Whether the tries of one kind alone stop that kind. */
const isTested = (kind: TestedKind, tested: TestedCards) =>
  isEnumeration(kind, { verification: NONE, sale: NONE, [kind]: tested });

const hour = (cards: number, failed: number, usualCards = 0, usualFailed = 0) => ({
  cards,
  failed,
  usualCards,
  usualFailed,
});

test('many different cards, most of them declined, are an attack, also where a quarter or more are good', () => {
  assert.ok(isTested('sale', hour(40, 40)));
  assert.ok(isTested('sale', hour(54, 40)));
  assert.ok(isTested('sale', hour(80, 40)));
  assert.ok(isTested('verification', hour(27, 20)));
});

test('an attack among the sales of a shop is measured by what is usual there', () => {
  assert.ok(isTested('sale', hour(500, 150, 800, 100)));
  assert.ok(!isTested('sale', hour(500, 150, 800, 200)), 'a quarter is usual there');
  assert.ok(isTested('sale', hour(500, 300, 800, 700)), 'what went on for hours is usual no more');
});

test('the kind that is tested is stopped, and the other only by what would stop sales', () => {
  const twenty = { verification: hour(20, 20), sale: NONE };
  assert.ok(isEnumeration('verification', twenty));
  assert.ok(!isEnumeration('sale', twenty), 'twenty bad verifications close no shop');
  assert.ok(isEnumeration('sale', { verification: hour(40, 40), sale: NONE }));
  assert.ok(isEnumeration('verification', { verification: NONE, sale: hour(40, 40) }));
  assert.ok(!isEnumeration('verification', { verification: NONE, sale: hour(39, 39) }));
});

test('few cards and ordinary declines are none', () => {
  assert.ok(!isTested('sale', hour(39, 39)), 'too few to tell');
  assert.ok(!isTested('verification', hour(19, 19)));
  assert.ok(!isTested('sale', hour(500, 200)), 'a new shop where four in ten fail');
  assert.ok(!isTested('sale', hour(1_000, 290, 1_000, 120)), 'a bad hour');
});

test('more declined cards never end an attack, and whatever is one was suspicious before its cards were looked at', () => {
  const count = fc.nat(500);
  const kinds = fc.constantFrom(...TESTED_KINDS);
  fc.assert(
    fc.property(kinds, count, count, count, count, (kind, good, failed, usualGood, usualFailed) => {
      const usual = [usualGood + usualFailed, usualFailed] as const;
      if (!isTested(kind, hour(good + failed, failed, ...usual))) return;
      assert.ok(isSuspicious({ declines: failed }));
      assert.ok(isTested(kind, hour(good + failed + 1, failed + 1, ...usual)));
    }),
  );
});

test('a card of too many tries is distinguished from a buyer of too many cards', () => {
  assert.ok(areOfOneCard(['document/day/cards', 'card/hour/attempts']));
  assert.ok(!areOfOneCard(['document/day/cards', 'merchant/hour/enumeration']));
});

test('the codes that do not tell of the card are those of the issuer-code table', () => {
  const found = issuerCodes()
    .filter(({ declineClass }) => declineClass === 'technical' || declineClass === 'invalid')
    .map(({ brand, code }) => `'${brand} ${code}'`);
  assert.deepEqual(
    CODES_OF_NO_CARD.split(',')
      .map((text) => text.trim())
      .sort(),
    found.sort(),
  );
});
