import { racingForKeys } from '../../idempotency/idempotency-keys.sql.ts';
import type { BatchedWriteOptions } from '../../platform/postgres/batched-writes.ts';
import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type IntentRow, writeIntents } from '../../transactions/methods/card/intents.sql.ts';
import { findStates } from '../../transactions/transaction-queries.sql.ts';
import { utcText } from '../../values/instant.ts';

export type StartedCharge = {
  readonly intent: IntentRow;
  readonly billingId: string;
  readonly subscriptionId: string;
  readonly planId: string;
  readonly vaultId: string;
  /** The billing's fence as it was found. */
  readonly fence: number;
  /** From 1, retries included; null for a manual charge. */
  readonly attemptNumber: number | null;
  /**
   * Random, to tell takers apart: two that take a billing at one fence have the same charge id, and only one
   * of them succeeds.
   */
  readonly taker: Buffer;
};

/**
 * `notTaken`: another process took the billing, it is not due any more, or a restored database has its charge
 * already, which ends the billing. `keyUsed`: another charge has the idempotency key; nothing was written.
 */
export type TakeResult = 'committed' | 'notTaken' | 'keyUsed';

const PLANS = inputRows<StartedCharge>({
  merchant_id: ['text', ({ intent }) => intent.merchantId],
  plan_id: ['uuid', ({ planId }) => planId],
});

const PLAN = rowCodec({ merchantId: column.text(), planId: column.text() }, 'w');

/**
 * The plan lock, shared with new subscriptions. A cancel of the plan holds it exclusively from before it asks
 * for the subscriptions' end until its commit. So the cancel waits for charges that hold the lock, and a
 * later charge sees the cancel, because its next statement has its own snapshot. Charges never wait: if the
 * lock is taken, they try later.
 */
const SHARE_PLANS = statement(
  'charging.share_plans',
  `select ${PLAN.columns} from (
     select distinct i.merchant_id, i.plan_id from ${PLANS.sql}
   ) w
   where pg_try_advisory_xact_lock_shared(hashtextextended(w.merchant_id || '|' || w.plan_id::text, 0))`,
);

const WANTED = inputRows<StartedCharge>({
  merchant_id: ['text', ({ intent }) => intent.merchantId],
  subscription_id: ['uuid', ({ subscriptionId }) => subscriptionId],
  transaction_id: ['uuid', ({ intent }) => intent.transactionId],
  vault_id: ['uuid', ({ vaultId }) => vaultId],
  is_scheduled: ['boolean', isScheduled],
  taker: ['bytea', ({ taker }) => taker],
});

const HELD = rowCodec({ transactionId: column.text(), taker: column.bytes() }, 'i');

/**
 * Every change of a subscription or its billings locks the subscription first. A locked one is left for
 * later. It must still have the card that was opened. For a scheduled charge it must also be active, and not
 * about to end with its plan.
 */
const HOLD_SUBSCRIPTIONS = statement(
  'charging.hold_free_subscriptions',
  `select ${HELD.columns}
   from ${WANTED.sql}
   cross join lateral (
     select s.subscription_id, s.plan_id, s.vault_id, s.state, s.state_since from subscriptions s
     where s.merchant_id = i.merchant_id and s.subscription_id = i.subscription_id
     limit 1 for no key update of s skip locked
   ) h left join lateral (
     select c.asked_at from plan_cancellations c
     where c.merchant_id = i.merchant_id and c.plan_id = h.plan_id and i.is_scheduled limit 1
   ) e on true
   where h.vault_id = i.vault_id and (h.state = 'active' or not i.is_scheduled)
     and (e.asked_at is null or e.asked_at < h.state_since)`,
);

