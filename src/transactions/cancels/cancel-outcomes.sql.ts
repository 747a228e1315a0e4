import { FREE_KEYS } from '../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, oneByOne } from '../../platform/postgres/batched-writes.ts';
import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, listsCodec, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import type { Cents } from '../../values/cents.ts';
import { type Instant, saoPauloOffsetText, utcText } from '../../values/instant.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import {
  ENQUEUE_CALLBACK_DELIVERIES,
  ENQUEUE_MOVEMENT_DELIVERIES,
  IS_WAITING,
  NEWS_OF_CHANGE,
} from '../movements/movement-deliveries.sql.ts';
import type { Ended } from '../requests/request-queue.sql.ts';
import { INSTALLMENT_MOVES, INSTALLMENT_STATES, type InstallmentState } from '../transaction.ts';
import { CANCEL_MOVES, CANCEL_STATES, type CancelState } from './cancel.ts';
import { type CanceledPart, canceledParts, type InstallmentRest, type Reduced } from './partial-cancel.ts';

type CancelKey = {
  readonly merchantId: string;
  readonly cancelId: string;
};

/** The acquirer decides later, and is asked again after `askAfterSeconds` of real time. */
export type AcceptedCancelRow = CancelKey & {
  readonly askAfterSeconds: number;
  readonly fence: number;
  /** The acquirer's own identifier of the cancel; null if none was named. */
  readonly refundId: string | null;
  /** Why a person should look; null: it is not late. */
  readonly overdue: string | null;
};

export type CancelOutcomeRow = CancelKey & {
  readonly transactionId: string;
  readonly amount: Cents;
  /** Business time. */
  readonly moment: Instant;
  /** Set if the cancel ends as if it had never been requested: its request's key is freed. */
  readonly keyToFree?: Buffer | null;
} & Ended;

const LOCK = statement(
  'cancels.lock',
  `select c.cancel_id
   from cancels c join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id
   where c.merchant_id = $1 and c.cancel_id = $2 and c.state in (${fromStates(CANCEL_MOVES, 'confirm')})
     and c.fence = coalesce($3, c.fence)
   for no key update of t, c`,
);

const REST = rowCodec({
  number: column.whole('i.installment_number'),
  amount: column.money('i.amount'),
  canceledAmount: column.money('i.canceled_amount'),
  state: column.oneOf(INSTALLMENT_STATES, 'i.state'),
});
const SHARES = listsCodec<Reduced>({ amount: column.money(), canceledAmount: column.money() }, 'share', 'd');

const READ_RESTS = statement(
  'cancels.read_rests',
  `select ${REST.columns}, ${SHARES.columns}
   from installments i left join lateral (
     select array_agg(s.amount order by s.position) as share_amount,
       array_agg(s.canceled_amount order by s.position) as share_canceled_amount
     from shares s
     where s.merchant_id = i.merchant_id and s.transaction_id = i.transaction_id
       and s.installment_number = i.installment_number) d on true
   where i.merchant_id = $1 and i.transaction_id = $2 and i.amount > i.canceled_amount
   order by i.installment_number
   for no key update of i`,
);

export type RestRow = InstallmentRest & { readonly state: InstallmentState };

/** Locks and reads the installments that have something left. */
export async function readRests(tx: Tx, merchantId: string, transactionId: string): Promise<RestRow[]> {
  const rows = await tx.query(READ_RESTS, [merchantId, transactionId]);
  return rows.map((row) => ({ ...REST.parse(row), shares: SHARES.parse(row) }));
}

const PARTS = inputRows<CanceledPart>(
  {
    installment_number: ['smallint', (part) => part.number],
    amount: ['bigint', (part) => part.amount],
  },
  { as: 'p', after: 7 },
);

const ENDED_PARTS = inputRows<RestRow>(
  {
    installment_number: ['smallint', (part) => part.number],
    old_state: ['text', (part) => part.state],
  },
  { as: 'm', after: PARTS },
);

