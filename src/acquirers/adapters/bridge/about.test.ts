import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CARD_BRANDS } from '../../../values/card-number.ts';
import { CAPABILITIES_OF_VERSION_1 } from '../../capabilities.ts';
import { readAbout } from './about.ts';

test('a bridge of version 1 reports nothing, and can do what that version asks of every bridge', () => {
  assert.deepEqual(readAbout({ name: 'x', simulator: true, protocol: 1 }), {
    protocol: 1,
    isReal: false,
    capabilities: {
      largestInstallments: 99,
      brands: [...CARD_BRANDS],
      captureLater: false,
      partialCancel: true,
      zeroVerification: true,
      longestReference: 64,
      lookUpDays: null,
      customer: false,
      listCharges: false,
    },
  });
});

test('a bridge of version 2 reports what its acquirer can do; what it leaves out is as in version 1', () => {
  const capabilities = {
    largestInstallments: 12,
    brands: ['visa', 'cabal', 'elo'],
    captureLater: true,
    partialCancel: false,
    lookUpDays: 90,
    zeroVerification: null,
    somethingNew: 7,
  };
  assert.deepEqual(readAbout({ simulator: false, protocol: 2, capabilities }), {
    protocol: 2,
    isReal: true,
    capabilities: {
      ...CAPABILITIES_OF_VERSION_1,
      largestInstallments: 12,
      brands: ['visa', 'elo'],
      captureLater: true,
      partialCancel: false,
      lookUpDays: 90,
    },
  });
  const bare = readAbout({ protocol: 2 });
  assert.deepEqual(typeof bare === 'string' ? bare : bare.capabilities, CAPABILITIES_OF_VERSION_1);
});

test('what a bridge reports of itself is refused by its name', () => {
  const faults: [unknown, RegExp][] = [
    [null, /speaks protocol undefined, not 1 or 2/],
    [{ protocol: 3 }, /speaks protocol 3, not 1 or 2/],
    [{ protocol: '2' }, /speaks protocol "2"/],
    [{ protocol: 2, capabilities: { largestInstallments: 0 } }, /capability largestInstallments/],
    [{ protocol: 2, capabilities: { largestInstallments: 100 } }, /capability largestInstallments/],
    [{ protocol: 2, capabilities: { lookUpDays: 1.5 } }, /capability lookUpDays/],
    [{ protocol: 2, capabilities: { captureLater: 'yes' } }, /capability captureLater/],
    [{ protocol: 2, capabilities: { brands: ['cabal'] } }, /capability brands/],
    [{ protocol: 2, capabilities: { brands: 'visa' } }, /capability brands/],
    [
      { protocol: 2, capabilities: { longestReference: 35 } },
      /references of 35 characters, and ours have 36/,
    ],
  ];
  for (const [body, reason] of faults) {
    const read = readAbout(body);
    assert.match(typeof read === 'string' ? read : JSON.stringify(read), reason);
  }
});
