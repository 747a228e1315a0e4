import { keyPart, RESEALED, type ResealedRow, type SealedTable } from '../keys/resealing/sealed-rows.sql.ts';
import { statement } from '../platform/postgres/database.ts';
import { inputRows } from '../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../platform/postgres/row-codec.ts';
import { cardTokenRecord } from './card.ts';
import { vaultCardRecord } from './vault/vault-card.ts';

const TOKEN_KEY = rowCodec({ merchantId: column.text(), tokenHash: column.bytes() });
const TOKEN_ROWS = inputRows<ResealedRow>(
  { ...RESEALED, merchant_id: ['text', keyPart(0)], token_hash: ['bytea', keyPart(1)] },
  { after: 1 },
);
const VAULT_KEY = rowCodec({ merchantId: column.text(), vaultId: column.text() });
const VAULT_ROWS = inputRows<ResealedRow>(
  { ...RESEALED, merchant_id: ['text', keyPart(0)], vault_id: ['uuid', keyPart(1)] },
  { after: 1 },
);
const PAIR_KEY = rowCodec({ keyId: column.text() });
const PAIR_ROWS = inputRows<ResealedRow>({ ...RESEALED, key_id: ['text', keyPart(0)] }, { after: 1 });

const CARD_TOKENS: SealedTable = {
  rows: TOKEN_ROWS,
  purpose: 'card',
  firstKey: ['', Buffer.alloc(0)],
  hold: statement(
    'cards.hold_sealed_tokens',
    `select ${TOKEN_KEY.columns}, sealed_number as sealed, data_key_id from card_tokens
     where data_key_id = any($1::integer[]) and (merchant_id, token_hash) > ($3::text, $4::bytea)
     order by merchant_id, token_hash limit $2 for no key update skip locked`,
  ),
  change: statement(
    'cards.reseal_tokens',
    `update card_tokens t set sealed_number = i.sealed, data_key_id = $1
     from ${TOKEN_ROWS.sql}
     where t.merchant_id = i.merchant_id and t.token_hash = i.token_hash and t.data_key_id = i.expected
     returning 1`,
  ),
  count: statement(
    'cards.count_sealed_tokens',
    `select data_key_id, count(*) as sealed_rows from card_tokens where data_key_id = any($1::integer[])
     group by data_key_id`,
  ),
  recordOf(row) {
    const { merchantId, tokenHash } = TOKEN_KEY.parse(row);
    return cardTokenRecord(merchantId, tokenHash);
  },
  keyOf: (row) => [row.merchant_id, row.token_hash],
};

const VAULT_CARDS: SealedTable = {
  rows: VAULT_ROWS,
  purpose: 'card',
  firstKey: ['', '00000000-0000-0000-0000-000000000000'],
  hold: statement(
    'vault.hold_sealed_cards',
    `select ${VAULT_KEY.columns}, sealed_number as sealed, data_key_id from vault_cards
     where data_key_id = any($1::integer[]) and (merchant_id, vault_id) > ($3::text, $4::uuid)
     order by merchant_id, vault_id limit $2 for no key update skip locked`,
  ),
  change: statement(
    'vault.reseal_cards',
    `update vault_cards v set sealed_number = i.sealed, data_key_id = $1
     from ${VAULT_ROWS.sql}
     where v.merchant_id = i.merchant_id and v.vault_id = i.vault_id and v.data_key_id = i.expected
     returning 1`,
  ),
  count: statement(
    'vault.count_sealed_cards',
    `select data_key_id, count(*) as sealed_rows from vault_cards where data_key_id = any($1::integer[])
     group by data_key_id`,
  ),
  recordOf(row) {
    const { merchantId, vaultId } = VAULT_KEY.parse(row);
    return vaultCardRecord(merchantId, vaultId);
  },
  keyOf: (row) => [row.merchant_id, row.vault_id],
};

const KEY_PAIRS: SealedTable = {
  rows: PAIR_ROWS,
  purpose: 'keyPair',
  firstKey: [''],
  hold: statement(
    'cards.hold_sealed_pairs',
    `select ${PAIR_KEY.columns}, sealed_private_key as sealed, data_key_id from card_key_pairs
     where data_key_id = any($1::integer[]) and key_id > $3::text
     order by key_id limit $2 for no key update skip locked`,
  ),
  change: statement(
    'cards.reseal_pairs',
    `update card_key_pairs p set sealed_private_key = i.sealed, data_key_id = $1
     from ${PAIR_ROWS.sql}
     where p.key_id = i.key_id and p.data_key_id = i.expected
     returning 1`,
  ),
  count: statement(
    'cards.count_sealed_pairs',
    `select data_key_id, count(*) as sealed_rows from card_key_pairs where data_key_id = any($1::integer[])
     group by data_key_id`,
  ),
  recordOf: (row) => PAIR_KEY.parse(row).keyId,
  keyOf: (row) => [row.key_id],
};

export const SEALED_CARD_TABLES: readonly SealedTable[] = [CARD_TOKENS, VAULT_CARDS, KEY_PAIRS];
