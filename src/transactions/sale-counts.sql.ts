import { type Reader, type Row, statement } from '../platform/postgres/database.ts';
import type { CardBrand } from '../values/card-number.ts';
import { type Day, type Instant, utcText } from '../values/instant.ts';
import { ANSWERED_NO, ANSWERED_YES, type Answers, type SaleCounts } from './sale-counts.ts';
import { INSTALLMENT_STATES } from './transaction.ts';

/** More of them are not counted for one picture: a quarter of a second of an index. */
const MOST_SALES = 300_000;
/** Codes are the issuers', and may be any: the rarest are left out. */
const MOST_GROUPS = 1_000;

/**
 * A stretch of transactions_by_sale_day, which alone is read where vacuum has been. What is alike in an hour
 * is put together first: hours of São Paulo begin with those of UTC. Only who names what the installments
 * show may take the index.
 */
const COUNT = statement(
  'transactions.count_sales',
  `with sold as materialized (
     select sold_at, card_brand, state, response_code, advice_code from transactions
     where merchant_id = $1 and sold_at >= $2::timestamptz and sold_at < $3::timestamptz
       and installments_state = any ($8::text[])
     order by sold_at desc limit $4::bigint + 1
   ), alike as materialized (
     select date_trunc('hour', sold_at, 'UTC') as began, card_brand, state, response_code, advice_code,
       count(*) as count, min(sold_at) as first_at
     from sold group by 1, 2, 3, 4, 5
   ), placed as (
     select (began at time zone 'America/Sao_Paulo')::date as day,
       extract(hour from began at time zone 'America/Sao_Paulo')::integer as hour,
       card_brand, response_code, advice_code, state, count, first_at
     from alike
   )
   select grouping(day, hour, card_brand, response_code) as kind, day::text, hour, card_brand, response_code,
     advice_code, sum(count)::integer as count, min(first_at) as first_at,
     coalesce(sum(count) filter (where state = any ($5::text[])), 0)::integer as approved,
     coalesce(sum(count) filter (where state = any ($6::text[])), 0)::integer as declined
   from placed
   group by grouping sets ((), (day), (hour), (card_brand), (card_brand, response_code, advice_code))
   order by count desc limit $7`,
);

/** As `grouping` names them: a bit for each column that a row is not of. */
const KINDS = { total: 15, day: 7, hour: 11, brand: 13, code: 12 } as const;

/** The sales of a stretch of business time; of very many the newest. */
export async function countSales(
  database: Reader,
  merchantId: string,
  { from, before }: { readonly from: Instant; readonly before: Instant },
): Promise<SaleCounts> {
  const values = [utcText(from), utcText(before), MOST_SALES, ANSWERED_YES, ANSWERED_NO];
  const rest: unknown[] = [MOST_GROUPS, INSTALLMENT_STATES];
  const rows = await database.query(COUNT, [merchantId, ...values, ...rest]);
  const of = (kind: keyof typeof KINDS) => rows.filter((row) => row.kind === KINDS[kind]);
  const [total] = of('total');
  const isCut = total !== undefined && (total.count as number) > MOST_SALES;
  return {
    total: total === undefined ? { approved: 0, declined: 0, other: 0 } : answersOf(total),
    byDay: of('day')
      .map((row) => ({ day: row.day as Day, ...answersOf(row) }))
      .sort((one, other) => (one.day < other.day ? -1 : 1)),
    byHour: of('hour')
      .map((row) => ({ hour: row.hour as number, ...answersOf(row) }))
      .sort((one, other) => one.hour - other.hour),
    byBrand: of('brand').map((row) => ({ brand: row.card_brand as CardBrand, ...answersOf(row) })),
    declines: of('code')
      .filter((row) => row.response_code !== null)
      .map((row) => ({
        brand: row.card_brand as CardBrand,
        responseCode: row.response_code as string,
        adviceCode: row.advice_code as string | null,
        count: row.declined as number,
      })),
    countedFrom: isCut ? (total.first_at as Instant) : null,
  };
}

function answersOf(row: Row): Answers {
  const [approved, declined] = [row.approved as number, row.declined as number];
  return { approved, declined, other: (row.count as number) - approved - declined };
}
