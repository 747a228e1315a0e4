import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../../values/instant.ts';
import { readEncryptedCard } from './encrypted-card.ts';

const now = instant(Date.parse('2026-11-21T13:00:00.000Z'));
const whole = {
  cardNumber: '4111111111111111',
  merchantId: 'M1',
  createdAt: '2026-11-21T12:59:00.000Z',
  securityCode: '123',
  expirationMonth: '12',
  expirationYear: '30',
  cardholderName: 'ANA SOUZA',
};

test('a whole encrypted card of this merchant opens', () => {
  const card = readEncryptedCard(whole, 'M1', now);
  assert.equal(card?.number, '4111111111111111');
  assert.equal(card?.securityCode, '123');
  assert.equal(card?.holderName, 'ANA SOUZA');
});

test('only number, merchant and moment are needed', () => {
  const { cardNumber, merchantId, createdAt } = whole;
  const card = readEncryptedCard({ cardNumber, merchantId, createdAt }, 'M1', now);
  assert.deepEqual([card?.securityCode, card?.expirationMonth, card?.holderName], [null, null, null]);
});

test('the moment may carry an offset, or no zone at all', () => {
  assert.ok(readEncryptedCard({ ...whole, createdAt: '2026-11-21T09:59:00-03:00' }, 'M1', now));
  assert.ok(readEncryptedCard({ ...whole, createdAt: '2026-11-21T12:59:00' }, 'M1', now));
});

const refused: Record<string, unknown> = {
  'of another merchant': { ...whole, merchantId: 'M2' },
  'older than a day': { ...whole, createdAt: '2026-11-20T12:59:59.000Z' },
  'from the future': { ...whole, createdAt: '2026-11-21T13:06:00.000Z' },
  'without a moment': { ...whole, createdAt: undefined },
  'with a moment that is no date': { ...whole, createdAt: '2026-13-45T99:00:00Z' },
  'with a number that fails its check digit': { ...whole, cardNumber: '4111111111111112' },
  'with a number of type number': { ...whole, cardNumber: 4111111111111111 },
  'with a month 13': { ...whole, expirationMonth: '13' },
  'with a long security code': { ...whole, securityCode: '12345' },
  'with a line break in the name': { ...whole, cardholderName: 'ANA\r\nSOUZA' },
  'with a control character in the name': { ...whole, cardholderName: 'ANA\u0001' },
  'that is a list': [whole],
  'that is nothing': null,
};
for (const [name, json] of Object.entries(refused)) {
  test(`an encrypted card ${name} does not open`, () => {
    assert.equal(readEncryptedCard(json, 'M1', now), null);
  });
}
