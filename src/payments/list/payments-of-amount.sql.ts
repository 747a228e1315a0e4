import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { BOLETO_STATES } from '../../transactions/methods/boleto/boleto.ts';
import { PIX_STATES } from '../../transactions/methods/pix/pix.ts';
import { INSTALLMENT_STATES, TRANSACTION_STATES } from '../../transactions/transaction.ts';
import { DECIDED, UNDER_WAY } from '../../transactions/transaction-queries.sql.ts';
import type { Cents } from '../../values/cents.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import { BOLETO_KEY, CARD_KEY, PIX_KEY, WAS_ASKED } from './found-payments.sql.ts';

const FOUND = rowCodec({
  paymentId: column.nullable(column.text('o.payment_id')),
  /** Null: all of the period was looked at. */
  readFrom: column.nullable(column.instant('c.read_from')),
});

const READ_CARD = `select ${CARD_KEY}, amount, card_last_four`;
/** All states are named, so that PostgreSQL takes the index by day, which alone holds them in this order. */
const CARDS = `from transactions where merchant_id = $1 and sold_at >= $2::timestamptz and sold_at < $3::timestamptz
  and state = any ($10::text[]) and installments_state = any ($11::text[])`;
const NEWEST = 'order by sold_at desc, transaction_id desc limit $6::bigint';
const OF_PERIOD = `${WAS_ASKED} and amount > 0 and requested_at >= $2::timestamptz and requested_at < $3::timestamptz`;

/**
 * Reads the newest payments of the period and keeps those of the amount. No index has the amount, because
 * each sale would have to write it. `part`: from which index the row is.
 */
const FIND = statement(
  'payments.find_of_amount',
  `with read as materialized (
     (${READ_CARD}, 'decided' as part ${CARDS} and ${DECIDED} ${NEWEST})
     union all (${READ_CARD}, 'under way' as part ${CARDS} and ${UNDER_WAY} ${NEWEST})
     union all (select p.*, '' as card_last_four, 'pix ' || s.state as part from unnest($7::text[]) s (state) cross join lateral (
       select ${PIX_KEY}, amount from pix_charges where merchant_id = $1 and state = s.state and ${OF_PERIOD}
       order by requested_at desc, pix_id desc limit $6::bigint) p)
     union all (select b.*, '' as card_last_four, 'boleto ' || s.state as part from unnest($8::text[]) s (state) cross join lateral (
       select ${BOLETO_KEY}, amount from boletos where merchant_id = $1 and state = s.state and ${OF_PERIOD}
       order by requested_at desc, boleto_id desc limit $6::bigint) b)
   )
   select ${FOUND.columns} from (
     select max(read_from) as read_from from (
       select min(sold_at) as read_from from read group by part having count(*) >= $6::bigint
     ) r
   ) c left join lateral (
     select payment_id, sold_at from read
     where amount = $4::bigint and ($5::text is null or card_last_four = $5)
     order by sold_at desc, payment_id desc limit $9::bigint
   ) o on true
   order by o.sold_at desc, o.payment_id desc`,
);

export type WantedAmount = {
  readonly amount: Cents;
  readonly lastFour: string | null;
  readonly soldFrom: Instant;
  readonly soldBefore: Instant;
};

/** The newest that are read of each kind: enough for a page, not for a year. */
const MOST_READ = 5_000;

/** Newest first. `readFrom`: earlier sales were not looked at; null: all of the period were. */
export async function findPaymentsOfAmount(
  database: Reader,
  merchantId: string,
  { amount, lastFour, soldFrom, soldBefore }: WantedAmount,
  limit: number,
): Promise<{ readonly ids: readonly string[]; readonly readFrom: Instant | null }> {
  const period = [utcText(soldFrom), utcText(soldBefore)];
  const values = [
    ...[merchantId, ...period, amount, lastFour, MOST_READ, PIX_STATES, BOLETO_STATES, limit],
    ...[TRANSACTION_STATES, INSTALLMENT_STATES],
  ];
  const rows: RowOf<typeof FOUND>[] = (await database.query(FIND, values)).map(FOUND.parse);
  return {
    ids: rows.flatMap(({ paymentId }) => paymentId ?? []),
    readFrom: rows[0]?.readFrom ?? null,
  };
}
