import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { printableAnswer, retryAfterMilliseconds } from './posting-result.ts';

const kept = (text: string, authorization?: string) => printableAnswer(Buffer.from(text), authorization);

test('of an answer at most 200 printable characters are kept', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4_096 }), (bytes) => {
      const text = printableAnswer(Buffer.from(bytes), undefined);
      assert.ok([...text].length <= 200);
      assert.doesNotMatch(text, /[\p{C}\uFFFD]/u);
    }),
  );
  assert.equal(kept('  {"erro":\r\n\t"não\u0000 achei"}\u202e\u200b '), '{"erro": "não achei"}');
  assert.equal([...kept('é'.repeat(300))].length, 200);
});

test('what looks like the number of a card is not kept, however it is written', () => {
  for (const number of [
    '4111111111111111',
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '4111.1111.1111.1111',
    '4,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1',
    '4111\u00a01111\u200b1111\u00011111',
    '٤١١١١١١١١١١١١١١١',
  ]) {
    assert.equal(kept(`card ${number} refused`), 'card … refused', number);
    const pushed = `${'x'.repeat(190)} ${number}`;
    assert.doesNotMatch(kept(pushed), /\p{Nd}/u, 'also where the answer is cut');
  }
  assert.equal(kept('order 123456789012 of 2026-11-21 10:00'), 'order 123456789012 of 2026-11-21 10:00');
});

test('credentials that the server sends back are not kept', () => {
  const authorization = `Basic ${Buffer.from('shop:s3cret-pass').toString('base64')}`;
  for (const echo of [authorization, 'shop:s3cret-pass', 'user=shop&pass=s3cret-pass'])
    assert.doesNotMatch(kept(`you sent ${echo}!`, authorization), /s3cret|c2hvc/, echo);
  assert.equal(kept('abc', 'Basic OmFi'), 'abc', 'a short password is no word to look for');
});

test('Retry-After is read in seconds or as a date, of 429 and 503 only, up to a day', () => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  const read = (value: string | undefined, status = 429) => retryAfterMilliseconds(status, value, now);
  assert.equal(read('120'), 120_000);
  assert.equal(read('0'), 0);
  assert.equal(read('120', 503), 120_000);
  assert.equal(read('999999'), 86_400_000);
  assert.equal(read('Sat, 21 Nov 2026 10:05:00 GMT'), 300_000);
  assert.equal(read('Sat, 21 Nov 2026 09:00:00 GMT'), 0);
  assert.equal(read('Sat, 21 Nov 2099 09:00:00 GMT'), 86_400_000);
  for (const value of [
    undefined,
    '',
    '-1',
    '1.5',
    'soon',
    '2026-11-21',
    '9'.repeat(40),
    '1e3',
    'Sat, 99 Nov 2026 99:00:00 GMT',
  ])
    assert.equal(read(value), null, String(value));
  assert.equal(read('120', 200), null);
  assert.equal(read('120', 500), null);
});
