import { type Reader, statement } from '../../platform/postgres/database.ts';
import type { Instant } from '../../values/instant.ts';
import { type DeliveryKind, type DeliveryState, deliveryId } from '../deliveries/delivery.ts';

/** What was sent of a payment, with what came of its last try. */
export type PaymentDelivery = {
  readonly deliveryId: string;
  readonly kind: DeliveryKind;
  readonly state: DeliveryState;
  readonly url: string | null;
  readonly tries: number;
  readonly createdAt: Instant;
  /** Null: it still waits. */
  readonly endedAt: Instant | null;
  /** Of the last try; null: none was, none was answered, or it was delivered. */
  readonly lastStatus: number | null;
  readonly lastFailure: string | null;
};

/** Along deliveries_by_nsu; addresses and tries by their keys. */
const LIST = statement(
  'history.list_of_payment',
  `select d.delivery_number, d.kind, d.state, coalesce(d.url, e.url) as url, d.tries, d.created_at, d.ended_at,
     l.status as last_status, l.failure as last_failure
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
  const rows = await database.query(LIST, [merchantId, nsu, transactionId, limit]);
  return rows.map((row) => {
    const createdAt = row.created_at as Instant;
    return {
      deliveryId: deliveryId({ createdAt, deliveryNumber: row.delivery_number as number }),
      kind: row.kind as DeliveryKind,
      state: row.state as DeliveryState,
      url: row.url as string | null,
      tries: row.tries as number,
      createdAt,
      endedAt: row.ended_at as Instant | null,
      lastStatus: row.last_status as number | null,
      lastFailure: row.last_failure as string | null,
    };
  });
}