const INPUT = inputRows<StartedCharge>({
  merchant_id: ['text', ({ intent }) => intent.merchantId],
  billing_id: ['uuid', ({ billingId }) => billingId],
  fence: ['integer', ({ fence }) => fence],
  transaction_id: ['uuid', ({ intent }) => intent.transactionId],
  attempt_number: ['smallint', ({ attemptNumber }) => attemptNumber],
  started_at: ['timestamptz', ({ intent }) => utcText(intent.soldAt)],
  created_by: ['text', ({ intent }) => intent.createdBy],
  lease: ['integer', ({ intent }) => intent.leaseMilliseconds],
  taker: ['bytea', ({ taker }) => taker],
});

const TAKEN = rowCodec({ transactionId: column.text(), taker: column.bytes(), wasOurs: column.boolean() });

/**
 * Takes billings that are as they were found, or that an earlier attempt of the same taker has taken. Rows
 * are updated by ctid: a join could be planned for a small table.
 */
const TAKE = statement(
  'charging.take_billings',
  `with input as (
     select * from ${INPUT.sql}
   ), found as materialized (
     select i.*, l.place, l.was_ours, l.former_charges from input i cross join lateral (
       select b.ctid as place, b.transaction_id is not null as was_ours, (
         select coalesce(max(c.charge_number), 0) from billing_charges c
         where c.merchant_id = i.merchant_id and c.billing_id = i.billing_id
       ) as former_charges
       from billings b
       where b.merchant_id = i.merchant_id and b.billing_id = i.billing_id
         and ((b.transaction_id = i.transaction_id and exists (
             select from billing_charges c where c.merchant_id = i.merchant_id
               and c.transaction_id = i.transaction_id and c.taker = i.taker
           )) or (b.fence = i.fence and b.transaction_id is null
           and (b.lease_expires_at is null or b.lease_expires_at <= now())))
         and case when i.attempt_number is null
           then b.state in ('denied', 'paymentInvalid') else b.state = 'opened' end
       limit 1
     ) l
   ), taken as (
     update billings b set transaction_id = f.transaction_id, fence = greatest(b.fence, f.fence + 1),
       charges_made = coalesce(f.attempt_number, b.charges_made),
       lease_expires_at = now() + f.lease * interval '1 millisecond'
     from found f where b.ctid = f.place
     returning f.*
   ), noted as (
     insert into billing_charges (merchant_id, billing_id, charge_number, attempt_number, transaction_id,
       started_at, created_by, due_at, taker)
     select t.merchant_id, t.billing_id, t.former_charges + 1, t.attempt_number, t.transaction_id,
       t.started_at, t.created_by, now() + t.lease * interval '1 millisecond', t.taker
     from taken t
     where not exists (
       select from billing_charges c where c.merchant_id = t.merchant_id
         and c.transaction_id = t.transaction_id
     )
   )
   select ${TAKEN.columns} from taken`,
);

/** Few commits with many charges cost PostgreSQL less, and leave connections to payments. */
const LIMITS = { statementsInFlight: 2 };

/**
 * Writes billing, attempt and intent in one commit. Repeatable: a repetition finds its transaction's id in
 * the billing.
 */
export function chargeIntentsWrite(database: Database): BatchedWriteOptions<StartedCharge, TakeResult> {
  return {
    name: 'chargeTakes',
    key: takeKey,
    merchant: ({ intent }) => intent.merchantId,
    bytes: () => 600,
    limits: LIMITS,
    // If a commit arrives after its connection was lost, the billing is taken for a charge that is never sent
    // and is voided.
    isRefusal: (result) => result === 'notTaken',
    write: (rows) => commitTakes(database, rows),
  };
}

/** Thrown so that nothing is committed. */
class KeyUsed extends Error {
  override readonly name = 'KeyUsed';
}

export async function commitTakes(
  database: Database,
  rows: readonly StartedCharge[],
): Promise<ReadonlyMap<string, TakeResult>> {
  try {
    const taken = new Set(await racingForKeys(() => database.transaction((tx) => takeBillings(tx, rows))));
    return new Map(rows.map((row) => [takeKey(row), taken.has(row) ? 'committed' : 'notTaken']));
  } catch (error) {
    const [row] = rows;
    // A used key would fail the whole batch, so its rows are repeated one by one.
    if (!(error instanceof KeyUsed) || rows.length > 1 || row === undefined) throw error;
    return new Map([[takeKey(row), 'keyUsed']]);
  }
}

