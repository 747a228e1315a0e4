import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardTokenRecord } from '../../src/cards/card.ts';
import { vaultCardRecord } from '../../src/cards/vault/vault-card.ts';
import { basicAuthRecord, secretRecord } from '../../src/webhooks/endpoints/webhook-endpoint.ts';

test('what a sealed row is bound to stays as it is inside all rows that are kept', () => {
  assert.deepEqual(
    [
      cardTokenRecord('m', Buffer.from([1])),
      vaultCardRecord('m', 'v'),
      basicAuthRecord('m', 'account:1'),
      secretRecord('m', '1'),
    ],
    ['card token|m|01', 'vault card|m|v', 'webhook target|m|account:1', 'webhook secret|m|1'],
  );
});