/**
 * Each installment has the same number of shares ($4). The cents that shares give back ($3) are ordered by
 * installment, as in `PARTS` ($8), then by position, and found by their index: a join of thousands with
 * thousands could compare each pair. A partly canceled installment makes no movement. Instead the cancel
 * itself takes a movement number, while the statement holds its lock on movements (see `findWriters`), so
 * that readers of movements learn of it.
 */
const RECORD = statement(
  'cancels.record',
  `with changed as (
     update cancels set state = 'canceled', decided_at = now(), canceled_at = $5::timestamptz, due_at = null,
       recorded_number = nextval('movement_ids')
     where merchant_id = $1 and cancel_id = $2 and state in (${fromStates(CANCEL_MOVES, 'confirm')})
       and fence = coalesce($6, fence)
     returning merchant_id, transaction_id, canceled_at as moment, $7::text as moment_text
   ), parts as (
     update installments i set canceled_amount = i.canceled_amount + p.amount,
       state = case when i.canceled_amount + p.amount = i.amount then 'canceled' else i.state end
     from changed c, ${PARTS.sql}
     where i.merchant_id = c.merchant_id and i.transaction_id = c.transaction_id
       and i.installment_number = p.installment_number
       and i.state in (${fromStates(INSTALLMENT_MOVES, 'cancel')})
   ), given_back as (
     update shares s set canceled_amount = s.canceled_amount
       + ($3::bigint[])[(array_position($8::smallint[], s.installment_number) - 1) * $4::integer + s.position]
     from changed c
     where s.merchant_id = c.merchant_id and s.transaction_id = c.transaction_id
       and s.installment_number = any ($8::smallint[])
   ), moves as (
     insert into movements (merchant_id, account_number, transaction_id, installment_number, type, old_state, new_state,
       nsu, authorization_code, moment)
     select t.merchant_id, t.account_number, t.transaction_id, m.installment_number, 'Cancelamento', m.old_state,
       'canceled', t.nsu, t.authorization_code, $5::timestamptz
     from changed c join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id,
       ${ENDED_PARTS.sql}
     order by m.installment_number
     returning *
   ), ${NEWS_OF_CHANGE}, ${ENQUEUE_MOVEMENT_DELIVERIES}, ${ENQUEUE_CALLBACK_DELIVERIES}
   select transaction_id, ${IS_WAITING} from changed`,
);

/** Sends a callback if the caller had no answer, or was answered that the cancel is pending. */
const RECORD_REFUSAL = statement(
  'cancels.record_refusal',
  `with changed as (
     update cancels set state = 'refused', decided_at = now(), due_at = null, refusal_reason = $3
     where merchant_id = $1 and cancel_id = $2 and state in (${fromStates(CANCEL_MOVES, 'refuse', 'withdraw')})
       and fence = $4
     returning merchant_id, transaction_id, amount, coalesce(accepted_at::text, unknown_reason) is not null as is_late
   ), unkeyed as (
     select merchant_id, $5::bytea as key_hash, $2::uuid as resource_id from changed
   ), ${FREE_KEYS}, released as (
     update transactions t set canceled_amount = t.canceled_amount - c.amount
     from changed c where t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id
     returning t.merchant_id, t.transaction_id, t.account_number, t.callback_url, t.amount, t.installment_count, t.nsu,
       t.authorization_code, c.is_late
   ), news as (
     select f.*, $6::timestamptz as moment, $7::text as moment_text, 0 as lease,
       case when f.is_late then 'CANCELAMENTO_RECUSADO' end as callback_status
     from released f
   ), ${ENQUEUE_CALLBACK_DELIVERIES}
   select transaction_id, exists (select from enqueued_callbacks where fence = 0) as is_waiting from released`,
);

/**
 * No money moves yet. `tries` restarts at 0, because pauses after the acceptance are counted on their own.
 * Requires the fence: if a change reported the decision meanwhile, the cancel is due and must stay due. A
 * cancel with an unknown_reason is listed as unresolved.
 */
const RECORD_ACCEPTED = statement(
  'cancels.record_accepted',
  `update cancels set state = 'pending', accepted_at = coalesce(accepted_at, now()), unknown_reason = $6,
     tries = case when accepted_at is null then 0 else tries end,
     due_at = now() + $4 * interval '1 second', rests_until = now() + $4 * interval '1 second',
     refund_id = coalesce($5, refund_id)
   where merchant_id = $1 and cancel_id = $2 and state in (${fromStates(CANCEL_MOVES, 'accept')}) and fence = $3`,
);

