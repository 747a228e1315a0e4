import { type SealedTable, sealedTable } from '../keys/resealing/sealed-rows.sql.ts';
import { cardTokenRecord } from './card.ts';
import { vaultCardRecord } from './vault/vault-card.ts';

const CARD_TOKENS = sealedTable({
  name: 'card_tokens',
  table: 'card_tokens',
  sealed: 'sealed_number',
  keyId: 'data_key_id',
  purpose: 'card',
  key: { merchantId: 'text', tokenHash: 'bytea' },
  record: ({ merchantId, tokenHash }) => cardTokenRecord(merchantId, tokenHash),
});

const VAULT_CARDS = sealedTable({
  name: 'vault_cards',
  table: 'vault_cards',
  sealed: 'sealed_number',
  keyId: 'data_key_id',
  purpose: 'card',
  key: { merchantId: 'text', vaultId: 'uuid' },
  record: ({ merchantId, vaultId }) => vaultCardRecord(merchantId, vaultId),
});

const KEY_PAIRS = sealedTable({
  name: 'card_key_pairs',
  table: 'card_key_pairs',
  sealed: 'sealed_private_key',
  keyId: 'data_key_id',
  purpose: 'keyPair',
  key: { keyId: 'text' },
  record: ({ keyId }) => keyId,
});

export const SEALED_CARD_TABLES: readonly SealedTable[] = [CARD_TOKENS, VAULT_CARDS, KEY_PAIRS];
