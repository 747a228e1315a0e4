import { type Database, type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { handOnLostCollected } from '../../transactions/methods/pix/receipts/collected-receipts.sql.ts';
import type { Cents } from '../../values/cents.ts';
import { type Day, type Instant, utcText } from '../../values/instant.ts';
import { SUBSCRIPTION_STATES } from '../subscriptions/subscription.ts';
import { COLLECTION_MOVES, COLLECTION_STATES, type CollectionState } from './authorization.ts';
import type { LookTimes } from './authorizations.sql.ts';
import { IS_LEASED, NOTES, PAUSE_ENDS } from './looks.sql.ts';

const COLLECTION = rowCodec(
  {
    merchantId: column.text(),
    pixId: column.text(),
    billingId: column.text(),
    subscriptionId: column.text(),
    txid: column.text(),
    attemptNumber: column.whole(),
    amount: column.money(),
    dueOn: column.day(),
    tryOn: column.day(),
    state: column.oneOf(COLLECTION_STATES),
    isSent: column.boolean(),
    code: column.nullable(column.text()),
    isOver: column.boolean('c.look_at is null'),
    /** The fence of the process that asks the bank now. */
    fence: column.whole(),
    tries: column.whole(),
    unknownReason: column.nullable(column.text()),
    /** Paid by a QR code that also authorizes. */
    isFirst: column.boolean('a.first_pix_id is not distinct from c.pix_id'),
    accountNumber: column.text('s.account_number'),
    subscription: column.oneOf(SUBSCRIPTION_STATES, 's.state'),
    /** The merchant's billings are held: nothing is sent. */
    isHeld: column.boolean('m.billings_held_at is not null'),
  },
  'c',
);

export type Collection = RowOf<typeof COLLECTION>;
export type CollectionKey = Pick<Collection, 'merchantId' | 'pixId'>;

const JOINS = `cross join lateral (
     select o.first_pix_id from pix_authorizations o
     where o.merchant_id = c.merchant_id and o.subscription_id = c.subscription_id limit 1
   ) a cross join lateral (
     select o.account_number, o.state from subscriptions o
     where o.merchant_id = c.merchant_id and o.subscription_id = c.subscription_id limit 1
   ) s cross join lateral (
     select o.billings_held_at from merchants o where o.merchant_id = c.merchant_id limit 1
   ) m`;

const FIND = statement(
  'pix_collections.find',
  `select ${COLLECTION.columns} from pix_collections c ${JOINS} where c.merchant_id = $1 and c.pix_id = $2`,
);

export async function findCollection(
  database: Reader,
  { merchantId, pixId }: CollectionKey,
): Promise<Collection | null> {
  return firstOf(await database.query(FIND, [merchantId, pixId]), COLLECTION.parse);
}

const FIND_LAST = statement(
  'pix_collections.find_last_of_billing',
  `select ${COLLECTION.columns} from pix_collections c ${JOINS}
   where c.merchant_id = $1 and c.billing_id = $2 and c.state <> 'voided' order by c.attempt_number desc limit 1`,
);

/** The previous try; null: the bank has no charge of this billing. */
export async function findLastCollection(
  database: Reader,
  { merchantId, billingId }: Pick<Collection, 'merchantId' | 'billingId'>,
): Promise<Collection | null> {
  return firstOf(await database.query(FIND_LAST, [merchantId, billingId]), COLLECTION.parse);
}

const VOIDED = rowCodec({
  times: column.whole(`(
       select count(*) from pix_collections v where v.merchant_id = c.merchant_id and v.billing_id = c.billing_id
         and v.attempt_number = c.attempt_number and v.state = 'voided' and v.txid = c.txid
     )`),
});

/** `times`: how often this try was voided under this txid. */
export type VoidedCollection = Collection & RowOf<typeof VOIDED>;

const FIND_VOIDED = statement(
  'pix_collections.find_voided',
  `select ${COLLECTION.columns}, ${VOIDED.columns} from pix_collections c ${JOINS}
   where c.merchant_id = $1 and c.billing_id = $2 and c.attempt_number = $3 and c.state = 'voided'
   order by c.pix_id desc limit 1`,
);

/** The last voided row of this try; null: none. */
export async function findVoidedCollection(
  database: Reader,
  { merchantId, billingId }: Pick<Collection, 'merchantId' | 'billingId'>,
  attemptNumber: number,
): Promise<VoidedCollection | null> {
  const [row] = await database.query(FIND_VOIDED, [merchantId, billingId, attemptNumber]);
  return row === undefined ? null : { ...COLLECTION.parse(row), ...VOIDED.parse(row) };
}

const OF_TXID = rowCodec({
  isUnderWay: column.boolean(
    `(y.open > 0 or (c.state in ('failed', 'voided') and z.state = 'opened'
       and coalesce(z.transaction_id, c.pix_id) = c.pix_id))`,
  ),
});

const FIND_LAST_OF_TXID = statement(
  'pix_collections.find_last_of_txid',
  `select ${COLLECTION.columns}, ${OF_TXID.columns}
   from pix_collections c ${JOINS} cross join lateral (
     select count(*) filter (where o.state = 'open') as open
     from pix_collections o where o.merchant_id = $1 and o.txid = $2
   ) y cross join lateral (
     select o.state, o.transaction_id from billings o
     where o.merchant_id = $1 and o.billing_id = c.billing_id limit 1
   ) z
   where c.merchant_id = $1 and c.txid = $2 order by c.attempt_number desc, c.pix_id desc limit 1`,
);

/**
 * `isUnderWay`: a try is open, its result is not yet in its billing, or another may follow under this txid.
 */
export async function findLastOfTxid(
  database: Reader,
  { merchantId, txid }: Pick<Collection, 'merchantId' | 'txid'>,
): Promise<(Collection & RowOf<typeof OF_TXID>) | null> {
  const [row] = await database.query(FIND_LAST_OF_TXID, [merchantId, txid]);
  return row === undefined ? null : { ...COLLECTION.parse(row), ...OF_TXID.parse(row) };
}

/** As for cards: a cancel of the plan waits for this charge, or the next statement sees the cancel. */
const SHARE_PLAN = statement(
  'pix_collections.share_plan',
  `select pg_try_advisory_xact_lock_shared(hashtextextended($1::text || '|' || $2::uuid::text, 0)) as is_mine`,
);

const HOLD = statement(
  'pix_collections.hold_subscription',
  `select h.subscription_id from (
     select s.merchant_id, s.subscription_id, s.plan_id, s.state, s.state_since from subscriptions s
     where s.merchant_id = $1 and s.subscription_id = $2 for no key update of s skip locked
   ) h left join lateral (
     select c.asked_at from plan_cancellations c where c.merchant_id = h.merchant_id and c.plan_id = h.plan_id limit 1
   ) e on true
   where h.state = 'active' and (e.asked_at is null or e.asked_at < h.state_since)`,
);

/**
 * The txid is the billing's id, so that a restored database finds the charge at the bank; after a void, the
 * try's id.
 */
const NEW_TXID = `replace(case when exists (
       select from pix_collections v where v.merchant_id = t.merchant_id and v.billing_id = t.billing_id
     ) then $4::uuid else t.billing_id end::text, '-', '')`;

const TAKE = statement(
  'pix_collections.take_billing',
  `with taken as (
     update billings b set transaction_id = $4, fence = b.fence + 1, charges_made = $5, charge_on = $6::date,
       lease_expires_at = null
     where b.merchant_id = $1 and b.billing_id = $3 and b.fence = $7 and b.transaction_id is null and b.state = 'opened'
       and (b.lease_expires_at is null or b.lease_expires_at <= now())
     returning b.merchant_id, b.billing_id, b.subscription_id, b.amount
   ), noted as (
     insert into billing_charges (merchant_id, billing_id, charge_number, attempt_number, transaction_id, started_at,
       created_by)
     select t.merchant_id, t.billing_id, (
       select coalesce(max(c.charge_number), 0) + 1 from billing_charges c
       where c.merchant_id = t.merchant_id and c.billing_id = t.billing_id
     ), $5, $4, $8::timestamptz, 'system' from taken t
   ), collected as (
     insert into pix_collections (merchant_id, pix_id, billing_id, subscription_id, txid, attempt_number, amount, due_on,
       try_on, state, look_at, leased_until)
     select t.merchant_id, $4, t.billing_id, t.subscription_id, coalesce($9, ${NEW_TXID}), $5, t.amount, $10::date,
       $6::date, 'open', $8::timestamptz + interval '1 minute', now() + interval '1 minute'
     from taken t where t.subscription_id = $2
     returning txid
   )
   select txid from collected`,
);

export type TakenBilling = {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly planId: string;
  readonly billingId: string;
  readonly fence: number;
  readonly pixId: string;
  readonly bank: string;
  /** The txid of the charge that the bank has; null: it has none. */
  readonly txid: string | null;
  readonly attemptNumber: number;
  readonly amount: Cents;
  readonly dueOn: Day;
  readonly tryOn: Day;
  readonly at: Instant;
};

const TAKEN = rowCodec({ txid: column.text() });

/**
 * Writes the intent. False: another process took the billing, it is locked, or it is not due any more. In a
 * restored database, receipts that were kept as lost are applied if they have its txid.
 */
export async function takeBilling(database: Database, row: TakenBilling): Promise<boolean> {
  const { merchantId, subscriptionId, planId, billingId, pixId } = row;
  return database.transaction(async (tx) => {
    const [shared] = await tx.query(SHARE_PLAN, [merchantId, planId]);
    if (shared?.is_mine !== true) return false;
    const held = await tx.query(HOLD, [merchantId, subscriptionId]);
    if (held.length === 0) return false;
    const taken = await tx.query(TAKE, [
      ...[merchantId, subscriptionId, billingId, pixId, row.attemptNumber, row.tryOn, row.fence],
      ...[utcText(row.at), row.txid, row.dueOn],
    ]);
    const [collected] = taken.map(TAKEN.parse);
    if (collected === undefined) return false;
    await handOnLostCollected(tx, { merchantId, txid: collected.txid, bank: row.bank });
    return true;
  });
}

const DECIDE = statement(
  'pix_collections.decide',
  `update pix_collections set state = $3, code = $4, is_sent = true, tries = 0, tried_at = null,
     unknown_reason = null, unknown_since = null
   where merchant_id = $1 and pix_id = $2 and (not $5 or (fence = $6 and is_sent = $7))
     and state in (${fromStates(COLLECTION_MOVES, 'pay', 'fail', 'deny', 'invalidate', 'void')})
   returning pix_id`,
);

/**
 * Writes the bank's decision. False: decided before, or decided by absence while another process asked or
 * sent.
 */
export async function decideCollection(
  tx: Tx,
  { merchantId, pixId, fence, isSent }: Collection,
  state: Exclude<CollectionState, 'open'>,
  { code, isAbsent }: { readonly code: string | null; readonly isAbsent: boolean },
): Promise<boolean> {
  const values = [merchantId, pixId, state, code?.slice(0, 100) ?? null, isAbsent, fence, isSent];
  return (await tx.query(DECIDE, values)).length === 1;
}

const LOOK = statement(
  'pix_collections.look_later',
  `update pix_collections set look_at = $3::timestamptz, is_sent = case when $4 then true else is_sent end, unknown_reason = $5,
     unknown_since = case when $5::text is not null then coalesce(unknown_since, now()) end,
     tries = case when $5::text is null then 0 when ${PAUSE_ENDS} <= $6::timestamptz then least(tries + 1, 32000) else tries end,
     tried_at = case when $5::text is null then null when ${PAUSE_ENDS} <= $6::timestamptz then $6::timestamptz else tried_at end
   where merchant_id = $1 and pix_id = $2 and state = 'open' and fence = $7`,
);

/**
 * Writes when to look next, unless another process asks. `reason`: why the state is not known; null: the bank
 * has the charge.
 */
export async function lookAtCollection(
  database: Database,
  { merchantId, pixId, fence }: CollectionKey & Pick<Collection, 'fence'>,
  { now, at }: LookTimes,
  reason: string | null,
): Promise<void> {
  const why = reason?.slice(0, 300) ?? null;
  const values = [merchantId, pixId, utcText(at), reason === null, why, utcText(now), fence];
  await database.query(LOOK, values);
}

const FINISH = statement(
  'pix_collections.finish',
  `update pix_collections set look_at = null
   where merchant_id = $1 and pix_id = $2 and state <> 'open'`,
);

export async function finishCollection(
  database: Database,
  { merchantId, pixId }: CollectionKey,
): Promise<void> {
  await database.query(FINISH, [merchantId, pixId]);
}

const HURRY = statement(
  'pix_collections.hurry',
  `update pix_collections set look_at = case when ${IS_LEASED} then look_at else $3::timestamptz end,
     heard_at = case when ${IS_LEASED} then $3::timestamptz end
   where merchant_id = $1 and subscription_id = $2 and (look_at > $3::timestamptz or ${NOTES})`,
);

/** An authorization's new state may decide its charges: look at them now. */
export async function hurryCollections(
  database: Database,
  { merchantId, subscriptionId }: Pick<Collection, 'merchantId' | 'subscriptionId'>,
  at: Instant,
): Promise<void> {
  await database.query(HURRY, [merchantId, subscriptionId, utcText(at)]);
}
