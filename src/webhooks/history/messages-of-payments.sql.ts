import { type Database, type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, onlyOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { DELIVERY_KINDS, DELIVERY_STATES, deliveryId } from '../deliveries/delivery.ts';

/** Only an approved payment has an NSU. */
export type NamedPayment = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly nsu: string;
};

const MESSAGE = rowCodec({
  merchantId: column.text(),
  transactionId: column.text(),
  deliveryNumber: column.whole(),
  kind: column.oneOf(DELIVERY_KINDS),
  state: column.oneOf(DELIVERY_STATES),
  /** The URL of a callback; null: the message goes to the URL that is registered for the account. */
  url: column.nullable(column.text()),
  body: column.text(),
  createdAt: column.instant(),
});

export type PaymentMessage = RowOf<typeof MESSAGE>;

const PAYMENTS = inputRows<NamedPayment>(
  {
    ...own({ merchantId: 'text', transactionId: 'uuid', nsu: 'text' }),
  },
  { after: 1 },
);

const LIST = statement(
  'history.list_of_payments',
  `select d.* from ${PAYMENTS.sql} cross join lateral (
     select ${MESSAGE.columns}
     from deliveries
     where merchant_id = i.merchant_id and nsu = i.nsu and transaction_id = i.transaction_id
     order by delivery_number limit $1
   ) d`,
);

/** Oldest first, up to `limit` of each payment. */
export async function listMessagesOf(
  database: Database,
  payments: readonly NamedPayment[],
  limit: number,
): Promise<PaymentMessage[]> {
  const rows = await database.query(LIST, [limit, ...PAYMENTS.values(payments)]);
  return rows.map(MESSAGE.parse);
}

const GONE = rowCodec({ messages: column.whole('(select count(*) from gone)') });

const DELETE = statement(
  'history.delete_of_payments',
  `with held as materialized (
     select o.* from ${PAYMENTS.sql} cross join lateral (
       select ctid as place, merchant_id, delivery_number from deliveries
       where merchant_id = i.merchant_id and nsu = i.nsu and transaction_id = i.transaction_id
         and state <> 'waiting'
       order by delivery_number limit $1
       for update skip locked
     ) o
   ), gone as (
     delete from deliveries where ctid = any (array(select place from held)) and state <> 'waiting'
     returning delivery_number
   ), tries_gone as (
     delete from delivery_tries where ctid = any (array(
       select t.place from held h cross join lateral (
         select ctid as place from delivery_tries
         where merchant_id = h.merchant_id and delivery_number = h.delivery_number limit 1000
       ) t
     ))
     returning try_number
   )
   select ${GONE.columns}`,
);

/**
 * Deletes ended messages with their tries, up to `limit` for each payment; waiting ones stay. Returns the
 * number of messages deleted.
 */
export async function deleteEndedMessages(
  database: Database,
  payments: readonly NamedPayment[],
  limit: number,
): Promise<number> {
  return onlyOf(await database.query(DELETE, [limit, ...PAYMENTS.values(payments)]), GONE.parse).messages;
}

const DELIVERY = rowCodec(
  {
    deliveryNumber: column.whole(),
    kind: column.oneOf(DELIVERY_KINDS),
    state: column.oneOf(DELIVERY_STATES),
    url: column.nullable(column.text('coalesce(d.url, e.url)')),
    tries: column.whole(),
    createdAt: column.instant(),
    /** null: the delivery waits. */
    endedAt: column.nullable(column.instant()),
    /**
     * `lastStatus`, `lastFailure`: of the last try. null: there was no try; or no answer (status), no
     * failure.
     */
    lastStatus: column.nullable(column.whole('l.status')),
    lastFailure: column.nullable(column.text('l.failure')),
  },
  'd',
);

export type PaymentDelivery = ReturnType<typeof parse>;

/** Reads index deliveries_by_nsu; endpoints and tries by key. */
const LIST_OF_PAYMENT = statement(
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

/** Oldest first. */
export async function listDeliveriesOf(
  database: Reader,
  merchantId: string,
  { nsu, transactionId }: { readonly nsu: string; readonly transactionId: string },
  limit: number,
): Promise<PaymentDelivery[]> {
  return (await database.query(LIST_OF_PAYMENT, [merchantId, nsu, transactionId, limit])).map(parse);
}

function parse(row: Row) {
  const { deliveryNumber, ...delivery } = DELIVERY.parse(row);
  return { deliveryId: deliveryId({ deliveryNumber, createdAt: delivery.createdAt }), ...delivery };
}
