import type { VaultCard } from '../../../cards/vault/vault-card.ts';
import { CARD_OF_KEY, parseVaultCard, WHOLE_CARD } from '../../../cards/vault/vault-cards.sql.ts';
import type { IdSpan, RecordedRequest } from '../../../idempotency/idempotency-key.ts';
import { RECORDED, REQUEST_OF_KEY } from '../../../idempotency/idempotency-keys.sql.ts';
import type { BatchedReadOptions } from '../../../platform/postgres/batched-reads.ts';
import { type Database, type Row, statement } from '../../../platform/postgres/database.ts';
import { inputRows, own } from '../../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { NEVER_SENT } from '../../transaction-queries.sql.ts';

/** A field that is null is not looked for. `vaultId`: in lower case. */
export type KeyAndSpan = IdSpan & {
  readonly merchantId: string;
  readonly keyHash: Buffer | null;
  readonly vaultId: string | null;
};

/**
 * `made`: a sent transaction with an id of the span. `card`: the stored card that is to pay. `recorded` is
 * parsed by the caller: a row that cannot be parsed fails that payment alone, and not its batch.
 */
export type FoundOfKey = {
  readonly recorded: () => RecordedRequest | null;
  readonly made: string | null;
  readonly card: () => VaultCard | null;
};

const ASKED = inputRows<KeyAndSpan>(
  {
    ...own({ merchantId: 'text', keyHash: 'bytea', first: 'uuid', last: 'uuid', vaultId: 'uuid' }),
  },
  { place: 'place' },
);

const FOUND = rowCodec({
  place: column.whole('i.place'),
  made: column.nullable(column.text('m.transaction_id')),
});
const OF_KEY = rowCodec({ ...RECORDED.fields }, 'k', 'key_');

const FIND_OF_KEYS = statement(
  'transactions.find_of_keys',
  `select ${FOUND.columns}, ${OF_KEY.columns}, ${WHOLE_CARD} from ${ASKED.sql} left join lateral (
     ${REQUEST_OF_KEY}
   ) k on true left join lateral (
     (select t.transaction_id from transactions t
      where t.merchant_id = i.merchant_id and t.transaction_id between i.first and i.last and not coalesce(${NEVER_SENT}, false)
      limit 1)
     union all
     (select r.transaction_id from restored_charges r
      where r.merchant_id = i.merchant_id and r.transaction_id between i.first and i.last
        and r.decision in ('undecided', 'unfinished')
      limit 1)
     limit 1
   ) m on true left join lateral (
     ${CARD_OF_KEY}
   ) v on true
   where k.key_hash is not null or m.transaction_id is not null or v.vault_id is not null`,
);

/**
 * Finds what the key of a request made, by the key's row and by the ids derived from the key: a restored
 * database has lost the row, and what only the acquirer has is still to be recorded there, or to be decided
 * by a person. The same statement finds the stored card, because each payment with a key waits for both, and
 * another statement would cost more than what it finds.
 */
export function foundOfKeysRead(database: Database): BatchedReadOptions<KeyAndSpan, FoundOfKey> {
  const textOf = ({ merchantId, first, last, keyHash, vaultId }: KeyAndSpan) =>
    `${merchantId}|${first}|${last}|${keyHash?.toString('base64')}|${vaultId}`;
  return {
    name: 'requests and transactions of keys',
    textOf,
    async read(asked) {
      const rows = await database.query(FIND_OF_KEYS, ASKED.values(asked));
      const found = rows.map((row): [string, FoundOfKey] => {
        const { place, made } = FOUND.parse(row);
        // The asker is found by its place in `asked`: an answer that no asker recognized would mean that the
        // key is new.
        return [textOf(asked[place - 1] as KeyAndSpan), { ...partsOf(row), made }];
      });
      return new Map(found);
    },
  };
}

function partsOf(row: Row): Pick<FoundOfKey, 'recorded' | 'card'> {
  return {
    recorded: () => (row.key_resource_id === null ? null : OF_KEY.parse(row)),
    card: () => (row.vault_id === null ? null : parseVaultCard(row)),
  };
}
