import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { TRANSACTION_STATES } from '../../transactions/transaction.ts';
import { NEVER_SENT } from '../../transactions/transaction-queries.sql.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { BILLING_STATES, type BillingState } from '../billings/billing.ts';
import type { Terms } from '../plans/plan.ts';
import { TERMS } from '../plans/plans.sql.ts';
import { SUBSCRIPTION_STATES } from '../subscriptions/subscription.ts';
import {
  leadDaysOf as agreedLeadDaysOf,
  bankOf,
  type LeadDaysOf,
} from '../subscriptions/subscriptions.sql.ts';
import { DUE, type DueBilling, SOFT_DESCRIPTOR_OF_PLAN } from './due-billings.sql.ts';

const OPEN_CHARGE = rowCodec({
  merchantId: column.text('h.merchant_id'),
  billingId: column.text('h.billing_id'),
  subscriptionId: column.text('b.subscription_id'),
  transactionId: column.text('h.transaction_id'),
  /** For a charge that a restored database knows without its card: the subscription's. */
  vaultId: column.text('coalesce(t.vault_id, s.vault_id)'),
  amount: column.money('t.amount'),
  by: column.text('h.created_by'),
  /** From 1, retries included; null for a manual charge. */
  attemptNumber: column.nullable(column.whole('h.attempt_number')),
  maxRetries: column.whole('s.max_retries'),
  /** For a manual charge the due day. */
  chargeOn: column.day('coalesce(b.charge_on, b.due_on)'),
  state: column.oneOf(TRANSACTION_STATES, 't.state'),
  brand: column.oneOf(CARD_BRANDS, 't.card_brand'),
  responseCode: column.nullable(column.text('t.response_code')),
  adviceCode: column.nullable(column.text('t.advice_code')),
  soldAt: column.instant('t.sold_at'),
});

/** A charge without a recorded outcome: its process died, or the acquirer did not answer. */
export type OpenCharge = RowOf<typeof OPEN_CHARGE>;

const JOINS = `cross join lateral (
     select o.subscription_id, o.charge_on, o.due_on from billings o
     where o.merchant_id = h.merchant_id and o.billing_id = h.billing_id limit 1
   ) b cross join lateral (
     select o.max_retries, o.vault_id from subscriptions o
     where o.merchant_id = h.merchant_id and o.subscription_id = b.subscription_id limit 1
   ) s cross join lateral (
     select o.* from transactions o where o.merchant_id = h.merchant_id
       and o.transaction_id = h.transaction_id limit 1
   ) t`;

/**
 * Postpones the charges first, so that no other process claims them: by a quarter of the age of the
 * transaction, 1 to 15 seconds.
 */
const CLAIM = statement(
  'charging.claim_open_charges',
  `with due as (
     select c.merchant_id, c.billing_id, c.charge_number from billing_charges c where c.due_at <= now()
     order by c.due_at limit $1 for no key update of c skip locked
   ), held as (
     update billing_charges c set due_at = now() +
       least(interval '15 seconds', greatest(interval '1 second', (
       select (now() - o.created_at) / 4 from transactions o
       where o.merchant_id = c.merchant_id and o.transaction_id = c.transaction_id
     )))
     from due d
     where c.merchant_id = d.merchant_id and c.billing_id = d.billing_id and c.charge_number = d.charge_number
     returning c.merchant_id, c.billing_id, c.transaction_id, c.attempt_number, c.created_by
   )
   select ${OPEN_CHARGE.columns} from held h ${JOINS}`,
);

export async function claimOpenCharges(database: Database, limit: number): Promise<OpenCharge[]> {
  return (await database.query(CLAIM, [limit])).map(OPEN_CHARGE.parse);
}

/** Milliseconds until the next look; null if no charge is under way. */
export const EARLIEST_OPEN_CHARGE = statement(
  'charging.earliest_open_charge',
  `select (extract(epoch from min(c.due_at) - now()) * 1000)::float8 as milliseconds from billing_charges c
   where c.due_at is not null`,
);

type ChargedBilling = {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly billingId: string;
};

const KEYS = inputRows<ChargedBilling>({
  ...own({ merchantId: 'text', subscriptionId: 'uuid', billingId: 'uuid' }),
});

const SUBSCRIPTION = rowCodec(
  {
    subscriptionId: column.text(),
    accountNumber: column.text(),
    /** Empty: paid by Pix Automático. */
    vaultId: column.text("coalesce(h.vault_id::text, '')"),
    subscription: column.oneOf(SUBSCRIPTION_STATES, 'h.state'),
    /** The bank of Pix Automático; null for cards. */
    bank: column.nullable(column.text(bankOf('h'))),
    leadDays: column.whole(agreedLeadDaysOf('h')),
  },
  'h',
);

/** Locks in the order of the input, which is that of the keys. */
const HOLD_SUBSCRIPTIONS = statement(
  'charging.hold_subscriptions',
  `select ${SUBSCRIPTION.columns}, ${TERMS.columnsOf('h')}
   from ${KEYS.sql} cross join lateral (
     select s.* from subscriptions s where s.merchant_id = i.merchant_id
       and s.subscription_id = i.subscription_id
     limit 1 for no key update of s
   ) h`,
);

