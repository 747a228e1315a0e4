import { FREE_CODES } from '../../antifraud/codes.sql.ts';
import { UNCOUNT_TRIES } from '../../antifraud/velocity-events.sql.ts';
import { FREE_CARD_SOURCES } from '../../cards/card-source-locks.sql.ts';
import { FREE_KEYS } from '../../idempotency/idempotency-keys.sql.ts';
import type { BatchedWriteOptions } from '../../platform/postgres/batched-writes.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { TRANSACTION_MOVES } from '../transaction.ts';
import { findStates } from '../transaction-queries.sql.ts';
import type { OutcomeResult } from './outcomes.sql.ts';

/** An unsent charge, by the process that began it. */
export type UnsentChargeRow = {
  readonly merchantId: string;
  readonly transactionId: string;
  /** For people. */
  readonly reason: string;
  /** Of the request, when it brought a key. */
  readonly keyHash: Buffer | null;
};

const INPUT = inputRows<UnsentChargeRow>({
  merchant_id: ['text', (row) => row.merchantId],
  transaction_id: ['uuid', (row) => row.transactionId],
  reason: ['text', (row) => row.reason],
  key_hash: ['bytea', (row) => row.keyHash],
});

/**
 * Only a charge that no other process has claimed: resolving raises the fence before it asks the
 * acquirer.
 */
const END = statement(
  'transactions.end_unsent',
  `with input as (
     select * from ${INPUT.sql}
   ), locked as (
     select t.merchant_id, t.transaction_id, t.source_hash, t.anti_fraud_code, i.reason, i.key_hash
     from input i join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
     where t.state in (${fromStates(TRANSACTION_MOVES, 'withdraw')}) and t.fence = 0
     order by t.merchant_id, t.transaction_id
     for no key update of t
   ), changed as (
     update transactions t set state = 'voided', decided_at = now(), due_at = null, unknown_reason = l.reason
     from locked l where t.merchant_id = l.merchant_id and t.transaction_id = l.transaction_id
     returning t.transaction_id
   ), given_back as (
     select merchant_id, transaction_id, source_hash, anti_fraud_code from locked
   ), ${FREE_CARD_SOURCES}, ${FREE_CODES}, ${UNCOUNT_TRIES}, unkeyed as (
     select merchant_id, key_hash, transaction_id as resource_id from locked
   ), ${FREE_KEYS}
   select transaction_id from changed`,
);

/**
 * Takes intents back: card source, anti-fraud code, velocity event and the request's key are as
 * they were before. The row stays, voided, so that a first try of the intent which arrives late
 * finds its id taken. Repeatable: only the process that has the fence ends it.
 */
export function unsentChargesWrite(database: Database): BatchedWriteOptions<UnsentChargeRow, OutcomeResult> {
  return {
    name: 'unsentCharges',
    isRefusal: () => false,
    key: (row) => row.transactionId,
    merchant: (row) => row.merchantId,
    mustBeWritten: true,
    async write(rows) {
      const changed = await database.query(END, INPUT.values(rows));
      const ended = new Set(changed.map((row) => row.transaction_id));
      const missing = rows.filter((row) => !ended.has(row.transactionId));
      for (const { transactionId, state, fence } of await findStates(database, missing))
        if (state === 'voided' && fence === 0) ended.add(transactionId);
      return new Map(
        rows.map(({ transactionId }) => [transactionId, { isRecorded: ended.has(transactionId) }]),
      );
    },
  };
}
