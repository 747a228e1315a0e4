import { FREE_CODES } from '../../../antifraud/codes.sql.ts';
import { COUNT_DECLINES, UNCOUNT_TRIES } from '../../../antifraud/velocity-events.sql.ts';
import { FREE_CARD_SOURCES } from '../../../cards/tokens/card-tokens.sql.ts';
import { MARK_USES } from '../../../cards/vault/card-uses.sql.ts';
import { FREE_KEYS } from '../../../idempotency/idempotency-keys.sql.ts';
import type { BatchedWriteOptions } from '../../../platform/postgres/batched-writes.ts';
import { type Database, type Row, statement, type Tx } from '../../../platform/postgres/database.ts';
import { inputRows } from '../../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../platform/postgres/state-table.ts';
import { saoPauloOffsetText, utcText } from '../../../values/instant.ts';
import type { Deliverer } from '../../../webhooks/deliveries/delivery.ts';
import { parseDeliveryToSend, SENDING, SENDING_JOINS } from '../../../webhooks/deliveries/to-send.sql.ts';
import {
  ENQUEUE_CALLBACK_DELIVERIES,
  ENQUEUE_MOVEMENT_DELIVERIES,
  IS_WAITING,
} from '../../movements/movement-deliveries.sql.ts';
import { TRANSACTION_MOVES } from '../../transaction.ts';
import { findStates } from '../../transaction-queries.sql.ts';
import { commitApprovals, isPlain } from './approvals.sql.ts';
import { type OutcomeRow, PARTS, partsOf, SHARES, sharesOf } from './outcome-rows.sql.ts';

export type { OutcomeRow };

/** `isRecorded` false: another process has taken the charge over. */
export type OutcomeResult = { readonly isRecorded: boolean };

const INPUT = inputRows<OutcomeRow & { readonly lease: number }>(
  {
    merchant_id: ['text', (row) => row.merchantId],
    transaction_id: ['uuid', (row) => row.transactionId],
    fence: ['integer', (row) => row.fence],
    expected_state: ['text', (row) => row.expected],
    state: ['text', (row) => row.state],
    authorization_code: ['text', (row) => row.authorizationCode],
    nsu: ['text', (row) => row.nsu],
    network_transaction_id: ['text', (row) => row.networkReference.transactionId],
    transaction_link_id: ['text', (row) => row.networkReference.linkId],
    tid: ['text', (row) => row.tid],
    response_code: ['text', (row) => row.responseCode],
    advice_code: ['text', (row) => row.adviceCode],
    unknown_reason: ['text', (row) => row.unknownReason],
    moment: ['timestamptz', (row) => utcText(row.moment)],
    moment_text: ['text', (row) => saoPauloOffsetText(row.moment)],
    lease: ['integer', (row) => row.lease],
  },
  { after: SHARES },
);

const CHANGED = rowCodec({ transactionId: column.text('c.transaction_id') });

