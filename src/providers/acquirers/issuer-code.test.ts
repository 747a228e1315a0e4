import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CARD_BRANDS, type CardBrand } from '../../values/card-number.ts';
import { type Instant, instant } from '../../values/instant.ts';
import {
  adviceCodes,
  type Decline,
  type DeclineClass,
  issuerCodes,
  mayRetryAt,
  readDecline,
} from './issuer-code.ts';

type Network = Exclude<CardBrand, 'hipercard'>;
type ListedClass = Exclude<DeclineClass, 'denied'>;

/** Codes in no class here are denied. */
const CLASS_TABLE: Record<Network, Record<ListedClass, string>> = {
  elo: { funds: '51', blocked: '41 43 46', technical: '91 96 06 19 04', invalid: '58 30 13 23 64' },
  visa: { funds: '51', blocked: '41 43 46 04 07 R0 R1 R3', technical: '91 96 19 92', invalid: '03 12 13 94' },
  mastercard: { funds: '51', blocked: '41 43 04', technical: '91 96 92', invalid: '03 30 13 12 94' },
  amex: { funds: '116 121', blocked: '200', technical: '911 912', invalid: '109 181 110 115' },
};

const TYPE_TABLE: Record<Network, { reversible: string; irreversible: string }> = {
  elo: {
    reversible: '04 05 06 38 51 55 59 61 65 75 78 91 96 P6',
    irreversible: '12 13 14 19 23 30 41 43 46 54 56 57 58 62 63 64 76 77 82 83 AB AC FM P5',
  },
  visa: {
    reversible: '05 39 51 52 53 55 59 5C 61 62 65 75 78 86 91 96 9G B1 B2 N0 N4 Z5',
    irreversible:
      '03 04 06 07 12 13 14 15 19 1A 41 43 46 54 57 58 64 6P 70 74 76 81 82 92 93 94 N3 N7 N8 R0 R1 R2 R3',
  },
  mastercard: {
    reversible: '05 51 55 57 61 63 65 75 91 96',
    irreversible: '01 03 04 12 13 14 15 30 41 43 54 58 62 79 82 83 88 92 94',
  },
  amex: {
    reversible: '100 106 116 117 121 911 912',
    irreversible: '101 109 110 115 122 180 181 200',
  },
};

const networkOf = (brand: CardBrand): Network => (brand === 'hipercard' ? 'mastercard' : brand);

test('every code of every brand has exactly one class', () => {
  for (const brand of CARD_BRANDS) {
    const expected = new Map<string, string>();
    for (const [declineClass, codes] of Object.entries(CLASS_TABLE[networkOf(brand)])) {
      for (const code of codes.split(' ')) {
        assert.ok(!expected.has(code), `${brand} ${code} stands in the table twice`);
        expected.set(code, declineClass);
      }
    }
    const known = issuerCodes().filter((issuerCode) => issuerCode.brand === brand);
    assert.equal(new Set(known.map(({ code }) => code)).size, known.length, `${brand} lists a code twice`);
    for (const { code, declineClass } of known) {
      assert.equal(declineClass, expected.get(code) ?? 'denied', `${brand} ${code}`);
      expected.delete(code);
    }
    assert.deepEqual([...expected.keys()], [], `${brand} lacks codes of the class table`);
  }
});

test('a card may be tried again after the reversible codes of its brand and after no other', () => {
  for (const brand of CARD_BRANDS) {
    const known = issuerCodes().filter((issuerCode) => issuerCode.brand === brand);
    const codesWhere = (isReversible: boolean) =>
      known.filter((issuerCode) => issuerCode.isReversible === isReversible).map(({ code }) => code);
    const { reversible, irreversible } = TYPE_TABLE[networkOf(brand)];
    assert.equal(codesWhere(true).sort().join(' '), reversible, brand);
    assert.equal(codesWhere(false).sort().join(' '), irreversible, brand);
    for (const { code, isReversible } of known) {
      assert.equal(readDecline(brand, code, null).isRetryable, isReversible, `${brand} ${code}`);
    }
  }
});

test('a lack of funds can always be tried again and a blocked card never', () => {
  for (const { brand, code, declineClass, isReversible } of issuerCodes()) {
    if (declineClass === 'funds') assert.ok(isReversible, `${brand} ${code}`);
    if (declineClass === 'blocked') assert.ok(!isReversible, `${brand} ${code}`);
  }
});

test('an unknown code is denied and never tried again, whatever the advice', () => {
  for (const brand of CARD_BRANDS) {
    for (const code of ['', '00', '5', '051', 'ZZ', 'constructor']) {
      for (const advice of [null, '02', '24']) {
        const { declineClass, isRetryable, mayRetryAfterHours, sentence } = readDecline(brand, code, advice);
        assert.deepEqual([declineClass, isRetryable, mayRetryAfterHours], ['denied', false, null]);
        assert.ok(sentence.pt !== '' && sentence.en !== '');
      }
    }
  }
});

test('the same number means different things to different brands', () => {
  const retryable = (code: string) =>
    (['elo', 'visa', 'mastercard'] as const).filter((brand) => readDecline(brand, code, null).isRetryable);
  assert.deepEqual(retryable('63'), ['mastercard']);
  assert.deepEqual(retryable('57'), ['mastercard']);
  assert.deepEqual(retryable('62'), ['visa']);
  assert.equal(readDecline('elo', '04', null).declineClass, 'technical');
  assert.equal(readDecline('visa', '04', null).declineClass, 'blocked');
  assert.equal(readDecline('visa', '82', null).sentence.en, 'Invalid card (cryptogram)');
  assert.equal(
    readDecline('mastercard', '82', null).sentence.en,
    'Transaction against the policy of the issuer',
  );
});

