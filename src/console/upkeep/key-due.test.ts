import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Instant, instant } from '../../values/instant.ts';
import { dueAt, keyDue, kindOfPurpose } from './key-due.ts';

const DAY = 24 * 60 * 60 * 1_000;
const made = (day: number, retiredAt: Instant | null = null) => ({
  createdAt: instant(day * DAY),
  retiredAt,
});

test('a key is due a year after it was made, and said to be so a month before', () => {
  const now = 1_000 * DAY;
  assert.equal(dueAt(made(700)), 1_065 * DAY);
  assert.equal(keyDue(made(700), now), 'inUse');
  assert.equal(keyDue(made(664), now), 'soon');
  assert.equal(keyDue(made(636), now), 'soon');
  assert.equal(keyDue(made(634), now), 'overdue');
  assert.equal(keyDue(made(1, instant(500 * DAY)), now), 'retired');
});

test('a purpose is named as the command wants it', () => {
  assert.deepEqual(['card', 'keyPair', 'rsa'].map(kindOfPurpose), ['card', 'key-pair', 'rsa']);
});
