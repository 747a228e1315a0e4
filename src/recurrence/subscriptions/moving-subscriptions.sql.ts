import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { readCustomer } from './customer.ts';

const MOVING = rowCodec({
  subscriptionId: column.text('s.subscription_id'),
  planId: column.text('s.plan_id'),
  vaultId: column.text('s.vault_id'),
  orderNumber: column.text('s.order_number'),
  accountNumber: column.text('s.account_number'),
  customer: column.nullable(column.parsedBy(readCustomer, 's.customer')),
  chargeOn: column.day('b.charge_on'),
  installment: column.whole('b.installment'),
});

export type MovingSubscriptionRow = RowOf<typeof MOVING>;

const LIST = statement(
  'subscriptions.list_moving',
  `select ${MOVING.columns} from (
     select * from subscriptions where merchant_id = $1 and subscription_id > $2
       and state = 'active' and vault_id is not null
     order by subscription_id limit $3
   ) s join billings b on b.merchant_id = $1 and b.subscription_id = s.subscription_id and b.state = 'opened'
   order by s.subscription_id`,
);

/** Active ones that a card pays, with what they owe next, behind an id. */
export async function listMovingSubscriptions(
  database: Database,
  merchantId: string,
  behind: string,
  limit: number,
): Promise<readonly MovingSubscriptionRow[]> {
  return (await database.query(LIST, [merchantId, behind, limit])).map(MOVING.parse);
}
