import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Day } from '../../values/instant.ts';

/** The billing that a subscription owes now or next. */
export type OpenBilling = {
  readonly subscriptionId: string;
  readonly installment: number;
  readonly dueOn: Day;
  readonly chargeOn: Day;
  readonly chargesMade: number;
  readonly isCharging: boolean;
};

const OPEN = rowCodec<OpenBilling>({
  subscriptionId: column.text(),
  installment: column.whole(),
  dueOn: column.day(),
  chargeOn: column.day(),
  chargesMade: column.whole(),
  isCharging: column.boolean('transaction_id is not null'),
});

const LIST = statement(
  'billings.find_open',
  `select ${OPEN.columns} from billings
   where merchant_id = $1 and subscription_id = any ($2::uuid[]) and state = 'opened'`,
);

/** At most one for each subscription. */
export async function listOpenBillings(
  reader: Reader,
  merchantId: string,
  subscriptionIds: readonly string[],
): Promise<readonly OpenBilling[]> {
  return (await reader.query(LIST, [merchantId, subscriptionIds])).map(OPEN.parse);
}
