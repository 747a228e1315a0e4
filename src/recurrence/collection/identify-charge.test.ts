import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUuid } from '../../values/ids.ts';
import { identifyCharge } from './identify-charge.ts';

const BILLING = '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a';

test('a try of a billing has one id wherever it is made, and each try another', () => {
  const id = identifyCharge(BILLING, 0);
  assert.equal(id, identifyCharge(BILLING.toUpperCase(), 0));
  assert.ok(isUuid(id), id);
  assert.match(id, /^019ac5a2-7b1e-8[0-9a-f]{3}-8/);
  const others = [identifyCharge(BILLING, 1), identifyCharge(BILLING.replace('9c55', '9c56'), 0)];
  assert.equal(new Set([id, ...others]).size, 3);
});
