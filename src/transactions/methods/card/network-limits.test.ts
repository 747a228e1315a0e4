import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { issuerCodes } from '../../../providers/acquirers/issuer-code.ts';
import { brandOf, CARD_BRANDS, type CardBrand } from '../../../values/card-number.ts';
import { type Cents, cents } from '../../../values/cents.ts';
import { instant } from '../../../values/instant.ts';
import { isTrialCard, networkRefusal, type PastDecline } from './network-limits.ts';

const NOW = instant(Date.UTC(2026, 10, 21, 12));
const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;
const AMOUNT = cents(1_000);
const OTHER = cents(2_000);

/** The usual reversible no: no funds, "generic" where a brand has another code. */
const decline = (brand: CardBrand, change: Partial<PastDecline> = {}): PastDecline => ({
  brand,
  responseCode: brand === 'amex' ? '116' : '51',
  adviceCode: null,
  amount: AMOUNT,
  soldAt: instant(NOW - HOUR),
  ...change,
});

const many = (count: number, one: PastDecline): PastDecline[] => Array.from({ length: count }, () => one);
const ago = (milliseconds: number) => ({ soldAt: instant(NOW - milliseconds) });

function causeOf(brand: CardBrand, declines: readonly PastDecline[], amount: Cents = AMOUNT) {
  return networkRefusal(brand, amount, NOW, declines)?.cause ?? null;
}

/** What one decline with this code forbids: the card, its amount, or neither. */
function reachOf(brand: CardBrand, responseCode: string, adviceCode: string | null = null): string {
  const declines = [decline(brand, { responseCode, adviceCode })];
  if (causeOf(brand, declines, OTHER) !== null) return 'card';
  return causeOf(brand, declines) === null ? 'nothing' : 'amount';
}

test('a card without declines may always be tried', () => {
  for (const brand of CARD_BRANDS) assert.equal(causeOf(brand, []), null);
});

test('Visa takes 20 tries of one amount in 30 days, however many in a day', () => {
  assert.equal(causeOf('visa', many(19, decline('visa'))), null);
  assert.equal(causeOf('visa', many(20, decline('visa'))), 'tooManyTries');
  assert.equal(causeOf('visa', many(20, decline('visa', ago(29 * DAY)))), 'tooManyTries');
  assert.equal(causeOf('visa', many(30, decline('visa', { amount: OTHER }))), null);
});

test('Mastercard takes 7 tries in a day and 35 in 30 days, of all amounts together', () => {
  const other = decline('mastercard', { amount: OTHER });
  const earlier = ago(2 * DAY);
  assert.equal(causeOf('mastercard', many(6, other)), null);
  assert.equal(causeOf('mastercard', [...many(4, decline('mastercard')), ...many(3, other)]), 'tooManyTries');
  assert.equal(causeOf('mastercard', many(34, decline('mastercard', earlier))), null);
  assert.equal(causeOf('mastercard', many(35, { ...other, ...earlier })), 'tooManyTries');
});

test('Elo takes 15 tries of one amount in 30 days, and Amex and Hipercard name no number', () => {
  assert.equal(causeOf('elo', many(14, decline('elo'))), null);
  assert.equal(causeOf('elo', many(15, decline('elo'))), 'tooManyTries');
  assert.equal(causeOf('elo', many(15, decline('elo', { amount: OTHER }))), null);
  assert.equal(causeOf('amex', many(99, decline('amex'))), null);
  assert.equal(causeOf('hipercard', many(99, decline('hipercard'))), null);
});

test('what is thirty days old is forgotten, a final no too', () => {
  const old = ago(30 * DAY);
  assert.equal(causeOf('visa', many(20, decline('visa', old))), null);
  assert.equal(causeOf('visa', [decline('visa', { responseCode: '41', ...old })]), null);
  const just = ago(30 * DAY - 1);
  assert.equal(causeOf('visa', [decline('visa', { responseCode: '41', ...just })]), 'neverAgain');
});

test('a card may be tried again from the moment on at which its number is no longer reached, and not before', () => {
  const hoursAgo = fc.integer({ min: 0, max: 31 * 24 });
  fc.assert(
    fc.property(
      fc.constantFrom('visa', 'mastercard', 'elo'),
      fc.array(hoursAgo, { minLength: 7, maxLength: 60 }),
      (brand, ages) => {
        const declines = ages.map((hours) => decline(brand, ago(hours * HOUR)));
        const refusal = networkRefusal(brand, AMOUNT, NOW, declines);
        if (refusal === null) return;
        const { mayRetryAt } = refusal;
        assert.ok(mayRetryAt !== null && mayRetryAt > NOW);
        assert.equal(networkRefusal(brand, AMOUNT, mayRetryAt, declines), null);
        assert.notEqual(networkRefusal(brand, AMOUNT, instant(mayRetryAt - 1), declines), null);
      },
    ),
  );
});

