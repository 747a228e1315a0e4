import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { DELIVERY_KINDS, DELIVERY_STATES, deliveryId } from '../deliveries/delivery.ts';

const DELIVERY = rowCodec(
  {
    deliveryNumber: column.whole(),
    kind: column.oneOf(DELIVERY_KINDS),
    state: column.oneOf(DELIVERY_STATES),
    url: column.nullable(column.text('coalesce(d.url, e.url)')),
    tries: column.whole(),
    createdAt: column.instant(),
    /** Null: it still waits. */
    endedAt: column.nullable(column.instant()),
    /** Of the last try; null: none was, none was answered, or it was delivered. */
    lastStatus: column.nullable(column.whole('l.status')),
    lastFailure: column.nullable(column.text('l.failure')),
  },
  'd',
);

/** What was sent of a payment, with what came of its last try. */
export type PaymentDelivery = ReturnType<typeof parse>;

/** Along deliveries_by_nsu; addresses and tries by their keys. */
const LIST = statement(
  'history.list_of_payment',
  `select ${DELIVERY.columns}
   from (
     select * from deliveries where merchant_id = $1 and nsu = $2 and transaction_id = $3::uuid
     order by delivery_number limit $4
   ) d left join lateral (
     select url from webhook_endpoints where merchant_id = $1 and endpoint = d.endpoint limit 1
   ) e on true left join lateral (
     select status, failure from delivery_tries where merchant_id = $1 and delivery_number = d.delivery_number
     order by try_number desc limit 1
   ) l on true
   order by d.delivery_number`,
);

/** The first deliveries about a payment with this NSU, oldest first. */
export async function listDeliveriesOf(
  database: Reader,
  merchantId: string,
  { nsu, transactionId }: { readonly nsu: string; readonly transactionId: string },
  limit: number,
): Promise<PaymentDelivery[]> {
  return (await database.query(LIST, [merchantId, nsu, transactionId, limit])).map(parse);
}

function parse(row: Row) {
  const { deliveryNumber, ...delivery } = DELIVERY.parse(row);
  return { deliveryId: deliveryId({ deliveryNumber, createdAt: delivery.createdAt }), ...delivery };
}
