import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromOtherStates, fromStates } from '../../platform/postgres/state-table.ts';
import {
  clearChargebackMark,
  type UnprocessedChargeback,
} from '../../transactions/changes/chargebacks.sql.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { ENQUEUE_ALERTS, NOTICE_WAITS } from '../alerts/alert-deliveries.sql.ts';
import { BILLING_MOVES } from '../billings/billing.ts';
import { moveAlert } from '../subscriptions/reasons.ts';
import { SUBSCRIPTION_MOVES } from '../subscriptions/subscription.ts';
import { MOVE_NOTICES, WRITTEN_MOVES } from '../subscriptions/subscriptions.sql.ts';

const CHARGED = rowCodec({
  subscriptionId: column.text('l.subscription_id'),
  billingId: column.text('c.billing_id'),
});

/** Every change of a subscription or its billings locks it first. */
const HOLD = statement(
  'chargebacks.hold_subscription',
  `select ${CHARGED.columns} from (
     select c.billing_id from billing_charges c where c.merchant_id = $1 and c.transaction_id = $2 limit 1
   ) c cross join lateral (
     select b.subscription_id from billings b where b.merchant_id = $1 and b.billing_id = c.billing_id limit 1
   ) b cross join lateral (
     select s.subscription_id from subscriptions s
     where s.merchant_id = $1 and s.subscription_id = b.subscription_id limit 1 for no key update of s
   ) l`,
);

/**
 * A subscription that its card blocked is now blocked by the chargeback: another card is not enough. Ends the
 * open billing, unless a charge is under way. Keeps `state_since` for a pending end of its plan.
 */
const BLOCK = statement(
  'chargebacks.block',
  `with moved as (
     update subscriptions s set state = 'blocked', reason = 'chargeback', modified_by = 'system',
       modified_at = $4
     where s.merchant_id = $1 and s.subscription_id = $3::uuid
       and (s.state in (${fromOtherStates(SUBSCRIPTION_MOVES, 'block')})
         or s.state = 'blocked' and s.reason = 'cardCanceled')
     returning s.merchant_id, s.subscription_id, s.state, s.reason, s.modified_by, s.modified_at, (
       select c.billing_id from billing_charges c where c.merchant_id = $1 and c.transaction_id = $2 limit 1
     ) as billing_id, s.account_number, $5::text as event, $6::text as notice
   ), ${WRITTEN_MOVES}, notices as (${MOVE_NOTICES}), ${ENQUEUE_ALERTS}, ahead as materialized (
     select l.place, l.is_untouched from moved m cross join lateral (
       select b.ctid as place, b.charges_made = 0 and not exists (
         select from billing_charges c where c.merchant_id = m.merchant_id and c.billing_id = b.billing_id
           and c.outcome is distinct from 'voided'
       ) as is_untouched
       from billings b
       where b.merchant_id = m.merchant_id and b.subscription_id = m.subscription_id and b.state = 'opened'
         and b.transaction_id is null
       limit 1
     ) l
   ), passed as (
     update billings b set state = 'canceled', is_skipped = a.is_untouched, charge_on = null,
       modified_by = 'system', modified_at = $4
     from ahead a where b.ctid = a.place and b.state || '' in (${fromStates(BILLING_MOVES, 'cancel')})
   )
   select m.subscription_id, ${NOTICE_WAITS} from moved m`,
);

/** Blocks an active subscription and marks the chargeback processed, in one commit. Repeatable. */
export async function blockForChargeback(
  { database, deliverer }: { readonly database: Database; readonly deliverer: Pick<Deliverer, 'notify'> },
  { merchantId, transactionId }: UnprocessedChargeback,
  at: Instant,
): Promise<boolean> {
  const key = [merchantId, transactionId] as const;
  const blocked = await database.transaction(async (tx) => {
    const [charged] = (await tx.query(HOLD, key)).map(CHARGED.parse);
    const rows = charged === undefined ? [] : await tx.query(BLOCK, blockValues(key, charged, at));
    await clearChargebackMark(tx, merchantId, transactionId);
    return rows;
  });
  if (blocked[0]?.notice_waits === true) deliverer.notify();
  return blocked.length === 1;
}

function blockValues(
  [merchantId, paymentId]: readonly [string, string],
  charged: RowOf<typeof CHARGED>,
  at: Instant,
): unknown[] {
  const { event, body } = moveAlert({ ...charged, paymentId, state: 'blocked', reason: 'chargeback' });
  return [merchantId, paymentId, charged.subscriptionId, utcText(at), event, body];
}
