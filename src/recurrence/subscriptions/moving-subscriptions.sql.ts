import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Terms } from '../plans/plan.ts';
import { TERMS } from '../plans/plans.sql.ts';
import { readCustomer } from './customer.ts';

const MOVING = rowCodec({
  subscriptionId: column.text('s.subscription_id'),
  planId: column.text('s.plan_id'),
  vaultId: column.text('s.vault_id'),
  orderNumber: column.text('s.order_number'),
  accountNumber: column.text('s.account_number'),
  customer: column.nullable(column.parsedBy(readCustomer, 's.customer')),
  /** null if no billing is open, like the next three fields. */
  dueOn: column.nullable(column.day('b.due_on')),
  chargeOn: column.nullable(column.day('b.charge_on')),
  chargesMade: column.nullable(column.whole('b.charges_made')),
  installment: column.nullable(column.whole('b.installment')),
  isCharging: column.boolean('b.transaction_id is not null'),
});

export type MovingSubscriptionRow = RowOf<typeof MOVING> & { readonly terms: Terms };

const LIST = statement(
  'subscriptions.list_moving',
  `select ${MOVING.columns}, ${TERMS.columnsOf('s')} from (
     select * from subscriptions where merchant_id = $1 and subscription_id > $2
       and state = 'active' and vault_id is not null
     order by subscription_id limit $3
   ) s left join billings b on b.merchant_id = $1 and b.subscription_id = s.subscription_id
     and b.state = 'opened'
   order by s.subscription_id`,
);

/** Active subscriptions by card with their open billings, in order of their ids, after `behind`. */
export async function listMovingSubscriptions(
  database: Database,
  merchantId: string,
  behind: string,
  limit: number,
): Promise<readonly MovingSubscriptionRow[]> {
  const rows = await database.query(LIST, [merchantId, behind, limit]);
  return rows.map((row) => ({ ...MOVING.parse(row), terms: TERMS.parse(row) }));
}

const MOVED = rowCodec({
  subscriptionId: column.text(),
  planId: column.text(),
  firstDueOn: column.day(),
  installmentsPaidBefore: column.whole(),
});

export type MovedSubscription = RowOf<typeof MOVED>;

const FIND = statement(
  'subscriptions.find_moved',
  `select ${MOVED.columns} from subscriptions where merchant_id = $1 and subscription_id = any($2::uuid[])`,
);

/** The subscriptions with these ids that exist, with fields that never change. */
export async function findMovedSubscriptions(
  database: Database,
  merchantId: string,
  subscriptionIds: readonly string[],
): Promise<ReadonlyMap<string, MovedSubscription>> {
  const rows = (await database.query(FIND, [merchantId, subscriptionIds])).map(MOVED.parse);
  return new Map(rows.map((row) => [row.subscriptionId, row]));
}
