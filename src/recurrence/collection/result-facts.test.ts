import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../../values/instant.ts';
import { factsOfDecline, isAcquirerThere } from './outcome-record.ts';

const AT_NOON = instant(Date.parse('2026-12-01T15:00:00Z'));

test('a lack of funds may be tried again; with an advice never to come again it is as final as any no', () => {
  assert.equal(factsOfDecline('visa', '51', null, AT_NOON).result, 'funds');
  assert.equal(factsOfDecline('mastercard', '51', '03', AT_NOON).result, 'blocked');
  assert.equal(factsOfDecline('mastercard', '51', '01', AT_NOON).result, 'funds');
});

test('each code has the class of its brand', () => {
  const table = [
    ['amex', '116', 'funds'],
    ['visa', '41', 'blocked'],
    ['visa', '57', 'denied'],
    ['visa', '91', 'technical'],
    ['visa', '12', 'invalid'],
    ['visa', 'nobody knows', 'denied'],
  ] as const;
  for (const [brand, code, outcome] of table)
    assert.equal(factsOfDecline(brand, code, null, AT_NOON).result, outcome, `${brand} ${code}`);
});

test('an advice to wait is enforced to the day: the first that begins when the time is over', () => {
  const { earliestRetryOn } = factsOfDecline('mastercard', '51', '02', AT_NOON);
  assert.equal(earliestRetryOn, '2026-12-05', 'three days after noon of the 1st are noon of the 4th');
  assert.equal(factsOfDecline('visa', '51', null, AT_NOON).earliestRetryOn, null);
});

test('a yes or a no shows that the acquirer is there, and what was never sent shows nothing', () => {
  for (const isAway of [true, false]) {
    assert.equal(isAcquirerThere('approved', isAway), true);
    assert.equal(isAcquirerThere('declined', isAway), true);
    assert.equal(isAcquirerThere('notSent', isAway), null);
    assert.equal(isAcquirerThere('notConnected', isAway), false);
  }
});

test('a slow answer is no absence: only who is away already stays so', () => {
  assert.equal(isAcquirerThere('unknown', false), null);
  assert.equal(isAcquirerThere('unknown', true), false);
});
