import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, onlyOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Day, type Instant, utcText } from '../../values/instant.ts';
import { ENQUEUE_DELIVERIES } from '../../webhooks/deliveries/to-send.sql.ts';
import { lastUpcomingDay, type UpcomingBilling, upcomingAlert } from './alert.ts';
import { type AlertEndpointKey, EARLIEST_DAY, lockAlertEndpoint } from './alert-deliveries.sql.ts';
import { MOST_ACTIVE_ALERT_ENDPOINTS } from './alert-endpoint.ts';

/*
 * In the statements below the state is a parameter: for a constant the planner could choose the index of all
 * open billings.
 */

const FOUND = rowCodec({
  dueOn: column.day('f.due_on'),
  createdAt: column.text('f.created_at::text'),
  billingId: column.text('f.billing_id'),
  installment: column.nullable(column.whole('l.installment')),
  subscriptionId: column.nullable(column.text('s.subscription_id')),
  accountNumber: column.nullable(column.text('s.account_number')),
  isHeld: column.boolean('l.billing_id is null and a.is_alerted is null'),
});

/**
 * The next opened billings of some days (after `$2`, up to `$3`) in index order, from a position on.
 * `subscription_id` is null unless the billing is unchanged, its subscription continues (its plan too) and
 * endpoint `$7` was not alerted about it for this day. Rows are locked until the commit, so that a change
 * that ends a billing is written after its alert. One locked by another process waits for the next run
 * (`is_held`).
 */
const LOOK = statement(
  'notices.look_at_billings',
  `select ${FOUND.columns}
   from (
     select b.due_on, b.created_at, b.billing_id from billings b
     where b.merchant_id = $1 and b.state = $9 and b.due_on > $2::date and b.due_on <= $3::date
       and (b.due_on, b.created_at, b.billing_id) > ($4::date, $5::timestamptz, $6::uuid)
     order by b.due_on, b.created_at, b.billing_id limit $8
   ) f left join lateral (
     select true as is_alerted from upcoming_alerts u
     where u.merchant_id = $1 and u.alert_endpoint_id = $7 and u.due_on = f.due_on
       and u.billing_id = f.billing_id limit 1
   ) a on true left join lateral (
     select b.billing_id, b.installment, b.subscription_id from billings b
     where b.merchant_id = $1 and b.billing_id = f.billing_id and a.is_alerted is null
       and b.state || '' = 'opened' and b.due_on = f.due_on
     limit 1 for share skip locked
   ) l on true left join lateral (
     select s.subscription_id, s.account_number from subscriptions s
     where s.merchant_id = $1 and s.subscription_id = l.subscription_id and s.state || '' = 'active' and (
       select true from plan_cancellations c
       where c.merchant_id = $1 and c.plan_id = s.plan_id and c.asked_at >= s.state_since limit 1
     ) is null
     limit 1
   ) s on true
   order by f.due_on, f.created_at, f.billing_id`,
);

const ALERTS = inputRows<UpcomingBilling & { readonly accountNumber: string }>(
  {
    ...own({ billingId: 'uuid', dueOn: 'date', accountNumber: 'text' }),
    body: ['text', upcomingAlert],
  },
  { after: 5 },
);

const WRITE_ALERTS = statement(
  'notices.alert_upcoming',
  `with alerted as (
     insert into upcoming_alerts (merchant_id, alert_endpoint_id, due_on, billing_id)
     select $1::text, $2::uuid, i.due_on, i.billing_id from ${ALERTS.sql}
   )
   ${ENQUEUE_DELIVERIES}
   select $1::text, nextval('movement_ids'), 'notice', $4::text, i.account_number, i.billing_id,
     0, null, $5::text, i.body, $3::timestamptz, $3::timestamptz, null, 0
   from ${ALERTS.sql}`,
);

/** The search continues after this billing. The time is PostgreSQL's text, which keeps microseconds. */
export type BillingPlace = {
  readonly dueOn: string;
  readonly createdAt: string;
  readonly billingId: string;
};

const FIRST_BILLING: Omit<BillingPlace, 'dueOn'> = {
  createdAt: '-infinity',
  billingId: '00000000-0000-0000-0000-000000000000',
};

