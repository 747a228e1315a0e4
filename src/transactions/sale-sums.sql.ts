import { type Reader, type Row, statement } from '../platform/postgres/database.ts';
import { column, rowCodec } from '../platform/postgres/row-codec.ts';
import { addDays, type Day, type Instant, instant, saoPauloDay, utcText } from '../values/instant.ts';
import { FIRST_ID, type SalePlace } from './sale-counts.sql.ts';
import { ANSWERED_NO, ANSWERED_YES } from './sale-counts.ts';
import {
  type MovedKind,
  type MovedPlace,
  type MovedSums,
  NOTHING_MOVED,
  type SalePart,
  WHOLE,
} from './sale-sums.ts';
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
  oldestAt: column.text('(select oldest_at from oldest)'),
  oldestId: column.text('(select oldest_id from oldest)'),
});

/**
 * Reads the newest sales of a range of the index transactions_by_sale_day, and their rows, which lie beside
 * each other.
 */
const SUM_SALES = statement(
  'transactions.sum_sales',
  `with sold as materialized (
     select sold_at, transaction_id, state, amount, date_trunc('hour', sold_at, 'UTC') as began from transactions
     where merchant_id = $1 and (sold_at, transaction_id) < ($3::timestamptz, $4::uuid) and sold_at >= $2::timestamptz
       and installments_state = any ($8::text[]) and ${DECIDED}
     order by sold_at desc, transaction_id desc limit $5
   ), oldest as (
     select sold_at::text as oldest_at, transaction_id::text as oldest_id from sold
     order by sold_at, transaction_id limit 1
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

/** Sums of the rows that were read. `oldest`: moment or day of the oldest row, as PostgreSQL writes it. */
const SUM = rowCodec({
  read: column.whole('count(*)::integer'),
  count: column.whole('count(*) filter (where is_counted)::integer'),
  amount: column.money('coalesce(sum(amount) filter (where is_counted), 0)::bigint'),
  oldest: column.nullable(column.text('min(at)::text')),
});

/**
 * Each statement reads the newest `$4` rows of a period, and with the last of them all of the same moment or
 * day: the next read begins before that. A payment that paid its bill counts as sold, also for a payment link
 * that had ended, as in the list of payments.
 */
const MOVED = {
  pix: statement(
    'pix_payments.sum_paid',
    `select ${SUM.columns} from (
       select amount, paid_at as at, true as is_counted from pix_payments
       where merchant_id = $1 and surprise is null and paid_at >= $2::timestamptz and paid_at < $3::timestamptz
       order by paid_at desc fetch first $4 rows with ties
     ) p`,
  ),
  boletos: statement(
    'boleto_payments.sum_paid',
    `select ${SUM.columns} from (
       select amount, paid_on as at, surprise is null as is_counted from boleto_payments
       where merchant_id = $1 and paid_on >= $2::date and paid_on < $3::date
       order by paid_on desc fetch first $4 rows with ties
     ) b`,
  ),
  returnedByCard: statement(
    'cancels.sum_canceled',
    `select ${SUM.columns} from (
       select amount, canceled_at as at, true as is_counted from cancels
       where merchant_id = $1 and canceled_at >= $2::timestamptz and canceled_at < $3::timestamptz
       order by canceled_at desc fetch first $4 rows with ties
     ) c`,
  ),
  /** A payment that nobody expected was not sold, so that giving it back takes nothing from sales. */
  returnedByPix: statement(
    'pix_refunds.sum_refunded',
    `select ${SUM.columns} from (
       select r.amount, r.at, p.surprise is null as is_counted from (
         select amount, refunded_at as at, pix_id, end_to_end_id from pix_refunds
         where merchant_id = $1 and refunded_at >= $2::timestamptz and refunded_at < $3::timestamptz
         order by refunded_at desc fetch first $4 rows with ties
       ) r cross join lateral (
         select surprise from pix_payments
         where merchant_id = $1 and pix_id = r.pix_id and end_to_end_id = r.end_to_end_id limit 1
       ) p
     ) r`,
  ),
};

const KINDS = Object.keys(MOVED) as MovedKind[];

/**
 * Sums the newest payments by Pix and boleto, and the newest returns of money, before `place`. `next`: there
 * may be older ones.
 */
export async function sumMoved(
  database: Reader,
  merchantId: string,
  { from, before }: Period,
  { place, most }: { readonly place: MovedPlace | null; readonly most: number },
): Promise<{ readonly sums: MovedSums; readonly next: MovedPlace | null }> {
  // Banks name no hour of a boleto.
  const endsOn = addDays(saoPauloDay(instant(before - 1)), 1);
  const sums = { ...NOTHING_MOVED };
  const next: Record<MovedKind, string | null> = { ...WHOLE };
  for (const kind of KINDS) {
    const [first, end] = kind === 'boletos' ? [saoPauloDay(from), endsOn] : [utcText(from), utcText(before)];
    const until = place === null ? end : place[kind];
    if (until === null) continue;
    const [row] = (await database.query(MOVED[kind], [merchantId, first, until, most])) as [Row];
    const { read, count, amount, oldest } = SUM.parse(row);
    sums[kind] = { count, amount };
    if (read >= most) next[kind] = oldest;
  }
  return { sums, next: KINDS.every((kind) => next[kind] === null) ? null : next };
}
