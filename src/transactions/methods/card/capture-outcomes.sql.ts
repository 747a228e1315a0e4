import { FREE_KEYS } from '../../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, oneByOne } from '../../../platform/postgres/batched-writes.ts';
import { type Database, type Row, statement, type Tx } from '../../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../platform/postgres/state-table.ts';
import { type Cents, splitIntoInstallments } from '../../../values/cents.ts';
import { type Instant, saoPauloOffsetText, utcText } from '../../../values/instant.ts';
import type { Deliverer } from '../../../webhooks/deliveries/delivery.ts';
import { CAPTURE_MOVES, CAPTURE_STATES, type CaptureState } from '../../capture.ts';
import { ENQUEUE_CALLBACK_DELIVERIES } from '../../movements/movement-deliveries.sql.ts';
import type { Ended } from '../../requests/request-queue.sql.ts';
import { readSplit, recordedShares } from '../../split.ts';
import { TRANSACTION_MOVES } from '../../transaction.ts';
import { dispatchDeliveries, type OutcomeRow, outcomeLeases, writeOutcomes } from './outcomes.sql.ts';

export type CaptureOutcomeRow = {
  readonly merchantId: string;
  readonly captureId: string;
  readonly transactionId: string;
  /** What was asked for, or what a person has found captured in its place. */
  readonly amount: Cents;
  /** Business time. */
  readonly moment: Instant;
  /** Set if the capture ends as if it had never been requested: its request's key is freed. */
  readonly keyToFree?: Buffer | null;
} & Ended;

const HELD = rowCodec(
  {
    fence: column.whole(),
    installmentCount: column.whole(),
    split: column.nullable(column.parsedBy(readSplit)),
    authorizationCode: column.text(),
    nsu: column.text(),
    networkTransactionId: column.nullable(column.text()),
    transactionLinkId: column.nullable(column.text()),
    tid: column.nullable(column.text()),
  },
  't',
);

const LOCK = statement(
  'captures.lock',
  `select ${HELD.columns}
   from captures c join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id
   where c.merchant_id = $1 and c.capture_id = $2 and c.state = 'capturing' and c.fence = coalesce($3, c.fence)
     and t.state = 'capturing'
   for no key update of t, c`,
);

/**
 * Records the capture, and in the transaction only a lower amount. The transaction's approval follows in the
 * same commit.
 */
const RECORD = statement(
  'captures.record',
  `with changed as (
     update captures set state = 'captured', decided_at = now(), captured_at = $3::timestamptz, due_at = null,
       amount = $4
     where merchant_id = $1 and capture_id = $2 and state in (${fromStates(CAPTURE_MOVES, 'confirm')})
     returning merchant_id, transaction_id, amount
   ), lowered as (
     update transactions t set amount = c.amount from changed c
     where t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id and t.amount <> c.amount
   )
   select transaction_id from changed`,
);

/** Records a refused capture, and sends a callback if the caller of the capture had no answer. */
const RECORD_REFUSAL = statement(
  'captures.record_refusal',
  `with changed as (
     update captures set state = 'refused', decided_at = now(), due_at = null, refusal_reason = $3
     where merchant_id = $1 and capture_id = $2 and state in (${fromStates(CAPTURE_MOVES, 'refuse', 'withdraw')})
       and fence = $4
     returning merchant_id, transaction_id, unknown_reason is not null as is_late
   ), unkeyed as (
     select merchant_id, $5::bytea as key_hash, $2::uuid as resource_id from changed
   ), ${FREE_KEYS}, waiting as (
     update preauthorizations p set expires_at = p.capture_until from changed c
     where p.merchant_id = c.merchant_id and p.transaction_id = c.transaction_id
   ), released as (
     update transactions t set state = 'preauthorized' from changed c
     where t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id
       and t.state in (${fromStates(TRANSACTION_MOVES, 'failCapture')})
     returning t.merchant_id, t.transaction_id, t.account_number, t.callback_url, t.amount, t.installment_count, t.nsu,
       t.authorization_code, c.is_late
   ), news as (
     select f.*, $6::timestamptz as moment, $7::text as moment_text, 0 as lease,
       case when f.is_late then 'CAPTURA_RECUSADA' end as callback_status
     from released f
   ), ${ENQUEUE_CALLBACK_DELIVERIES}
   select transaction_id, null as delivery_number,
     exists (select from enqueued_callbacks where fence = 0) as is_waiting from released`,
);

const STATE = rowCodec({ state: column.oneOf(CAPTURE_STATES) });

const FIND_STATE = statement(
  'captures.find_state',
  `select ${STATE.columns} from captures where merchant_id = $1 and capture_id = $2`,
);

const LIMITS = { statementsInFlight: 4, waitingCallers: 500 };

/**
 * Records the outcome of a capture in one commit. Captured: the capture, and the transaction with
 * installments, shares, movements and deliveries, as if charged at once. Refused: the transaction is as
 * before. Returns the recorded state, so repeating is harmless.
 */
export function captureOutcomesWrite(
  database: Database,
  deliverer: Deliverer,
): BatchedWriteOptions<CaptureOutcomeRow, CaptureState> {
  return oneByOne({
    name: 'captureOutcomes',
    isRefusal: () => false,
    key: (row) => row.captureId,
    mustBeWritten: true,
    merchant: (row) => row.merchantId,
    limits: LIMITS,
    write: (row) => recordOutcome(database, deliverer, row),
  });
}

async function recordOutcome(
  database: Database,
  deliverer: Deliverer,
  row: CaptureOutcomeRow,
): Promise<CaptureState> {
  const written = await database.transaction((tx) => recordCaptureOutcome(tx, row, deliverer));
  dispatchDeliveries(deliverer, written);
  const [found] = await database.query(FIND_STATE, [row.merchantId, row.captureId]);
  if (found === undefined) throw new Error(`the capture ${row.captureId} is gone`);
  return STATE.parse(found).state;
}

/** Returns the rows for `dispatchDeliveries`; none if nothing changed. */
export async function recordCaptureOutcome(
  tx: Tx,
  row: CaptureOutcomeRow,
  deliverer: Pick<Deliverer, 'leaseForNow'>,
): Promise<Row[]> {
  const { merchantId, captureId, refusalReason, moment, fence = null, keyToFree = null } = row;
  const [held] = await tx.query(LOCK, [merchantId, captureId, fence]);
  if (held === undefined) return [];
  if (refusalReason !== null)
    return await tx.query(RECORD_REFUSAL, [
      ...[merchantId, captureId, refusalReason, fence, keyToFree],
      ...[utcText(moment), saoPauloOffsetText(moment)],
    ]);
  const recorded = await tx.query(RECORD, [merchantId, captureId, utcText(moment), row.amount]);
  if (recorded.length === 0) return [];
  const outcome = approvalOf(row, HELD.parse(held));
  return await writeOutcomes(tx, [outcome], outcomeLeases([outcome], deliverer));
}

function approvalOf(
  { merchantId, transactionId, amount, moment }: CaptureOutcomeRow,
  { installmentCount, split, networkTransactionId, transactionLinkId, ...held }: RowOf<typeof HELD>,
): OutcomeRow {
  const installments = splitIntoInstallments(amount, installmentCount);
  return {
    ...held,
    networkReference: { transactionId: networkTransactionId, linkId: transactionLinkId },
    merchantId,
    transactionId,
    expected: 'capturing',
    state: TRANSACTION_MOVES.capturing.capture,
    responseCode: null,
    adviceCode: null,
    unknownReason: null,
    installments,
    shares: recordedShares(amount, split, installments),
    moment,
  };
}
