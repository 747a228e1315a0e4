import { HOLD_CODES, TAKE_CODES } from '../../../antifraud/codes.sql.ts';
import { COUNT_TRIES, VELOCITY_COLUMNS } from '../../../antifraud/velocity-events.sql.ts';
import { LOCK_CARD_SOURCES } from '../../../cards/tokens/card-tokens.sql.ts';
import { KEY_COLUMNS, REMEMBER_KEYS, racingForKeys } from '../../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, NOT_WRITTEN } from '../../../platform/postgres/batched-writes.ts';
import { type Database, statement, type Tx } from '../../../platform/postgres/database.ts';
import { NO_DEADLINE } from '../../../platform/postgres/deadline.ts';
import {
  type InputColumns,
  inputRows,
  type Timed,
  withDeadlines,
} from '../../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { utcText } from '../../../values/instant.ts';
import type { Intent } from '../../transaction.ts';
import { findStates } from '../../transaction-queries.sql.ts';

export type IntentRow = Intent & { readonly leaseMilliseconds: number };

/**
 * `sourceUsed`, `codeUsed`: another transaction has the card source or the anti-fraud code. `keyUsed`: the
 * key made another transaction. Nothing was written.
 */
export type IntentRefusal = 'sourceUsed' | 'codeUsed' | 'keyUsed';
export type IntentResult = 'committed' | IntentRefusal;

const PLAIN_COLUMNS: InputColumns<Timed<IntentRow>> = {
  merchant_id: ['text', (row) => row.merchantId],
  transaction_id: ['uuid', (row) => row.transactionId],
  account_number: ['text', (row) => row.accountNumber],
  origin: ['text', (row) => row.origin],
  amount: ['bigint', (row) => row.amount],
  installment_count: ['smallint', (row) => row.installmentCount],
  reference_transaction: ['text', (row) => row.referenceTransaction],
  card_brand: ['text', (row) => row.trace.brand],
  card_first_six: ['text', (row) => row.trace.firstSix],
  card_last_four: ['text', (row) => row.trace.lastFour],
  card_fingerprint: ['bytea', (row) => row.trace.fingerprint],
  source_hash: ['bytea', (row) => row.cardSource?.hash ?? null],
  source_expires_at: [
    'timestamptz',
    (row) => (row.cardSource === null ? null : utcText(row.cardSource.expiresAt)),
  ],
  anti_fraud_code: ['uuid', (row) => row.antiFraudCode],
  callback_url: ['text', (row) => row.callbackUrl],
  customer: ['jsonb', (row) => row.customer],
  created_by: ['text', (row) => row.createdBy],
  sold_at: ['timestamptz', (row) => utcText(row.soldAt)],
  lease: ['integer', (row) => row.leaseMilliseconds],
  vault_id: ['uuid', (row) => row.stored?.vaultId ?? null],
  initiator: ['text', (row) => row.initiator],
  anti_fraud_verdict: ['text', (row) => row.verdict],
  anti_fraud_reasons: ['text', (row) => row.verdictReasons],
  split: ['jsonb', (row) => (row.split === null ? null : JSON.stringify(row.split))],
  ...KEY_COLUMNS,
  acquirer: ['text', (row) => row.acquirer],
  anti_fraud_provider: ['text', (row) => row.antiFraudProvider],
  eci: ['text', (row) => row.authentication?.eci ?? null],
  three_d_secure_version: ['text', (row) => row.authentication?.version ?? null],
  deadline: ['timestamptz', (row) => row.deadline],
};

const PLAIN = inputRows(PLAIN_COLUMNS);
const INPUT = inputRows<Timed<IntentRow>>({
  ...PLAIN_COLUMNS,
  code: ['uuid', (row) => row.codeToClaim],
  ...VELOCITY_COLUMNS,
});

const PLAIN_FATE = rowCodec({
  transactionId: column.text('i.transaction_id'),
  isWritten: column.boolean('w.transaction_id is not null'),
  isLate: column.boolean('clock_timestamp() >= i.deadline'),
  isKeyUsed: column.boolean('f.transaction_id is null'),
});
const FATE = rowCodec({
  ...PLAIN_FATE.fields,
  isCodeUsed: column.boolean('i.code is not null and h.transaction_id is null'),
});

