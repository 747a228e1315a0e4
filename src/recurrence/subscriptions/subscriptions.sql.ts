import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { PLAN, STAMPS, stamped, TERMS } from '../plans/plans.sql.ts';
import { readCustomer } from './customer.ts';
import {
  SUBSCRIPTION_EVENT_TYPES,
  SUBSCRIPTION_REASONS,
  SUBSCRIPTION_STATES,
  type Subscription,
  type SubscriptionEntry,
  type SubscriptionWithEvents,
} from './subscription.ts';

const SUBSCRIPTION = rowCodec(
  {
    merchantId: column.text(),
    subscriptionId: column.text(),
    vaultId: column.text(),
    orderNumber: column.text(),
    accountNumber: column.text(),
    state: column.oneOf(SUBSCRIPTION_STATES),
    reason: column.nullable(column.oneOf(SUBSCRIPTION_REASONS)),
    firstDueOn: column.day(),
    customer: column.nullable(column.parsedBy(readCustomer)),
    ...STAMPS.fields,
  },
  's',
  'subscription_',
);

/** A subscription `s` with its plan `p`. */
export const WHOLE_SUBSCRIPTION = `${PLAN.columns}, ${TERMS.columnsOf('s')}, ${SUBSCRIPTION.columns}`;

export function parseSubscription(row: Row): Subscription {
  const plan = stamped(PLAN.parse(row));
  return { ...stamped(SUBSCRIPTION.parse(row)), terms: TERMS.parse(row), plan };
}

/** As JSON. */
const EVENT = rowCodec({
  type: column.oneOf(SUBSCRIPTION_EVENT_TYPES),
  by: column.text(),
  at: column.instant(),
  reason: column.nullable(column.oneOf(SUBSCRIPTION_REASONS)),
  billingId: column.nullable(column.text()),
});

const HISTORY = rowCodec({
  history: column.parsedBy((value) => ((value ?? []) as Row[]).map(parseEvent), 'e.history'),
});

function parseEvent(row: Row): SubscriptionEntry {
  const { by, at, ...event } = EVENT.parse(row);
  return { ...event, stamp: { by, at } };
}

/** Canceled and activated again and again it has as many: the newest are shown. */
const FIND = statement(
  'subscriptions.find',
  `select ${WHOLE_SUBSCRIPTION}, ${HISTORY.columns} from subscriptions s cross join lateral (
     select * from plans where merchant_id = $1 and plan_id = s.plan_id limit 1
   ) p cross join lateral (
     select json_agg(json_build_object('type', type, 'by', created_by,
       'at', floor(extract(epoch from created_at) * 1000)::bigint, 'reason', reason, 'billing_id', billing_id)
       order by event_number) as history
     from (
       select * from subscription_events where merchant_id = $1 and subscription_id = $2
       order by event_number desc limit 100
     ) newest
   ) e where s.merchant_id = $1 and s.subscription_id = $2`,
);

/**
 * A subscription of this merchant by its id, a UUID, with the newest hundred things that happened
 * to it; or null.
 */
export async function findSubscription(
  database: Reader,
  merchantId: string,
  subscriptionId: string,
): Promise<SubscriptionWithEvents | null> {
  const [row] = await database.query(FIND, [merchantId, subscriptionId]);
  return row === undefined ? null : { subscription: parseSubscription(row), ...HISTORY.parse(row) };
}
