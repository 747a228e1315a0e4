/**
 * The events of subscriptions are written by the statement that changes them. This part stands
 * behind a part `happened` (merchant_id, subscription_id, type, reason, billing_id, created_by,
 * created_at), one row for each event.
 */
export const WRITTEN_EVENTS = `written_events as (
     insert into subscription_events (merchant_id, subscription_id, type, reason, billing_id, created_by,
       created_at)
     select h.merchant_id, h.subscription_id, h.type, h.reason, h.billing_id, h.created_by, h.created_at
       from happened h
   )`;

/**
 * The same for changes of state. It stands behind a part `moved`, an update that gives back
 * merchant_id, subscription_id, the new state with its reason, modified_by, modified_at, and as
 * billing_id the billing that did it or `null::uuid`. Such an update must not touch a subscription
 * that is already what it is to become: nothing would have happened.
 */
export const WRITTEN_MOVES = `happened as (
     select m.merchant_id, m.subscription_id, case m.state when 'active'
       then 'activated' else m.state end as type, m.reason,
       m.billing_id, m.modified_by as created_by, m.modified_at as created_at
     from moved m
   ), ${WRITTEN_EVENTS}`;

/**
 * The alerts of those changes, for `ENQUEUE_ALERTS`: `moved` gives back account_number, event and
 * notice (its text) too. What was not changed makes none.
 */
export const MOVE_NOTICES = `select m.merchant_id, m.event, m.subscription_id as notice_of,
       m.account_number, m.notice as body, m.modified_at as moment
     from moved m`;
