import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { createChallenge, isChallengeGood } from './create-challenge.ts';
import { CHALLENGE_MILLISECONDS } from './passkey.ts';

const toolsWith = (...keys: readonly string[]) => {
  const prints = (text: string) =>
    keys.map((key, index) => ({ keyId: index + 1, print: createHmac('sha256', key).update(text).digest() }));
  const keyring = {
    fingerprint: (text: string) => prints(text)[0] as ReturnType<typeof prints>[number],
    fingerprints: (text: string) => prints(text) as [ReturnType<typeof prints>[number]],
  };
  return { keyring };
};
const tools = toolsWith('one');

test('a challenge is good up to its end, and not behind it', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 28) });
  const challenge = createChallenge(tools, 'sign-in');
  t.mock.timers.setTime(Date.UTC(2026, 10, 28) + CHALLENGE_MILLISECONDS);
  assert.equal(isChallengeGood(tools, 'sign-in', challenge), true);
  t.mock.timers.setTime(Date.UTC(2026, 10, 28) + CHALLENGE_MILLISECONDS + 1);
  assert.equal(isChallengeGood(tools, 'sign-in', challenge), false);
  const short = createChallenge(tools, 'sign-in', 1_000);
  t.mock.timers.tick(1_001);
  assert.equal(isChallengeGood(tools, 'sign-in', short), false);
});

test('it is good for its purpose alone', () => {
  const challenge = createChallenge(tools, 'sign-in');
  assert.equal(isChallengeGood(tools, 'link', challenge), false);
});

test('nothing of it can be changed, and nobody without the key makes one', () => {
  const challenge = createChallenge(tools, 'sign-in');
  const [expiresAt = '', nonce = '', seal = ''] = challenge.split('.');
  const turned = (text: string) => `${text[0] === 'A' ? 'B' : 'A'}${text.slice(1)}`;
  for (const other of [
    `${Number(expiresAt) + 60_000}.${nonce}.${seal}`,
    `${expiresAt}.${turned(nonce)}.${seal}`,
    `${expiresAt}.${nonce}.${turned(seal)}`,
    createChallenge(toolsWith('another'), 'sign-in'),
    '',
    nonce,
    `${challenge} `,
  ])
    assert.equal(isChallengeGood(tools, 'sign-in', other), false, other);
});

test('one of before a rotation of keys is good', () => {
  const challenge = createChallenge(tools, 'sign-in');
  assert.equal(isChallengeGood(toolsWith('two', 'one'), 'sign-in', challenge), true);
});