test('a final no is not repeated: for its amount, or for every amount when the card is canceled or never was', () => {
  assert.equal(reachOf('visa', '13'), 'amount');
  assert.equal(reachOf('visa', '41'), 'card');
  assert.equal(reachOf('elo', '56'), 'card');
  assert.equal(reachOf('amex', '200'), 'card');
  assert.equal(reachOf('elo', 'ZZ'), 'amount', 'nobody knows this code');
  const refused = networkRefusal('visa', AMOUNT, NOW, [decline('visa', { responseCode: '41' })]);
  assert.equal(refused?.mayRetryAt, null);
});

test("after Visa's category 1 the same try is never made again", () => {
  const card = ['04', '07', '14', '15', '41', '43', '46', 'R0', 'R1', 'R3'];
  for (const code of card) assert.equal(reachOf('visa', code), 'card', code);
  for (const code of ['12', '57']) assert.equal(reachOf('visa', code), 'amount', code);
});

test('Mastercard advice 03 and 21 forbids the card, whatever the code; other advice never to try forbids the amount', () => {
  for (const code of ['51', '05', '79', '82', '83', 'ZZ']) {
    assert.equal(reachOf('mastercard', code, '03'), 'card', code);
    assert.equal(reachOf('mastercard', code, '21'), 'card', code);
    assert.equal(reachOf('mastercard', code, '40'), 'amount', code);
  }
  assert.equal(reachOf('mastercard', '51', '24'), 'nothing');
});

test("Mastercard's 79, 82 and 83 are what their advice says", () => {
  for (const code of ['79', '82', '83']) {
    assert.equal(reachOf('mastercard', code), 'amount', 'without advice it is final');
    assert.equal(reachOf('mastercard', code, '02'), 'nothing');
    assert.equal(reachOf('mastercard', code, '01'), 'nothing', 'new data may be typed');
    assert.equal(reachOf('mastercard', code, '99'), 'amount');
  }
  assert.equal(reachOf('visa', '92', '02'), 'amount', "only Mastercard's are");
  assert.equal(reachOf('mastercard', '13', '02'), 'amount', 'and only these');
});

test('a buyer who mistyped expiry or security code may correct it twice', () => {
  const mistyped = [
    ['visa', '54'],
    ['visa', 'N7'],
    ['mastercard', '54'],
    ['elo', '63'],
    ['amex', '101'],
    ['amex', '122'],
    ['hipercard', '54'],
  ] as const;
  for (const [brand, responseCode] of mistyped) {
    const one = decline(brand, { responseCode });
    assert.equal(causeOf(brand, many(2, one)), null, `${brand} ${responseCode}`);
    assert.equal(causeOf(brand, many(3, one)), 'neverAgain', `${brand} ${responseCode}`);
    assert.equal(causeOf(brand, many(3, { ...one, amount: OTHER })), null, `${brand} ${responseCode}`);
  }
});

test('no reversible code of any brand forbids the next try by itself, and every other one does sooner or later', () => {
  for (const { brand, code, isReversible } of issuerCodes()) {
    const three = many(3, decline(brand, { responseCode: code }));
    assert.equal(causeOf(brand, three), isReversible ? null : 'neverAgain', `${brand} ${code}`);
  }
});

test('a code is read in the words of the brand under which it was said', () => {
  const redo = decline('elo', { responseCode: '04' });
  assert.equal(causeOf('visa', [redo]), null, 'in Visa’s words the card would be canceled');
});

test('the trial cards are of the three brands that name a number, and no other card is one', () => {
  assert.equal(brandOf('4000059000000008'), 'visa');
  assert.equal(brandOf('5200059000000003'), 'mastercard');
  assert.equal(brandOf('6363689000000008'), 'elo');
  for (const number of ['4000059000000008', '5200059000000003', '6363689000000008'])
    assert.ok(isTrialCard(number));
  for (const number of ['4111111111111111', '4000050000000114', '6363680000000221'])
    assert.ok(!isTrialCard(number));
});
