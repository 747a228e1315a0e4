import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CARD_BRANDS } from '../../../../values/card-number.ts';
import { readAbout, UNREAD_CAPABILITIES } from './about.ts';

test('a bridge that reports no capabilities is taken for one whose capabilities are unread', () => {
  assert.deepEqual(readAbout({ name: 'x', simulator: true, protocol: 1 }), {
    isReal: false,
    capabilities: {
      largestInstallments: 99,
      brands: [...CARD_BRANDS],
      captureLater: false,
      partialCancel: true,
      threeDSecure: false,
      zeroVerification: true,
      longestReference: 64,
      lookUpDays: null,
      customer: false,
      listCharges: false,
    },
  });
});

test('a bridge reports what its acquirer can do; what it leaves out is as if unread', () => {
  const capabilities = {
    largestInstallments: 12,
    brands: ['visa', 'cabal', 'elo'],
    captureLater: true,
    partialCancel: false,
    lookUpDays: 90,
    zeroVerification: null,
    somethingNew: 7,
  };
  assert.deepEqual(readAbout({ simulator: false, protocol: 1, capabilities }), {
    isReal: true,
    capabilities: {
      ...UNREAD_CAPABILITIES,
      largestInstallments: 12,
      brands: ['visa', 'elo'],
      captureLater: true,
      partialCancel: false,
      lookUpDays: 90,
    },
  });
  const bare = readAbout({ protocol: 1 });
  assert.deepEqual(typeof bare === 'string' ? bare : bare.capabilities, UNREAD_CAPABILITIES);
});

test('what a bridge reports of itself is refused by its name', () => {
  const faults: [unknown, RegExp][] = [
    [null, /speaks protocol undefined, not 1/],
    [{ protocol: 2 }, /speaks protocol 2, not 1/],
    [{ protocol: '1' }, /speaks protocol "1"/],
    [{ protocol: 1, capabilities: { largestInstallments: 0 } }, /capability largestInstallments/],
    [{ protocol: 1, capabilities: { largestInstallments: 100 } }, /capability largestInstallments/],
    [{ protocol: 1, capabilities: { lookUpDays: 1.5 } }, /capability lookUpDays/],
    [{ protocol: 1, capabilities: { captureLater: 'yes' } }, /capability captureLater/],
    [{ protocol: 1, capabilities: { brands: ['cabal'] } }, /capability brands/],
    [{ protocol: 1, capabilities: { brands: 'visa' } }, /capability brands/],
    [
      { protocol: 1, capabilities: { longestReference: 35 } },
      /references of 35 characters, and ours have 36/,
    ],
  ];
  for (const [body, reason] of faults) {
    const read = readAbout(body);
    assert.match(typeof read === 'string' ? read : JSON.stringify(read), reason);
  }
});