const STATE = rowCodec({ state: column.oneOf(CANCEL_STATES) });

const FIND_STATE = statement(
  'cancels.find_state',
  `select ${STATE.columns} from cancels where merchant_id = $1 and cancel_id = $2`,
);

/** One row a batch, because a cancel of many installments and beneficiaries is large. */
const LIMITS = { statementsInFlight: 4, waitingCallers: 500 };

/**
 * Records the outcome in one commit: the cancel, installments, shares, movements and deliveries; a refusal
 * frees the held amount. Returns the recorded state, so repeating is harmless.
 */
export function cancelOutcomesWrite(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
): BatchedWriteOptions<CancelOutcomeRow | AcceptedCancelRow, CancelState> {
  return oneByOne({
    name: 'cancelOutcomes',
    isRefusal: () => false,
    key: (row) => row.cancelId,
    mustBeWritten: true,
    merchant: (row) => row.merchantId,
    limits: LIMITS,
    write: (row) => recordOutcome(database, deliverer, row),
  });
}

async function recordOutcome(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
  row: CancelOutcomeRow | AcceptedCancelRow,
): Promise<CancelState> {
  if ('askAfterSeconds' in row) {
    const { merchantId, cancelId, fence, askAfterSeconds, refundId, overdue } = row;
    await database.query(RECORD_ACCEPTED, [merchantId, cancelId, fence, askAfterSeconds, refundId, overdue]);
  } else {
    const { isWaiting } = await database.transaction((tx) => recordCancelOutcome(tx, row));
    if (isWaiting) deliverer.notify();
  }
  const [found] = await database.query(FIND_STATE, [row.merchantId, row.cancelId]);
  if (found === undefined) throw new Error(`the cancel ${row.cancelId} is gone`);
  return STATE.parse(found).state;
}

/**
 * `isRecorded` false: the cancel was final, or another process holds it. `isWaiting`: a delivery was written.
 */
export type RecordedOutcome = { readonly isRecorded: boolean; readonly isWaiting: boolean };

export async function recordCancelOutcome(tx: Tx, row: CancelOutcomeRow): Promise<RecordedOutcome> {
  const { merchantId, cancelId, transactionId, refusalReason, fence = null, keyToFree = null } = row;
  const held = await tx.query(LOCK, [merchantId, cancelId, fence]);
  if (held.length === 0) return { isRecorded: false, isWaiting: false };
  const moments = [utcText(row.moment), saoPauloOffsetText(row.moment)];
  const [written] =
    refusalReason === null
      ? await tx.query(RECORD, givenBack(row, await readRests(tx, merchantId, transactionId)))
      : await tx.query(RECORD_REFUSAL, [
          ...[merchantId, cancelId, refusalReason, fence, keyToFree],
          ...moments,
        ]);
  return { isRecorded: written !== undefined, isWaiting: written?.is_waiting === true };
}

function givenBack(row: CancelOutcomeRow, rests: readonly RestRow[]): unknown[] {
  const parts = canceledParts(rests, row.amount);
  if (parts === null) throw new Error(`the cancel ${row.cancelId} takes more than its transaction has left`);
  const sharesOfEach = parts[0]?.shares.length ?? 0;
  if (parts.some(({ shares }) => shares.length !== sharesOfEach)) {
    throw new Error(`the shares of the transaction ${row.transactionId} are not whole`);
  }
  return [
    row.merchantId,
    row.cancelId,
    parts.flatMap(({ shares }) => shares),
    sharesOfEach,
    utcText(row.moment),
    row.fence ?? null,
    saoPauloOffsetText(row.moment),
    ...PARTS.values(parts),
    ...ENDED_PARTS.values(parts.flatMap((part) => endedState(part, rests))),
  ];
}

function endedState(part: CanceledPart, rests: readonly RestRow[]) {
  return rests.filter(
    ({ number, amount, canceledAmount }) => number === part.number && amount - canceledAmount === part.amount,
  );
}