const BILLING = rowCodec(
  {
    billingId: column.text(),
    subscriptionId: column.text(),
    state: column.oneOf(BILLING_STATES),
    installment: column.whole(),
    dueOn: column.day(),
    chargeOn: column.nullable(column.day()),
    chargesMade: column.whole(),
    fence: column.whole(),
    /** null without a charge under way, like the next three fields. */
    transactionId: column.nullable(column.text()),
    chargeNumber: column.nullable(column.whole('c.charge_number')),
    attemptNumber: column.nullable(column.whole('c.attempt_number')),
    startedAt: column.nullable(column.instant('c.started_at')),
    /** How often the attempt was voided before, and how many of these had been sent. */
    voided: column.whole('u.voided'),
    voidedSent: column.whole('u.voided_sent'),
  },
  'h',
);

/**
 * A separate statement, to see what is committed during the wait for locks. A voided charge whose transaction
 * has its first fence (0) was never sent.
 */
const HOLD_BILLINGS = statement(
  'charging.hold_billings',
  `select ${BILLING.columns}
   from ${KEYS.sql} cross join lateral (
     select b.* from billings b where b.merchant_id = i.merchant_id and b.billing_id = i.billing_id
     limit 1 for no key update of b
   ) h left join lateral (
     select c.charge_number, c.attempt_number, c.started_at from billing_charges c
     where c.merchant_id = i.merchant_id and c.transaction_id = h.transaction_id limit 1
   ) c on true cross join lateral (
     select count(*)::integer as voided, count(*) filter (where (
       select t.fence from transactions t where t.merchant_id = o.merchant_id
         and t.transaction_id = o.transaction_id
     ) > 0)::integer as voided_sent
     from billing_charges o
     where o.merchant_id = i.merchant_id and o.billing_id = i.billing_id
       and o.attempt_number = c.attempt_number
       and o.outcome = 'voided'
   ) u`,
);

/** `leadDays`: how long before its due day a charge is sent; 0 for cards. */
export type Held = RowOf<typeof SUBSCRIPTION> & {
  readonly terms: Terms;
  readonly billing: RowOf<typeof BILLING>;
};

/** Locks subscriptions, then billings, for a commit that ends charges. Returns them by billing id. */
export async function holdCharges(
  tx: Tx,
  rows: readonly ChargedBilling[],
  leadDaysOf: LeadDaysOf,
): Promise<ReadonlyMap<string, Held>> {
  const values = KEYS.values(rows);
  const subscriptions = (await tx.query(HOLD_SUBSCRIPTIONS, values)).map((row) => ({
    ...SUBSCRIPTION.parse(row),
    terms: TERMS.parse(row),
  }));
  const billings = (await tx.query(HOLD_BILLINGS, values)).map(BILLING.parse);
  const byId = new Map(subscriptions.map((subscription) => [subscription.subscriptionId, subscription]));
  return new Map(
    billings.flatMap((billing): [string, Held][] => {
      const subscription = byId.get(billing.subscriptionId);
      if (subscription === undefined) return [];
      const leadDays = leadDaysOf(subscription);
      return [[billing.billingId, { ...subscription, leadDays, billing }]];
    }),
  );
}

const FOUND = rowCodec(
  {
    ...DUE.fields,
    chargeOn: column.day('b.due_on'),
    state: column.oneOf(BILLING_STATES),
    isCharging: column.boolean('b.transaction_id is not null'),
  },
  'b',
);

const FIND = statement(
  'hand_charges.find_billing',
  `select ${FOUND.columns}
   from billings b cross join lateral (
     select o.plan_id, o.vault_id, o.account_number, o.max_retries, o.installments from subscriptions o
     where o.merchant_id = $1 and o.subscription_id = b.subscription_id limit 1
   ) s left join lateral (
     ${SOFT_DESCRIPTOR_OF_PLAN} where m.merchant_id = $1 limit 1
   ) d on true
   where b.merchant_id = $1 and b.billing_id = $2`,
);

export type FoundBilling = {
  readonly state: BillingState;
  readonly isCharging: boolean;
  /** `chargeOn` is its due day. */
  readonly due: DueBilling;
};

/** Finds a billing for a manual charge. `billingId` must be a UUID. null: there is none. */
export async function findBillingToCharge(
  database: Database,
  merchantId: string,
  billingId: string,
): Promise<FoundBilling | null> {
  const [row] = await database.query(FIND, [merchantId, billingId]);
  if (row === undefined) return null;
  const { state, isCharging, ...due } = FOUND.parse(row);
  return { state, isCharging, due };
}

const HAND_CHARGE = rowCodec(
  {
    billingId: column.text('c.billing_id'),
    /** A charge that was never sent has not ended the billing, and its idempotency key is free again. */
    isEnded: column.boolean('c.due_at is null and not o.was_never_sent'),
    state: column.oneOf(TRANSACTION_STATES),
    brand: column.oneOf(CARD_BRANDS, 'o.card_brand'),
    responseCode: column.nullable(column.text()),
    adviceCode: column.nullable(column.text()),
    soldAt: column.instant(),
  },
  'o',
);

export type MadeHandCharge = RowOf<typeof HAND_CHARGE>;

const FIND_CHARGE = statement(
  'hand_charges.find_charge',
  `select ${HAND_CHARGE.columns}
   from billing_charges c cross join lateral (
     select t.state, t.card_brand, t.response_code, t.advice_code, t.sold_at,
       coalesce(${NEVER_SENT}, false) as was_never_sent
     from transactions t where t.merchant_id = $1 and t.transaction_id = c.transaction_id limit 1
   ) o
   where c.merchant_id = $1 and c.transaction_id = $2`,
);

export async function findHandCharge(
  database: Database,
  merchantId: string,
  transactionId: string,
): Promise<MadeHandCharge | null> {
  return firstOf(await database.query(FIND_CHARGE, [merchantId, transactionId]), HAND_CHARGE.parse);
}