test('where a code may be final or not, the sentence is that of the final meaning', () => {
  assert.match(readDecline('elo', '62', null).sentence.en, /restricted use/);
  assert.match(readDecline('visa', '62', null).sentence.en, /temporarily blocked/);
});

test('advice to wait sets the earliest hour of another try', () => {
  const delays = { '02': 72, '24': 1, '25': 24, '26': 48, '27': 96, '28': 144, '29': 192, '30': 240 };
  for (const [advice, hours] of Object.entries(delays)) {
    const decline = readDecline('mastercard', '51', advice);
    assert.deepEqual([decline.declineClass, decline.isRetryable], ['funds', true]);
    assert.equal(decline.mayRetryAfterHours, hours, advice);
    assert.equal(
      readDecline('mastercard', '54', advice).mayRetryAfterHours,
      null,
      'an expired card is not tried again',
    );
  }
});

test('advice never to try again is obeyed, and 03 and 21 block the card', () => {
  for (const advice of ['03', '21', '40', '41', '42', '43', '99']) {
    const decline = readDecline('mastercard', '51', advice);
    assert.deepEqual([decline.isRetryable, decline.mayRetryAfterHours], [false, null], advice);
    assert.equal(decline.declineClass, advice === '03' || advice === '21' ? 'blocked' : 'funds', advice);
  }
  assert.equal(readDecline('mastercard', 'ZZ', '21').declineClass, 'blocked');
});

test('advice that neither delays nor forbids, or that nobody knows, changes nothing', () => {
  for (const advice of ['01', '04', '22', '98', '']) {
    assert.deepEqual(readDecline('mastercard', '51', advice), readDecline('mastercard', '51', null));
  }
});

test("Hipercard reads as Mastercard, and keeps its own brand's name", () => {
  const codesOf = (brand: CardBrand) => issuerCodes().filter((issuerCode) => issuerCode.brand === brand);
  assert.deepEqual(
    codesOf('hipercard'),
    codesOf('mastercard').map((issuerCode) => ({ ...issuerCode, brand: 'hipercard' })),
  );
});

test('every meaning is said in Portuguese and in English', () => {
  const sentences = [...issuerCodes().map(({ meaning }) => meaning), ...adviceCodes()];
  for (const { pt, en } of sentences) assert.ok(pt !== '' && en !== '' && pt !== en, `${pt} / ${en}`);
});

/** Every code of the rules with every advice and without one, and codes that stand in no table. */
function everyDecline(): { name: string; decline: Decline }[] {
  const advices = [null, ...adviceCodes().map(({ code }) => code), 'XX'];
  return CARD_BRANDS.flatMap((brand) => {
    const { reversible, irreversible } = TYPE_TABLE[networkOf(brand)];
    const codes = [...reversible.split(' '), ...irreversible.split(' '), 'ZZ'];
    return codes.flatMap((code) =>
      advices.map((advice) => ({
        name: `${brand} ${code} ${advice}`,
        decline: readDecline(brand, code, advice),
      })),
    );
  });
}

test('every decline says to buyer and merchant what to do, in Portuguese and in English', () => {
  for (const { name, decline } of everyDecline()) {
    for (const { pt, en } of Object.values(decline.help)) {
      assert.ok(pt.length > 20 && en.length > 20 && pt !== en, name);
      assert.ok(pt.endsWith('.') && en.endsWith('.'), name);
    }
  }
});

test('what the buyer reads reveals no loss, theft, suspicion or law', () => {
  for (const { name, decline } of everyDecline()) {
    const { pt, en } = decline.help.buyer;
    assert.doesNotMatch(pt, /perd|roub|fraud|suspeit|lei\b|encerrad|recolh/i, name);
    assert.doesNotMatch(en, /\blost\b|stolen|fraud|suspect|\blaw\b|closed|pick/i, name);
  }
});

test('the merchant reads the same of another try as the answer decides', () => {
  for (const { name, decline } of everyDecline()) {
    const { declineClass, isRetryable, mayRetryAfterHours, help } = decline;
    const said =
      /may be tried again from mayRetryAt|may be tried again, within|Do not (?:charge|repeat)/.exec(
        help.merchant.en,
      );
    const decided = !isRetryable
      ? `Do not ${declineClass === 'blocked' ? 'charge' : 'repeat'}`
      : `may be tried again${mayRetryAfterHours === null ? ', within' : ' from mayRetryAt'}`;
    assert.equal(said?.[0], decided, name);
    if (!isRetryable) assert.doesNotMatch(help.buyer.en, /wait|try again/i, name);
  }
});

test("another try of Mastercard's 79, 82 and 83 is welcome when their advice names a time for it", () => {
  for (const brand of ['mastercard', 'hipercard'] as const) {
    for (const code of ['79', '82', '83']) {
      const later = readDecline(brand, code, '02');
      assert.deepEqual(
        [later.declineClass, later.isRetryable, later.mayRetryAfterHours],
        ['denied', true, 72],
      );
      for (const advice of [null, '01', '03', '22', '40', '99']) {
        assert.equal(readDecline(brand, code, advice).isRetryable, false, `${code} ${advice}`);
      }
    }
  }
  assert.equal(readDecline('visa', '82', '02').isRetryable, false, "only Mastercard's");
});

test('another try is possible so many hours after the sale as the advice says', () => {
  const soldAt = instant(Date.UTC(2026, 10, 21, 13));
  const retryAt = (code: string, advice: string | null): Instant | null =>
    mayRetryAt(readDecline('mastercard', code, advice), soldAt);
  assert.equal(retryAt('51', '24'), soldAt + 3_600_000);
  assert.equal(retryAt('82', '02'), soldAt + 72 * 3_600_000);
  assert.equal(retryAt('51', null), null);
  assert.equal(retryAt('54', '24'), null);
});
