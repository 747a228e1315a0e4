import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { ENDPOINT_STATES, endpointOf, WEBHOOK } from './webhook-endpoint.ts';

const MOVED = rowCodec({ url: column.text(), state: column.oneOf(ENDPOINT_STATES) });

export type RegisteredWebhook = RowOf<typeof MOVED>;

const FIND = statement(
  'webhooks.find_moved',
  `select ${MOVED.columns} from webhook_endpoints where merchant_id = $1 and endpoint = $2`,
);

/** Also finds a webhook that was removed: see `state`. null: the account never had one. */
export async function findRegisteredWebhook(
  database: Reader,
  merchantId: string,
  accountNumber: string,
): Promise<RegisteredWebhook | null> {
  return firstOf(await database.query(FIND, [merchantId, endpointOf(WEBHOOK, accountNumber)]), MOVED.parse);
}
