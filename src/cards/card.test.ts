import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_NETWORK_REFERENCE } from '../providers/acquirers/network-reference.ts';
import { instant } from '../values/instant.ts';
import {
  cardRefusals,
  fieldsInConflict,
  initiatorOf,
  isCardExpired,
  type NamedCard,
  sourceUsedRefusal,
} from './card.ts';

const NOTHING: NamedCard = {
  numberToken: null,
  encryptedCard: null,
  vaultId: null,
  holderName: null,
  securityCode: null,
  brand: null,
  expirationMonth: null,
  expirationYear: null,
};
const NUMBER = '5155901222280001';
const whole = {
  ...NOTHING,
  brand: 'mastercard',
  holderName: 'ANA SOUZA',
  expirationMonth: '11',
  expirationYear: '26',
} as const;
const now = instant(Date.parse('2026-11-21T13:00:00.000Z'));

test('whoever pays by a token or an encrypted card is the holder', () => {
  assert.equal(initiatorOf(null, { securityCode: null, isAuthenticated: false }), 'cardholder');
  assert.equal(initiatorOf(null, { securityCode: '123', isAuthenticated: false }), 'cardholder');
});

test("the first use of a stored card is its holder's, a later one the merchant's unless a security code comes along", () => {
  const first = { vaultId: 'v', isFirst: true, networkReference: NO_NETWORK_REFERENCE };
  const later = { vaultId: 'v', isFirst: false, networkReference: { transactionId: '300', linkId: null } };
  assert.equal(initiatorOf(first, { securityCode: null, isAuthenticated: false }), 'cardholder');
  assert.equal(initiatorOf(first, { securityCode: '123', isAuthenticated: false }), 'cardholder');
  assert.equal(initiatorOf(later, { securityCode: null, isAuthenticated: false }), 'merchant');
  assert.equal(initiatorOf(later, { securityCode: '123', isAuthenticated: false }), 'cardholder');
  assert.equal(initiatorOf(later, { securityCode: null, isAuthenticated: true }), 'cardholder');
});

test('a card is good through the last day of its month in São Paulo', () => {
  const lastEvening = instant(Date.parse('2026-12-01T02:59:59.999Z'));
  assert.equal(isCardExpired('11', '26', lastEvening), false);
  assert.equal(isCardExpired('11', '26', instant(lastEvening + 1)), true);
  assert.equal(isCardExpired('01', '27', instant(lastEvening + 1)), false);
});

test('a whole card has nothing wrong with it', () => {
  assert.deepEqual(cardRefusals(NUMBER, whole, now), []);
  assert.deepEqual(cardRefusals(NUMBER, { ...whole, securityCode: '123' }, now), []);
});

test('a name holds no card number, and not that of its own card whatever stands between the digits', () => {
  for (const holderName of [NUMBER, `ANA ${NUMBER}`, '5155_9012_2228_0001', '5155/9012/2228/0001 ANA']) {
    assert.deepEqual(
      cardRefusals(NUMBER, { ...whole, holderName }, now),
      ['holderNameHoldsNumber'],
      holderName,
    );
  }
});

test('everything that is missing or wrong is reported at once', () => {
  assert.deepEqual(cardRefusals(NUMBER, NOTHING, now), [
    'holderNameNeeded',
    'brandNeeded',
    'expirationMonthNeeded',
    'expirationYearNeeded',
  ]);
  const wrong = { ...whole, holderName: NUMBER, securityCode: '1234', expirationMonth: '10' };
  assert.deepEqual(cardRefusals(NUMBER, wrong, now), [
    'holderNameHoldsNumber',
    'securityCodeLength',
    'cardExpired',
  ]);
  assert.deepEqual(cardRefusals(NUMBER, { ...whole, brand: 'amex' }, now), ['brandImpossible']);
});

test('what stands inside an encrypted card and beside it must be the same; what stands in one place only may', () => {
  const inside = {
    holderName: 'ANA SOUZA',
    securityCode: '123',
    expirationMonth: '11',
    expirationYear: '26',
  };
  assert.deepEqual(fieldsInConflict({ ...NOTHING, ...inside }, inside), []);
  assert.deepEqual(fieldsInConflict(NOTHING, inside), []);
  assert.deepEqual(fieldsInConflict({ ...NOTHING, ...inside }, NOTHING), []);
  const others = { holderName: 'BIA', securityCode: '124', expirationMonth: '12', expirationYear: '27' };
  assert.deepEqual(fieldsInConflict({ ...NOTHING, ...others }, inside), [
    'holderNameConflict',
    'securityCodeConflict',
    'expirationMonthConflict',
    'expirationYearConflict',
  ]);
});

test('a cardSource in use is refused in the name of the field that brought it', () => {
  const silent = { namesFaults: false };
  assert.equal(sourceUsedRefusal({ numberToken: 't' }, { namesFaults: true }), 'numberTokenUnknown');
  assert.equal(sourceUsedRefusal({ numberToken: null }, silent), 'encryptedCardUnreadable');
  assert.equal(sourceUsedRefusal({ numberToken: null }, { namesFaults: true }), 'encryptedCardUsed');
});
