import type { IdSpan } from '../../idempotency/idempotency-key.ts';
import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';

const RECEIVED = rowCodec(
  {
    /** The bill for which money came first. */
    paymentId: column.text(),
    /** Of all bills. */
    amount: column.money(),
  },
  'r',
);

/** What payers have paid, whatever became of the bill before. */
export type Received = RowOf<typeof RECEIVED>;

const FIND_RECEIVED = statement(
  'payment_links.find_received',
  `select ${RECEIVED.columns} from (
     select payment_id, (sum(amount) over ())::bigint as amount, created_at
     from unnest($2::uuid[], $3::uuid[]) t (first, last) cross join lateral (
       (select boleto_id as payment_id, amount, created_at from boleto_payments
        where merchant_id = $1 and boleto_id between t.first and t.last)
       union all
       (select pix_id, amount, created_at from pix_payments
        where merchant_id = $1 and pix_id between t.first and t.last)
     ) paid
     order by created_at limit 1
   ) r`,
);

/** For bills with ids that lie there. Null: nothing. */
export async function findReceived(
  database: Reader,
  merchantId: string,
  spans: readonly IdSpan[],
): Promise<Received | null> {
  const values = [merchantId, spans.map(({ first }) => first), spans.map(({ last }) => last)];
  const [row] = await database.query(FIND_RECEIVED, values);
  return row === undefined ? null : RECEIVED.parse(row);
}
