import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_NETWORK_REFERENCE } from '../../providers/acquirers/network-reference.ts';
import { instant } from '../../values/instant.ts';
import type { NamedCard } from '../card.ts';
import {
  fieldsThatDiffer,
  nextUseOf,
  type VaultCard,
  vaultCardEvent,
  vaultCardRecord,
  vaultCardStatus,
} from './vault-card.ts';

const stored: VaultCard = {
  merchantId: 'LOJA',
  vaultId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  number: { dataKeyId: 1, bytes: Buffer.alloc(0) },
  brand: 'mastercard',
  firstSix: '515590',
  lastFour: '0001',
  expirationMonth: '11',
  expirationYear: '26',
  holderName: 'ANA SOUZA',
  isUsed: false,
  networkReference: NO_NETWORK_REFERENCE,
};
const nothing: NamedCard = {
  numberToken: null,
  encryptedCard: null,
  vaultId: stored.vaultId,
  holderName: null,
  securityCode: null,
  brand: null,
  expirationMonth: null,
  expirationYear: null,
};

test('a stored card is active through its last month and expired from then on', () => {
  assert.equal(vaultCardStatus(stored, instant(Date.parse('2026-11-30T12:00:00Z'))), 'active');
  assert.equal(vaultCardStatus(stored, instant(Date.parse('2026-12-01T12:00:00Z'))), 'expired');
});

test('the first use has no name to send again, a later one sends what the network called the first', () => {
  assert.deepEqual(nextUseOf(stored), {
    vaultId: stored.vaultId,
    isFirst: true,
    networkReference: NO_NETWORK_REFERENCE,
  });
  const networkReference = { transactionId: '300000000000001', linkId: 'aB3dE5fG7hI9jK1lM3nO5p' };
  const used = { ...stored, isUsed: true, networkReference };
  assert.deepEqual(nextUseOf(used), {
    vaultId: stored.vaultId,
    isFirst: false,
    networkReference,
  });
});

test('whatever stands beside a stored card must be as it was stored', () => {
  assert.deepEqual(fieldsThatDiffer(nothing, stored), []);
  const same = { holderName: 'ANA SOUZA', brand: 'mastercard', expirationMonth: '11', expirationYear: '26' };
  assert.deepEqual(fieldsThatDiffer({ ...nothing, ...same } as NamedCard, stored), []);
  const other = { holderName: 'BIA', brand: 'visa', expirationMonth: '12', expirationYear: '27' };
  assert.deepEqual(fieldsThatDiffer({ ...nothing, ...other } as NamedCard, stored), [
    'holderNameDiffers',
    'brandDiffers',
    'expirationMonthDiffers',
    'expirationYearDiffers',
  ]);
});

test('a sealed number belongs to one merchant and one stored card', () => {
  const records = [vaultCardRecord('A', 'v1'), vaultCardRecord('A', 'v2'), vaultCardRecord('B', 'v1')];
  assert.equal(new Set(records).size, 3);
});

test('the audit log records who acts on which card, and nothing of the card itself', () => {
  const keeper = { merchantId: 'LOJA', userName: 'ana', address: '10.0.0.1' };
  assert.deepEqual(vaultCardEvent('card.delete', keeper, stored.vaultId), {
    action: 'card.delete',
    outcome: 'success',
    actor: 'ana',
    origin: '10.0.0.1',
    resource: `merchants/LOJA/cards/${stored.vaultId}`,
  });
});