const COMMIT_OUTCOMES = statement(
  'transactions.commit_outcomes',
  `with input as (
     select * from ${INPUT.sql}
   ), locked as (
     select t.merchant_id, t.transaction_id, t.account_number, t.source_hash, t.anti_fraud_code, t.vault_id, t.card_brand, i.state,
       i.authorization_code, i.nsu, i.network_transaction_id, i.transaction_link_id, i.tid, i.response_code,
       i.advice_code, i.unknown_reason, i.moment, i.moment_text, i.lease, t.callback_url, t.amount, t.installment_count
     from input i join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
     where t.state = i.expected_state and t.fence = i.fence
     order by t.merchant_id, t.transaction_id
     for no key update of t
   ), changed as (
     update transactions t set state = l.state, authorization_code = l.authorization_code, nsu = l.nsu,
       network_transaction_id = l.network_transaction_id, transaction_link_id = l.transaction_link_id, tid = l.tid,
       response_code = l.response_code,
       advice_code = l.advice_code, unknown_reason = coalesce(l.unknown_reason, t.unknown_reason),
       decided_at = case when l.state = 'unresolved' then null else now() end,
       approved_at = case when l.state = 'approved' then l.moment end,
       due_at = case when l.state = 'unresolved' then now() end
     from locked l
     where t.merchant_id = l.merchant_id and t.transaction_id = l.transaction_id
     returning t.transaction_id
   ), parts as (
     insert into installments (merchant_id, ${PARTS.names}, state)
     select l.merchant_id, ${PARTS.selected}, 'authorized'
     from ${PARTS.sql}
     join locked l using (transaction_id)
   ), moves as (
     insert into movements (merchant_id, account_number, transaction_id, installment_number, type, new_state, nsu,
       authorization_code, moment)
     select l.merchant_id, l.account_number, l.transaction_id, p.installment_number, 'Autorizacao', 'authorized', l.nsu,
       l.authorization_code, l.moment
     from ${PARTS.sql}
     join locked l using (transaction_id)
     returning *
   ), news as (
     select l.*, case l.state when 'approved' then '0' when 'declined' then l.response_code end as callback_status
     from locked l
   ), ${ENQUEUE_MOVEMENT_DELIVERIES}, ${ENQUEUE_CALLBACK_DELIVERIES}, leased as (
     select * from enqueued_movements where fence > 0 union all select * from enqueued_callbacks where fence > 0
   ), divided as (
     insert into shares (merchant_id, ${SHARES.names})
     select l.merchant_id, ${SHARES.selected}
     from ${SHARES.sql}
     join locked l using (transaction_id)
   ), given_back as (
     select merchant_id, transaction_id, source_hash, anti_fraud_code, true as is_declined, card_brand, response_code
     from locked where state = 'declined'
   ), ${FREE_CARD_SOURCES}, ${FREE_CODES}, ${COUNT_DECLINES}, used_cards as (
     select merchant_id, vault_id, network_transaction_id, transaction_link_id
     from locked where state = 'approved' and vault_id is not null
   ), ${MARK_USES}
   select ${CHANGED.columns}, ${IS_WAITING}, l.*
   from changed c full join (
     select ${SENDING.columns} from leased d ${SENDING_JOINS}
   ) l on l.transaction_of = c.transaction_id`,
);

/** How many merchants a process remembers as notified: the statement for plain approvals leaves them out. */
const MOST_NOTIFIED_KNOWN = 10_000;

/**
 * Runs one statement, or two if the one for plain approvals left out merchants who are notified. These are
 * kept in `notified`, so that it is not tried again for them.
 */
async function commitOutcomes(
  database: Database,
  deliverer: Deliverer,
  notified: Set<string>,
  rows: readonly OutcomeRow[],
): Promise<ReadonlySet<string>> {
  const arePlain = rows.every((row) => isPlain(row) && !notified.has(row.merchantId));
  const approved = arePlain ? await commitApprovals(database, rows.filter(isPlain)) : new Set<string>();
  const others = rows.filter(({ transactionId }) => !approved.has(transactionId));
  if (others.length === 0) return approved;
  const leases = outcomeLeases(others, deliverer);
  const changed = await database.query(COMMIT_OUTCOMES, outcomeValues(others, leases));
  dispatchDeliveries(deliverer, changed);
  const recorded = recordedOutcomes(changed);
  if (notified.size > MOST_NOTIFIED_KNOWN) notified.clear();
  if (arePlain) for (const row of others) if (recorded.has(row.transactionId)) notified.add(row.merchantId);
  return new Set([...approved, ...recorded]);
}

/**
 * One statement: transaction, installments, shares, first movements and deliveries. A decline also frees card
 * source and anti-fraud code and marks its velocity event; an approval marks a stored card's first use, and
 * gives a card the link that it lacks. Requires the row's expected state and the caller's fence. A stored
 * card locked elsewhere (another first use, a deletion, a new sealing) is skipped, so that nothing waits or
 * deadlocks here; the caller marks a first use afterwards, and a link comes with the next use. Repeatable:
 * state and fence show what an earlier try wrote, because only this caller can have written it. Its
 * deliveries are not written again; those that it leased are sent when the lease ends.
 */
