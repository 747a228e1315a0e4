import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import brandList from './card-brands.json' with { type: 'json' };
import {
  brandOf,
  CARD_BRANDS,
  isBrandImpossible,
  isCardNumber,
  maskedCard,
  securityCodeLength,
} from './card-number.ts';

/** Test numbers that acquirers publish. */
const CARDS = [
  ['4111111111111111', 'visa'],
  ['4222222222222', 'visa'],
  ['4000000000000000006', 'visa'],
  ['5555555555554444', 'mastercard'],
  ['2223003122003222', 'mastercard'],
  ['378282246310005', 'amex'],
  ['341111111111111', 'amex'],
  ['6362970000457013', 'elo'],
  ['5067310000000010', 'elo'],
  ['4389350000000002', 'elo'],
  ['6062825624254001', 'hipercard'],
] as const;

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });

test('published test cards are card numbers of their brands', () => {
  for (const [number, brand] of CARDS) {
    assert.ok(isCardNumber(number), number);
    assert.equal(brandOf(number), brand, number);
    assert.equal(isBrandImpossible(brand, number), false, number);
  }
});

test('exactly one last digit makes a card number', () => {
  fc.assert(
    fc.property(digits(12, 18), (start) => {
      assert.equal([...'0123456789'].filter((last) => isCardNumber(start + last)).length, 1);
    }),
  );
});

test('a single wrong digit is noticed', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CARDS),
      fc.nat(18),
      fc.integer({ min: 1, max: 9 }),
      ([number], place, shift) => {
        const at = place % number.length;
        const wrong = number.slice(0, at) + ((Number(number[at]) + shift) % 10) + number.slice(at + 1);
        assert.equal(isCardNumber(wrong), false, wrong);
      },
    ),
  );
});

test('what has not 13 to 19 digits is no card number', () => {
  const texts = [
    '',
    '0',
    '411111111111',
    '0'.repeat(12),
    '0'.repeat(20),
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
  ];
  for (const text of [
    ...texts,
    '4111111111111111\n',
    '４111111111111111',
    'x'.repeat(16),
    '0'.repeat(100_000),
  ]) {
    assert.equal(isCardNumber(text), false, text.slice(0, 30));
    assert.equal(brandOf(text), null, text.slice(0, 30));
    for (const brand of CARD_BRANDS) assert.ok(isBrandImpossible(brand, text));
  }
});

test('Elo is found among the numbers of Visa and Mastercard', () => {
  const numbers: [string, string | null][] = [
    ['4011780000000000', 'elo'],
    ['4011770000000000', 'visa'],
    ['5066980000000000', null],
    ['5066990000000000', 'elo'],
    ['5067780000000000', 'elo'],
    ['5067790000000000', null],
    ['5090000000000000', 'elo'],
    ['6509000000000000', 'elo'],
    ['6509990000000000', 'elo'],
    ['6363690000000000', 'elo'],
    ['6500570000000000', 'elo'],
    ['6510000000000000', null],
    ['5100000000000000', 'mastercard'],
    ['2220000000000000', null],
    ['2221000000000000', 'mastercard'],
    ['2720990000000000', 'mastercard'],
    ['2721000000000000', null],
    ['3600000000000000', null],
    ['3841000000000000', 'hipercard'],
  ];
  for (const [number, brand] of numbers) assert.equal(brandOf(number), brand, number);
});

test('a number of a length that the brand does not have is not of the brand', () => {
  assert.equal(brandOf('378282246310005'.padEnd(16, '0')), null);
  assert.equal(brandOf('4011780000000'), 'visa');
  assert.equal(brandOf('55555555555544440'), null);
});

test('a brand is impossible only by length or by first digits', () => {
  assert.ok(isBrandImpossible('amex', '4111111111111111'));
  assert.ok(isBrandImpossible('visa', '5555555555554444'));
  assert.ok(isBrandImpossible('mastercard', '4111111111111111'));
  assert.ok(isBrandImpossible('elo', '378282246310005'));
  assert.ok(isBrandImpossible('hipercard', '4111111111111111'));
  assert.ok(isBrandImpossible('visa', '411111111111111'));
  assert.ok(isBrandImpossible('amex', '361111111111111'));
});

test('a brand that our list does not confirm is still possible', () => {
  assert.equal(isBrandImpossible('elo', '4111111111111111'), false);
  assert.equal(isBrandImpossible('visa', '4389350000000002'), false);
  assert.equal(isBrandImpossible('elo', '5555555555554444'), false);
  assert.equal(isBrandImpossible('mastercard', '5067310000000010'), false);
  assert.equal(isBrandImpossible('hipercard', '6370950000000000'), false);
});

test('the brand that we find ourselves is never impossible', () => {
  const prefixes = Object.values(brandList.brands).flatMap(({ ranges }) =>
    ranges.flatMap((range) => range.split('-')),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...prefixes),
      digits(19, 19),
      fc.integer({ min: 13, max: 19 }),
      (prefix, rest, length) => {
        const number = (prefix + rest).slice(0, length);
        const brand = brandOf(number);
        if (brand !== null) assert.equal(isBrandImpossible(brand, number), false, number);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('the list of brands is whole and in good order', () => {
  assert.deepEqual(Object.keys(brandList.brands).sort(), CARD_BRANDS.toSorted());
  for (const { ranges, lengths } of Object.values(brandList.brands)) {
    for (const range of ranges)
      assert.match(range, /^\d{1,6}$|^(\d{4})-(\d{4})$|^(\d{6})-(\d{6})$|^(\d{2})-(\d{2})$/);
    for (const [first, last = first] of ranges.map((range) => range.split('-') as [string, string?])) {
      assert.ok(first <= last, first);
    }
    for (const length of lengths) assert.ok(length >= 13 && length <= 19);
  }
});

test('the security code has four digits on Amex and three on all others', () => {
  assert.deepEqual(CARD_BRANDS.map(securityCodeLength), [3, 3, 4, 3, 3]);
});

test('no more than six first and four last digits of a card are shown', () => {
  assert.deepEqual(maskedCard('4111111111111234'), { firstSix: '411111', lastFour: '1234' });
  assert.deepEqual(maskedCard('4222222222222'), { firstSix: '422222', lastFour: '2222' });
});

test('what is no card number is not masked, and the complaint does not repeat it', () => {
  for (const text of ['4111111111', '4111 1111 1111 1111', '4'.repeat(20)]) {
    assert.throws(
      () => maskedCard(text),
      (error) => error instanceof RangeError && !error.message.includes('4'),
    );
  }
});