export type UpcomingToAlert = AlertEndpointKey & {
  /** Business time and day of the merchant. */
  readonly moment: Instant;
  readonly day: Day;
};

/** `next`: where to continue; null at the end. `held`: locked by other processes, to be read again. */
export type UpcomingBatch = {
  readonly alerted: number;
  readonly held: number;
  readonly next: BillingPlace | null;
};

export async function alertUpcomingBatch(
  database: Database,
  wanted: UpcomingToAlert,
  from: BillingPlace | null,
  limit: number,
): Promise<UpcomingBatch | null> {
  const { merchantId, alertEndpointId, moment, day: today } = wanted;
  const { dueOn, createdAt, billingId } = from ?? { ...FIRST_BILLING, dueOn: today };
  const place = [dueOn, createdAt, billingId];
  return database.transaction(async (tx) => {
    const notifier = await lockAlertEndpoint(tx, wanted, today);
    if (notifier === null) return null;
    const days = [today, lastUpcomingDay(today)];
    const look = [merchantId, ...days, ...place, alertEndpointId, limit, 'opened'];
    const found = (await tx.query(LOOK, look)).map(FOUND.parse);
    const billings = found.flatMap(({ installment, subscriptionId, accountNumber, ...billing }) =>
      installment === null || subscriptionId === null || accountNumber === null
        ? []
        : [{ ...billing, installment, subscriptionId, accountNumber }],
    );
    const sent = [utcText(moment), notifier.server, notifier.url];
    await tx.query(WRITE_ALERTS, [merchantId, alertEndpointId, ...sent, ...ALERTS.values(billings)]);
    const held = found.filter(({ isHeld }) => isHeld).length;
    return { alerted: billings.length, held, next: found[limit - 1] ?? null };
  });
}

const FORGOTTEN = rowCodec({ count: column.whole('count(*)') });

const FORGET = statement(
  'notices.forget_upcoming',
  `with forgotten as (
     delete from upcoming_alerts where ctid = any (array(
       select u.ctid from upcoming_alerts u
       where u.merchant_id = $1 and u.alert_endpoint_id = $2 and u.due_on <= $3::date
       order by u.due_on, u.billing_id limit $4
     ))
     returning true
   )
   select ${FORGOTTEN.columns} from forgotten`,
);

/** Deletes up to `limit` records of alerts whose due day has come. Returns how many. */
export async function forgetUpcoming(
  database: Database,
  { merchantId, alertEndpointId }: AlertEndpointKey,
  today: Day,
  limit: number,
): Promise<number> {
  const [row] = await database.query(FORGET, [merchantId, alertEndpointId, today, limit]);
  return FORGOTTEN.parse(row as Row).count;
}

/**
 * The day of the next alert: `$3` days before the due day of the first billing to alert about, or the day
 * after the endpoint was last alerted, whichever is later.
 */
const EARLIEST = statement(
  'notices.earliest_upcoming_of_merchant',
  `select ${EARLIEST_DAY.columns}
   from (
     select n.alert_endpoint_id, n.alerted_on from webhook_endpoints n
     where n.merchant_id = $1 and n.kind = 'alerts' and n.state = 'active' and 'upcoming' = any (n.events)
     order by n.alert_endpoint_id limit $4
   ) n cross join lateral (
     select greatest(b.due_on - $3::integer, n.alerted_on + 1) as due_on from billings b
     where b.merchant_id = $1 and b.state = $5
       and b.due_on > greatest($2::date, n.alerted_on + 1) and (
         select true from upcoming_alerts u
         where u.merchant_id = $1 and u.alert_endpoint_id = n.alert_endpoint_id and u.due_on = b.due_on
           and u.billing_id = b.billing_id limit 1
       ) is null
     order by b.due_on, b.created_at, b.billing_id limit 1
   ) d`,
);

/** The merchant's day of the next alert about a billing, possibly past; null: there is none to send. */
export async function findEarliestUpcoming(
  database: Database,
  merchantId: string,
  today: Day,
  noticeDays: number,
): Promise<Day | null> {
  const values = [merchantId, today, noticeDays, MOST_ACTIVE_ALERT_ENDPOINTS, 'opened'];
  return onlyOf(await database.query(EARLIEST, values), EARLIEST_DAY.parse).dueOn;
}
