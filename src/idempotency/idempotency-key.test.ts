import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  comparableText,
  earlierRequest,
  isOtherCard,
  isRequestLost,
  withCarried,
} from './idempotency-key.ts';

test('a body says the same in whatever order, with another card token and without its security code', () => {
  const first = {
    payment: { amount: 100, installments: 1 },
    cardInfo: { numberToken: 'a', securityCode: '123' },
  };
  const again = { cardInfo: { encryptedCard: 'b' }, payment: { installments: 1, amount: 100 } };
  assert.equal(comparableText(first), comparableText(again));
});

test('another amount, another stored card or another order of a split is another body', () => {
  const text = comparableText({ amount: 1, cardInfo: { vaultId: 'a' }, configSplit: [1, 2] });
  assert.notEqual(text, comparableText({ amount: 2, cardInfo: { vaultId: 'a' }, configSplit: [1, 2] }));
  assert.notEqual(text, comparableText({ amount: 1, cardInfo: { vaultId: 'b' }, configSplit: [1, 2] }));
  assert.notEqual(text, comparableText({ amount: 1, cardInfo: { vaultId: 'a' }, configSplit: [2, 1] }));
});

test('a print compares with the one of its own key only', () => {
  const print = (text: string) => Buffer.from(text.padEnd(32));
  const progress = { isDone: true, ageMilliseconds: 5 };
  const recorded = { bodyFingerprint: print('one'), bodyFingerprintKeyId: 1, resourceId: 'r', ...progress };
  const of = (keyId: number, text: string) => ({
    bodyFingerprints: [{ keyId, print: print(text) }] as const,
  });
  assert.deepEqual(earlierRequest(recorded, of(1, 'one')), { kind: 'same', resourceId: 'r', progress });
  assert.deepEqual(earlierRequest(recorded, of(1, 'two')), { kind: 'otherBody' });
  assert.equal(earlierRequest(recorded, of(2, 'one')), null);
});

test('a card is compared behind the body, under the key that recorded both', () => {
  const print = (text: string) => Buffer.from(text.padEnd(32));
  const of = (...texts: string[]) =>
    texts.map((text, index) => ({ keyId: index + 1, print: print(text) })) as [
      { keyId: number; print: Buffer },
    ];
  const [carried] = withCarried(of('body', 'body of 2'), of('card', 'card of 2'));
  assert.equal(carried.print.length, 64);
  const rest = { resourceId: 'r', isDone: true, ageMilliseconds: 5 };
  const recorded = { bodyFingerprint: carried.print, bodyFingerprintKeyId: 1, ...rest };
  assert.equal(earlierRequest(recorded, { bodyFingerprints: of('body') })?.kind, 'same');
  assert.equal(earlierRequest(recorded, { bodyFingerprints: of('other') })?.kind, 'otherBody');
  assert.equal(isOtherCard(recorded, of('card')), false);
  assert.equal(isOtherCard(recorded, of('other card')), true);
  assert.equal(isOtherCard({ ...recorded, bodyFingerprintKeyId: 9 }, of('other card')), false);
});

test('a request is lost when what it makes is not there after a minute', () => {
  assert.equal(isRequestLost({ isDone: false, ageMilliseconds: 59_999 }), false);
  assert.equal(isRequestLost({ isDone: false, ageMilliseconds: 60_000 }), true);
  assert.equal(isRequestLost({ isDone: true, ageMilliseconds: 60_000 }), false);
});
