import { type Reader, type Row, statement } from '../platform/postgres/database.ts';
import { column, rowCodec } from '../platform/postgres/row-codec.ts';
import { cents } from '../values/cents.ts';
import { type Day, type Instant, instant, saoPauloDay, utcText } from '../values/instant.ts';
import { FIRST_ID, type SalePlace } from './sale-counts.sql.ts';
import { ANSWERED_NO, ANSWERED_YES } from './sale-counts.ts';
import type { MoneySum, SalePart } from './sale-sums.ts';
import { INSTALLMENT_STATES } from './transaction.ts';
import { DECIDED } from './transaction-queries.sql.ts';

export type Period = { readonly from: Instant; readonly before: Instant };

const HOUR = rowCodec({
  day: column.day(`(began at time zone 'America/Sao_Paulo')::date`),
  hour: column.whole(`extract(hour from began at time zone 'America/Sao_Paulo')::integer`),
  read: column.whole('count(*)::integer'),
  count: column.whole(`count(*) filter (where state = 'approved')::integer`),
  amount: column.money(`coalesce(sum(amount) filter (where state = 'approved'), 0)::bigint`),
  approved: column.whole('count(*) filter (where state = any ($6::text[]))::integer'),
  declined: column.whole('count(*) filter (where state = any ($7::text[]))::integer'),
  oldestAt: column.text('(select sold_at::text from sold order by sold_at, transaction_id limit 1)'),
  oldestId: column.text('(select transaction_id::text from sold order by sold_at, transaction_id limit 1)'),
});

/** Reads the newest of a range of transactions_by_sale_day, and their rows, which lie beside each other. */
const SUM_SALES = statement(
  'transactions.sum_sales',
  `with sold as materialized (
     select sold_at, transaction_id, state, amount, date_trunc('hour', sold_at, 'UTC') as began from transactions
     where merchant_id = $1 and (sold_at, transaction_id) < ($3::timestamptz, $4::uuid) and sold_at >= $2::timestamptz
       and installments_state = any ($8::text[]) and ${DECIDED}
     order by sold_at desc, transaction_id desc limit $5
   )
   select ${HOUR.columns} from sold group by began`,
);

export type SaleHour = SalePart & { readonly day: Day; readonly hour: number };

/** The newest sales of the period before `place`, by the hour. `next`: there may be older ones. */
export async function sumSales(
  database: Reader,
  merchantId: string,
  { from, before }: Period,
  { place, most }: { readonly place: SalePlace | null; readonly most: number },
): Promise<{ readonly hours: readonly SaleHour[]; readonly next: SalePlace | null }> {
  const { soldAt, transactionId } = place ?? { soldAt: utcText(before), transactionId: FIRST_ID };
  const values = [merchantId, utcText(from), soldAt, transactionId, most, ANSWERED_YES, ANSWERED_NO];
  const rows = await database.query(SUM_SALES, [...values, INSTALLMENT_STATES]);
  const hours = rows.map(HOUR.parse);
  const [first] = hours;
  const isCut = first !== undefined && hours.reduce((sum, one) => sum + one.read, 0) === most;
  return {
    hours,
    next: isCut ? { soldAt: first.oldestAt, transactionId: first.oldestId } : null,
  };
}

const SUM = rowCodec({
  count: column.whole('count(*)::integer'),
  amount: column.money('coalesce(sum(amount), 0)::bigint'),
});
/** Of what was read those of the period, and how much was read. */
const SUM_OF_NEWEST = rowCodec({
  count: column.whole('count(*) filter (where is_of_period)::integer'),
  amount: column.money('coalesce(sum(amount) filter (where is_of_period), 0)::bigint'),
  isCut: column.boolean('coalesce(count(*) = $4 and bool_and(is_since), false)'),
});
/** Along an index, some milliseconds. */
const MOST_SUMMED = 50_000;

const RECEIVED_BY_PIX = statement(
  'pix_payments.sum_paid',
  `select ${SUM.columns} from (
     select amount from pix_payments
     where merchant_id = $1 and surprise is null and paid_at >= $2::timestamptz and paid_at < $3::timestamptz limit $4
   ) p`,
);
/** What nobody expected was not sold, so that giving it back takes nothing from sales. */
const RETURNED_BY_PIX = statement(
  'pix_refunds.sum_refunded',
  `select ${SUM.columns} from (
     select r.amount from pix_refunds r join pix_payments p using (merchant_id, pix_id, end_to_end_id)
     where r.merchant_id = $1 and r.refunded_at >= $2::timestamptz and r.refunded_at < $3::timestamptz
       and p.surprise is null limit $4
   ) p`,
);
/** In the order in which they were carried out, the newest first: an index has that order. */
const RETURNED_BY_CARD = statement(
  'cancels.sum_newest',
  `select ${SUM_OF_NEWEST.columns} from (
     select amount, canceled_at >= $2::timestamptz as is_since,
       canceled_at >= $2::timestamptz and canceled_at < $3::timestamptz as is_of_period
     from cancels where merchant_id = $1 and recorded_number is not null
     order by recorded_number desc limit $4
   ) c`,
);
const PAID_BY_BOLETO = statement(
  'boleto_payments.sum_paid',
  `select ${SUM.columns} from (
     select amount from boleto_payments
     where merchant_id = $1 and surprise is null and paid_on >= $2::date and paid_on <= $3::date limit $4
   ) b`,
);

async function sumOf(
  database: Reader,
  asked: typeof RECEIVED_BY_PIX,
  merchantId: string,
  [from, to]: readonly [string, string],
): Promise<MoneySum> {
  const [row] = (await database.query(asked, [merchantId, from, to, MOST_SUMMED])) as [Row];
  const sum = SUM.parse(row);
  return { ...sum, isCut: sum.count === MOST_SUMMED };
}

async function sumReturnedByCard(
  database: Reader,
  merchantId: string,
  moments: readonly [string, string],
): Promise<MoneySum> {
  const [row] = (await database.query(RETURNED_BY_CARD, [merchantId, ...moments, MOST_SUMMED])) as [Row];
  return SUM_OF_NEWEST.parse(row);
}

/** What cards, Pix and boletos moved beside the sales. */
export async function sumMoved(database: Reader, merchantId: string, { from, before }: Period) {
  const moments = [utcText(from), utcText(before)] as const;
  const days: readonly [Day, Day] = [saoPauloDay(from), saoPauloDay(instant(before - 1))];
  const [byCard, byPix] = [
    await sumReturnedByCard(database, merchantId, moments),
    await sumOf(database, RETURNED_BY_PIX, merchantId, moments),
  ];
  return {
    pix: await sumOf(database, RECEIVED_BY_PIX, merchantId, moments),
    boletos: await sumOf(database, PAID_BY_BOLETO, merchantId, days),
    givenBack: {
      count: byCard.count + byPix.count,
      amount: cents(byCard.amount + byPix.amount),
      isCut: byCard.isCut || byPix.isCut,
    },
  };
}