async function takeBillings(tx: Tx, rows: readonly StartedCharge[]): Promise<readonly StartedCharge[]> {
  const plans = (await tx.query(SHARE_PLANS, PLANS.values(rows.filter(isScheduled)))).map(PLAN.parse);
  const shared = new Set(plans.map(({ merchantId, planId }) => `${merchantId}|${planId}`));
  const wanted = rows.filter(
    (row) => !isScheduled(row) || shared.has(`${row.intent.merchantId}|${row.planId}`),
  );
  const held = (await tx.query(HOLD_SUBSCRIPTIONS, WANTED.values(wanted))).map(HELD.parse);
  const taken = (await tx.query(TAKE, INPUT.values(takenBy(rows, held)))).map(TAKEN.parse);
  const started = takenBy(rows, taken);
  const written = await writeIntents(
    tx,
    started.map(({ intent }) => intent),
  );
  const unwritten = taken.filter(({ transactionId }) => !written.has(transactionId));
  if (unwritten.length === 0) return started;
  const found = await findStates(
    tx,
    takenBy(started, unwritten).map(({ intent }) => intent),
  );
  const states = new Map(found.map(({ transactionId, state }) => [transactionId, state]));
  if (unwritten.some(({ transactionId, wasOurs }) => !wasOurs && !states.has(transactionId)))
    throw new KeyUsed('a key was used meanwhile');
  // In a restored database: the charge is in the books already, ends the billing, and is not sent.
  const standing = unwritten.filter(({ transactionId, wasOurs }) => {
    const state = states.get(transactionId);
    return state !== undefined && !(wasOurs && state === 'charging');
  });
  const notSent = new Set(takenBy(started, standing));
  return started.filter((row) => !notSent.has(row));
}

const FENCE = rowCodec({ fence: column.whole('b.fence') });

const HOLD_FENCE = statement(
  'charging.hold_fence',
  `select ${FENCE.columns} from billings b join subscriptions s using (merchant_id, subscription_id)
   where b.merchant_id = $1 and b.billing_id = $2 for no key update of s`,
);

const RAISE_FENCE = statement(
  'charging.raise_fence',
  'update billings set fence = $3 where merchant_id = $1 and billing_id = $2',
);

/** null: no such billing. Locks the subscription, as a charge does. */
export async function holdFence(tx: Tx, merchantId: string, billingId: string): Promise<number | null> {
  return firstOf(await tx.query(HOLD_FENCE, [merchantId, billingId]), FENCE.parse)?.fence ?? null;
}

export async function raiseFence(
  tx: Tx,
  merchantId: string,
  billingId: string,
  fence: number,
): Promise<void> {
  await tx.query(RAISE_FENCE, [merchantId, billingId, fence]);
}

/** Begins with the subscription. Batches are sorted by this key, so that two of them lock in one order. */
export function takeKey({ intent, subscriptionId, taker }: StartedCharge): string {
  return `${intent.merchantId}|${subscriptionId}|${takerKey({ ...intent, taker })}`;
}

function takerKey({ transactionId, taker }: Pick<RowOf<typeof TAKEN>, 'transactionId' | 'taker'>): string {
  return `${transactionId}|${taker.toString('hex')}`;
}

/** A manual charge is made whatever became of the plan. */
function isScheduled({ attemptNumber }: StartedCharge): boolean {
  return attemptNumber !== null;
}

/**
 * The rows of these takers. Two that take one billing have the same charge id, perhaps with different cards.
 */
function takenBy(
  rows: readonly StartedCharge[],
  takers: readonly Pick<RowOf<typeof TAKEN>, 'transactionId' | 'taker'>[],
): StartedCharge[] {
  const keys = new Set(takers.map(takerKey));
  return rows.filter(({ intent: { transactionId }, taker }) => keys.has(takerKey({ transactionId, taker })));
}