/**
 * Input rows that are not late and whose key is not used yet: of those with the same key only the first, and
 * all rows without a key.
 */
const FRESH_INTENTS = `one_for_each_key as (
     select distinct on (i.merchant_id, i.key_hash) i.transaction_id from input i left join lateral (
       select true as is_taken from idempotency_keys o
       where o.merchant_id = i.merchant_id and o.key_hash = i.key_hash limit 1
     ) k on true
     where i.key_hash is not null and k.is_taken is null
     order by i.merchant_id, i.key_hash, i.transaction_id
   ), fresh as (
     select i.* from input i left join one_for_each_key o using (transaction_id)
     where (i.key_hash is null or o.transaction_id is not null) and clock_timestamp() < i.deadline
   )`;

const WRITE_INTENTS = `written as (
     insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
       reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, source_hash,
       anti_fraud_code, callback_url, customer, created_by, sold_at, due_at, vault_id, initiator,
       anti_fraud_verdict, anti_fraud_reasons, split, acquirer, anti_fraud_provider, eci,
       three_d_secure_version)
     select i.merchant_id, i.transaction_id, i.account_number, i.origin, 'charging', i.amount, i.installment_count,
       i.reference_transaction, i.card_brand, i.card_first_six, i.card_last_four, i.card_fingerprint, i.source_hash,
       i.anti_fraud_code, i.callback_url, i.customer, i.created_by, i.sold_at,
       now() + i.lease * interval '1 millisecond', i.vault_id, i.initiator,
       i.anti_fraud_verdict, i.anti_fraud_reasons, i.split, i.acquirer, i.anti_fraud_provider, i.eci,
       i.three_d_secure_version
     from input i join admitted using (transaction_id)
     on conflict do nothing
     returning transaction_id
   )`;

const KEEP_KEYS = `keyed as (
     select i.*, i.transaction_id as resource_id from input i join written w using (transaction_id)
   ), ${REMEMBER_KEYS}`;

const COMMIT_INTENTS = statement(
  'transactions.commit_intents',
  `with input as (
     select * from ${INPUT.sql}
   ), ${FRESH_INTENTS}, ${HOLD_CODES}, wanted_sources as (
     select * from fresh i
     where i.source_hash is not null and (i.code is null or i.transaction_id in (select transaction_id from held_codes))
   ), ${LOCK_CARD_SOURCES}, admitted as (
     select i.transaction_id from fresh i left join locked_sources c using (transaction_id)
       left join held_codes h using (transaction_id)
     where (i.source_hash is null or c.transaction_id is not null) and (i.code is null or h.transaction_id is not null)
   ), ${TAKE_CODES}, ${WRITE_INTENTS}, tried as (
     select i.* from input i join written using (transaction_id)
   ), ${COUNT_TRIES}, ${KEEP_KEYS}
   select ${FATE.columns},
     1 / (w.transaction_id is not null or a.transaction_id is null
       or (c.transaction_id is null and h.transaction_id is null))::integer as is_in_time
   from input i left join fresh f using (transaction_id) left join written w using (transaction_id)
     left join held_codes h using (transaction_id) left join locked_sources c using (transaction_id)
     left join admitted a using (transaction_id)`,
);

/**
 * For rows that claim no anti-fraud code and count no try for the velocity rules: the parts that this
 * statement leaves out are a third of the cost of an intent that is written alone.
 */
const COMMIT_PLAIN_INTENTS = statement(
  'transactions.commit_intents_plain',
  `with input as (
     select * from ${PLAIN.sql}
   ), ${FRESH_INTENTS}, wanted_sources as (
     select * from fresh where source_hash is not null
   ), ${LOCK_CARD_SOURCES}, admitted as (
     select i.transaction_id from fresh i left join locked_sources c using (transaction_id)
     where i.source_hash is null or c.transaction_id is not null
   ), ${WRITE_INTENTS}, ${KEEP_KEYS}
   select ${PLAIN_FATE.columns},
     1 / (w.transaction_id is not null or c.transaction_id is null)::integer as is_in_time
   from input i left join fresh f using (transaction_id) left join written w using (transaction_id)
     left join locked_sources c using (transaction_id)`,
);