export function outcomesWrite(
  database: Database,
  deliverer: Deliverer,
): BatchedWriteOptions<OutcomeRow, OutcomeResult> {
  const notified = new Set<string>();
  return {
    name: 'outcomes',
    isRefusal: () => false,
    key: (row) => row.transactionId,
    mustBeWritten: true,
    merchant: (row) => row.merchantId,
    bytes: (row) => 300 + 50 * row.installments.length + 60 * row.shares.length,
    write: async (rows) => {
      const recorded = await commitOutcomes(database, deliverer, notified, rows);
      const missing = rows.filter((row) => !recorded.has(row.transactionId));
      const states = await findStates(database, missing);
      const stateOf = new Map(states.map((row) => [row.transactionId, row]));
      return new Map(
        rows.map(({ transactionId, state, fence }) => {
          const present = stateOf.get(transactionId);
          const isOurs = present !== undefined && present.state === state && present.fence === fence;
          return [transactionId, { isRecorded: recorded.has(transactionId) || isOurs }];
        }),
      );
    },
  };
}

/** Deliveries leased by a statement. More would wait here while the delivery work has free slots. */
const MOST_LEASED = 64;

/** The lease of each row's deliveries in milliseconds; 0 (they are not leased) beyond `MOST_LEASED`. */
export function outcomeLeases(
  rows: readonly Pick<OutcomeRow, 'installments'>[],
  deliverer: Pick<Deliverer, 'leaseForNow'>,
): number[] {
  const milliseconds = deliverer.leaseForNow();
  let free = MOST_LEASED;
  return rows.map(({ installments }) => {
    // One for each movement and one for the callback.
    free -= installments.length + 1;
    return free >= 0 ? milliseconds : 0;
  });
}

/** Sends the leased deliveries, after the callers of the payments have been answered. */
export function dispatchDeliveries(
  deliverer: Pick<Deliverer, 'sendNow' | 'notify'>,
  changed: readonly Row[],
): void {
  const leased = changed.filter((row) => row.delivery_number !== null).map(parseDeliveryToSend);
  const isWaiting = changed.some((row) => row.is_waiting);
  if (leased.length === 0 && !isWaiting) return;
  setImmediate(() => {
    if (leased.length > 0) deliverer.sendNow(leased);
    if (isWaiting) deliverer.notify();
  });
}

/**
 * Runs the statement of `outcomesWrite` in a larger commit. `leases` come from `outcomeLeases`, and after the
 * commit the returned rows go to `dispatchDeliveries`. An outcome not in `recordedOutcomes` was not written:
 * another process took the charge over, or an earlier try of the commit wrote it.
 */
export function writeOutcomes(
  tx: Tx,
  rows: readonly OutcomeRow[],
  leases: readonly number[],
): Promise<Row[]> {
  return tx.query(COMMIT_OUTCOMES, outcomeValues(rows, leases));
}

export function recordedOutcomes(changed: readonly Row[]): ReadonlySet<string> {
  return new Set(changed.map((row) => CHANGED.parse(row).transactionId));
}

function outcomeValues(rows: readonly OutcomeRow[], leases: readonly number[]): unknown[][] {
  const leased = rows.map((row, index) => ({ ...row, lease: leases[index] as number }));
  return [...PARTS.values(partsOf(rows)), ...SHARES.values(sharesOf(rows)), ...INPUT.values(leased)];
}

export type UnsentChargeRow = {
  readonly merchantId: string;
  readonly transactionId: string;
  /** For people. */
  readonly reason: string;
  readonly keyHash: Buffer | null;
};

const UNSENT_INPUT = inputRows<UnsentChargeRow>({
  merchant_id: ['text', (row) => row.merchantId],
  transaction_id: ['uuid', (row) => row.transactionId],
  reason: ['text', (row) => row.reason],
  key_hash: ['bytea', (row) => row.keyHash],
});

/** Ends only a charge that no process has claimed: resolving raises the fence before it asks the acquirer. */
const END = statement(
  'transactions.end_unsent',
  `with input as (
     select * from ${UNSENT_INPUT.sql}
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
 * Ends charges that were not sent. Card source, anti-fraud code, velocity event and the request's key are as
 * before the intent. The row stays, voided, so that a late first try of the intent finds its id taken.
 * Repeatable: only the process that has the fence ends it.
 */
export function unsentChargesWrite(database: Database): BatchedWriteOptions<UnsentChargeRow, OutcomeResult> {
  return {
    name: 'unsentCharges',
    isRefusal: () => false,
    key: (row) => row.transactionId,
    merchant: (row) => row.merchantId,
    mustBeWritten: true,
    async write(rows) {
      const changed = await database.query(END, UNSENT_INPUT.values(rows));
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
