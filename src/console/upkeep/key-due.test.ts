import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueAt } from '../../keys/key-change.ts';
import { type Instant, instant } from '../../values/instant.ts';
import { keyDue, keyStates, kindOfPurpose } from './key-due.ts';

const DAY = 24 * 60 * 60 * 1_000;
const times = (day: number, retiredAt: Instant | null = null) => ({
  createdAt: instant(day * DAY),
  retiredAt,
});
const made = (day: number, retiredAt: Instant | null = null) =>
  ({ ...times(day, retiredAt), purpose: 'card' }) as const;

test('a key is due a year after it was made, and said to be so a month before', () => {
  const now = 1_000 * DAY;
  assert.equal(dueAt(made(700)), 1_065 * DAY);
  assert.equal(dueAt({ ...made(700), purpose: 'id' }), null);
  assert.equal(keyDue(made(700), now), 'inUse');
  assert.equal(keyDue(made(664), now), 'soon');
  assert.equal(keyDue(made(636), now), 'soon');
  assert.equal(keyDue(made(634), now), 'overdue');
  assert.equal(keyDue({ ...made(634), purpose: 'id' }, now), 'inUse', 'it is never replaced');
  assert.equal(keyDue(made(1, instant(500 * DAY)), now), 'retired');
});

test('a purpose is named as the command wants it', () => {
  assert.deepEqual((['card', 'keyPair', 'rsa'] as const).map(kindOfPurpose), ['card', 'key-pair', 'rsa']);
});

test('of a key it is shown what wraps it, and nothing of the key itself', () => {
  const dataKey = {
    dataKeyId: 7,
    purpose: 'card',
    keyEncryptionKeyId: 'kek-1',
    wrappedKey: 'SECRET',
  } as const;
  const pair = { keyId: 'pair', privateKey: { dataKeyId: 7, bytes: 'SECRET' }, publicKey: 'PUBLIC' };
  assert.deepEqual(keyStates([{ ...dataKey, ...times(1) }], [{ ...pair, ...times(2) }]), [
    { keyId: '7', purpose: 'card', wrappedBy: 'kek-1', ...times(1) },
    { keyId: 'pair', purpose: 'rsa', wrappedBy: '7', ...times(2) },
  ]);
});
