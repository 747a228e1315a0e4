import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  declineOfCard,
  declineOfCheckedCard,
  TRIGGER_CARDS,
  triggerCardOf,
} from '../kit/cards/trigger-cards.ts';
import { FieldReader } from '../kit/field-reader.ts';
import { readVerification } from './requests.ts';
import { testCard } from './running-simulator.ts';

function named(name: string) {
  const card = TRIGGER_CARDS.find((candidate) => candidate.name === name);
  assert.ok(card, name);
  return card;
}

test('every trigger card has a number that a card may have, and one name', () => {
  assert.equal(new Set(TRIGGER_CARDS.map(({ number }) => number)).size, TRIGGER_CARDS.length);
  assert.equal(new Set(TRIGGER_CARDS.map(({ name }) => name)).size, TRIGGER_CARDS.length);
  for (const { number, brand } of TRIGGER_CARDS) {
    const fields = new FieldReader({ merchantId: 'M1', reference: 'r', card: testCard(number, brand) });
    readVerification(fields);
    assert.equal(fields.fault, null, number);
  }
});

test('the cards that everybody tests with are approved', () => {
  for (const number of [
    '4111111111111111',
    '4012001037141112',
    '5555555555554444',
    '5155901222280001',
    '376449047333005',
    '6362970000457013',
    '6062825624254001',
  ]) {
    assert.equal(triggerCardOf(number), null);
  }
});

test('a card declines its number of times with insufficient funds, and then approves', () => {
  for (const times of [1, 2, 3, 4, 5]) {
    const card = named(`visa-declines-${times}`);
    assert.deepEqual(declineOfCard(card, { approved: 0, declined: times - 1 }), {
      responseCode: '51',
      adviceCode: null,
    });
    assert.equal(declineOfCard(card, { approved: 0, declined: times }), null);
  }
});

test('a card that is canceled after its first approval answers so from the second charge on', () => {
  const card = named('mastercard-canceled-after-approval');
  assert.equal(declineOfCard(card, undefined), null);
  assert.deepEqual(declineOfCard(card, { approved: 1, declined: 0 }), {
    responseCode: '41',
    adviceCode: '03',
  });
});

test('a check finds a card without funds good, and a canceled one not', () => {
  assert.equal(declineOfCheckedCard(named('visa-declines-3'), undefined), null);
  const canceled = named('visa-canceled-after-approval');
  assert.equal(declineOfCheckedCard(canceled, { approved: 1, declined: 0 })?.responseCode, '41');
  assert.equal(declineOfCheckedCard(named('mastercard-advice-21'), undefined)?.adviceCode, '21');
});
