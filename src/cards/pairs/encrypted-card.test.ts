import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../../values/instant.ts';
import { type EncryptedCard, rawParts, readEncryptedCard } from './encrypted-card.ts';

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

function opened(json: unknown): EncryptedCard {
  const card = readEncryptedCard(json, 'M1', now);
  assert.ok('number' in card, String(card));
  return card;
}

test('a whole encrypted card of this merchant opens', () => {
  const card = opened(whole);
  assert.equal(card.number, '4111111111111111');
  assert.equal(card.securityCode, '123');
  assert.equal(card.holderName, 'ANA SOUZA');
});

test('only number, merchant and moment are needed: what is empty, blank or null is absent', () => {
  const { cardNumber, merchantId, createdAt } = whole;
  const empty = { securityCode: '', expirationMonth: '  ', expirationYear: null, cardholderName: '\t' };
  for (const rest of [{}, empty]) {
    const card = opened({ cardNumber, merchantId, createdAt, ...rest });
    assert.deepEqual([card.securityCode, card.expirationMonth, card.holderName], [null, null, null]);
  }
});

test('a name may begin with a capital letter', () => {
  const capitals = Object.entries(whole).map(([name, value]) => [
    name[0]?.toUpperCase() + name.slice(1),
    value,
  ]);
  assert.deepEqual(opened(Object.fromEntries(capitals)), opened(whole));
});

test("a buyer's clock may be a day ahead, and the blob is good for a day from there", () => {
  const card = opened({ ...whole, createdAt: '2026-11-22T13:00:00.000Z' });
  assert.equal(card.expiresAt, Date.parse('2026-11-23T13:00:00.000Z'));
});

test('what is compared of a card is read whatever its age and shape', () => {
  const parts = { number: '1', holderName: undefined, expirationMonth: '1', expirationYear: undefined };
  assert.deepEqual(rawParts({ cardNumber: '1', expirationMonth: '1', cardholderName: ' ' }), parts);
  assert.equal(rawParts([]).number, undefined);
  assert.equal(rawParts({ cardNumber: '1', CardNumber: '2' }).number, undefined);
});

test('the moment may carry an offset, or no zone at all', () => {
  opened({ ...whole, createdAt: '2026-11-21T09:59:00-03:00' });
  opened({ ...whole, createdAt: '2026-11-21T12:59:00' });
});

const refused: Record<string, [unknown, ...string[]]> = {
  'of another merchant': [{ ...whole, merchantId: 'M2' }, 'encryptedCardMerchant'],
  'older than a day': [{ ...whole, createdAt: '2026-11-20T12:59:59.000Z' }, 'encryptedCardOld'],
  'more than a day ahead': [{ ...whole, createdAt: '2026-11-22T13:00:00.001Z' }, 'encryptedCardAhead'],
  'without a moment': [{ ...whole, createdAt: undefined }, 'encryptedCardMoment'],
  'with an empty moment': [{ ...whole, createdAt: '' }, 'encryptedCardMoment'],
  'with a moment that is no date': [{ ...whole, createdAt: '2026-13-45T99:00:00Z' }, 'encryptedCardMoment'],
  'with a number that fails its check digit': [
    { ...whole, cardNumber: '4111111111111112' },
    'encryptedCardNumber',
  ],
  'with blanks in its number': [{ ...whole, cardNumber: '4111 1111 1111 1111' }, 'encryptedCardNumber'],
  'with a number of type number': [{ ...whole, cardNumber: 4111111111111111 }, 'encryptedCardNumber'],
  'with a month 13': [{ ...whole, expirationMonth: '13' }, 'encryptedCardMonth'],
  'with a month of one digit and a year of four': [
    { ...whole, expirationMonth: '1', expirationYear: '2039' },
    'encryptedCardMonth',
    'encryptedCardYear',
  ],
  'with a long security code': [{ ...whole, securityCode: '12345' }, 'encryptedCardSecurityCode'],
  'with a line break in the name': [{ ...whole, cardholderName: 'ANA\r\nSOUZA' }, 'encryptedCardHolderName'],
  'with a control character in the name': [
    { ...whole, cardholderName: 'ANA\u0001' },
    'encryptedCardHolderName',
  ],
  'that is a list': [[whole], 'encryptedCardJson'],
  'that is nothing': [null, 'encryptedCardJson'],
  'with two numbers': [{ ...whole, CardNumber: '5155901222280001' }, 'encryptedCardJson'],
  'with the same number twice': [{ ...whole, CardNumber: whole.cardNumber }, 'encryptedCardJson'],
  'with a name that is filled in once of twice': [{ ...whole, CardholderName: ' ' }, 'encryptedCardJson'],
  'with two merchants': [{ ...whole, MerchantId: null }, 'encryptedCardJson'],
};
for (const [name, [json, ...faults]] of Object.entries(refused)) {
  test(`an encrypted card ${name} does not open, and every cause is named`, () => {
    assert.deepEqual(readEncryptedCard(json, 'M1', now), faults);
  });
}
