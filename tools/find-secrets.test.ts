import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaksIn } from './find-secrets.ts';

/** Written in halves, so that this file has none. */
const CARD = ['45391488', '03436467'].join('');

test('the number of a card is found, in one piece or in groups', () => {
  for (const text of [
    CARD,
    `card: "${CARD}"`,
    CARD.replace(/(\d{4})(?=\d)/g, '$1 '),
    CARD.replace(/(\d{4})(?=\d)/g, '$1-'),
    ['34707', '89016', '54325'].join(''),
  ]) {
    assert.equal(leaksIn(`first line\n${text}\n`)[0]?.line, 2, text);
  }
});

test('public test cards, made-up numbers, moments and identifiers pass', () => {
  for (const text of [
    '4111111111111111',
    '4111 1111 1111 1111',
    '4000050000000114',
    `${CARD.slice(0, -1)}8`,
    '1763712345676',
    `0199c1f2-6a2b-7c11-${CARD}`,
    `sha512-abc/${CARD}`,
    `0.${CARD}`,
    `${CARD}0000`,
  ]) {
    assert.deepEqual(leaksIn(text), [], text);
  }
});

test('secrets are found by their forms', () => {
  for (const text of [
    ['-----BEGIN RSA', 'PRIVATE KEY-----\nMIIE'].join(' '),
    ['-----BEGIN', 'PRIVATE KEY-----\\nMIIE'].join(' ').replace('\\n', '\n'),
    ['AKIA', 'ABCDEFGHIJKLMNOP'].join(''),
    ['ghp_', 'a'.repeat(36)].join(''),
    ['npm_', 'a'.repeat(36)].join(''),
    ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0In0', 'c2lnbmF0dXJlMTIz'].join('.'),
    ['postgres://shop:', 'hunter22', '@db.example.com/shop'].join(''),
    ['sk_live_', 'a'.repeat(24)].join(''),
  ]) {
    assert.equal(leaksIn(text).length, 1, text);
  }
});

test('what a reader must fill in is no secret', () => {
  const address = ['postgres://user', 'password@host/database'].join(':');
  assert.deepEqual(leaksIn(`DATABASE_URL=${address}`), []);
  assert.deepEqual(leaksIn(['-----BEGIN', 'PUBLIC KEY-----\nMIIB'].join(' ')), []);
});