const isPlain = ({ codeToClaim, attempt }: IntentRow) => codeToClaim === null && attempt === null;

/** Returns what became of each row. */
async function commitIntents(tx: Pick<Tx, 'query'>, rows: readonly Timed<IntentRow>[]) {
  if (!rows.every(isPlain)) return (await tx.query(COMMIT_INTENTS, INPUT.values(rows))).map(FATE.parse);
  const returned = await tx.query(COMMIT_PLAIN_INTENTS, PLAIN.values(rows));
  return returned.map((row) => ({ ...PLAIN_FATE.parse(row), isCodeUsed: false }));
}

/**
 * Records intents before the acquirer is called: claims on the anti-fraud code (where only codes that we gave
 * are accepted) and on the card source (a stored card has none), the transaction in state `charging`, and its
 * velocity event. The codes' rows are locked before the first card source is claimed, and marked only if it
 * was claimed: see decision 0017. Repeatable: a row that exists was written by an earlier try of the same
 * caller, because each payment has a new id. A first try whose connection broke may run after the decline
 * that freed the card source. It would claim source and code again for a transaction that exists, and they
 * would never be freed. Then `is_in_time` divides by zero, so that nothing is committed. After its deadline
 * an intent claims nothing: its caller has been answered, or cut off. The request's key comes last, after
 * every lock, and without `on conflict`: a key that another process commits meanwhile rolls the statement
 * back, so that a late request leaves no claim.
 */
export function intentsWrite(database: Database): BatchedWriteOptions<IntentRow, IntentResult> {
  return {
    name: 'intents',
    key: (row) => row.transactionId,
    merchant: (row) => row.merchantId,
    bytes: (row) => 500 + (row.customer?.length ?? 0) + 50 * (row.split?.entries.length ?? 0),
    // `keyUsed` also answers a row in doubt, because a used key stays used. Card source and code may become
    // free before a lost statement arrives.
    isRefusal: (result) => result === 'sourceUsed' || result === 'codeUsed',
    write: async (rows, deadlines) => {
      const timed = withDeadlines(rows, deadlines);
      const found = await racingForKeys(() => commitIntents(database, timed));
      const fates = new Map(found.map((fate) => [fate.transactionId, fate]));
      const missing = rows.filter((row) => fates.get(row.transactionId)?.isWritten !== true);
      const states = await findStates(database, missing);
      const present = new Set(states.map(({ transactionId }) => transactionId));
      return new Map(
        rows.map(({ transactionId }): [string, IntentResult | typeof NOT_WRITTEN] => {
          const fate = fates.get(transactionId);
          const isThere = fate?.isWritten === true || present.has(transactionId);
          if (isThere) return [transactionId, 'committed'];
          if (fate?.isLate === true) return [transactionId, NOT_WRITTEN];
          if (fate?.isKeyUsed === true) return [transactionId, 'keyUsed'];
          return [transactionId, fate?.isCodeUsed === true ? 'codeUsed' : 'sourceUsed'];
        }),
      );
    },
  };
}

/**
 * Runs the statements of `intentsWrite` in a larger commit. That is right only if every row was written, so
 * the rows have no deadline. Returns the transactions that were written now, and the caller compares them
 * with its rows: the charge of a billing may stand in a restored database already. A caller whose rows have
 * keys repeats its commit as `racingForKeys` does.
 */
export async function writeIntents(tx: Tx, rows: readonly IntentRow[]): Promise<ReadonlySet<string>> {
  const untimed = rows.map((row) => ({ ...row, deadline: NO_DEADLINE }));
  const fates = await commitIntents(tx, untimed);
  return new Set(fates.filter(({ isWritten }) => isWritten).map(({ transactionId }) => transactionId));
}
