import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortReference } from './short-reference.ts';

const ID = '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a';

test('a reference has 16 characters of Crockford base32, the same for the same id in any case', () => {
  assert.match(shortReference(ID), /^[0-9A-HJKMNP-TV-Z]{16}$/);
  assert.equal(shortReference(ID.toUpperCase()), shortReference(ID));
});

test('a charge is found for ever by what it was sent under: the text never changes', () => {
  assert.equal(shortReference(ID), 'THND9H355ZVZFAQP');
});

test('ids that differ in one character have nothing in common', () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => ID.slice(0, -3) + String(index).padStart(3, '0'));
  assert.equal(new Set(ids.map(shortReference)).size, 1_000);
});
