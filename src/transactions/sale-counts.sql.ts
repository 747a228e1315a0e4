import { type Reader, statement } from '../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../platform/postgres/row-codec.ts';
import { CARD_BRANDS } from '../values/card-number.ts';
import { type Instant, utcText } from '../values/instant.ts';
import { ANSWERED_NO, ANSWERED_YES, type Answers, type SaleCounts } from './sale-counts.ts';
import { INSTALLMENT_STATES } from './transaction.ts';
import { DECIDED, UNDER_WAY } from './transaction-queries.sql.ts';

/** Issuers may use any codes. Groups of codes come last, and the rarest are left out. */
const MOST_GROUPS = 1_000;

/**
 * A row counts the sales of one hour, brand or code, or all; `kind` says which. Columns by which its sales
 * are not grouped are null.
 */
const GROUP = rowCodec({
  kind: column.whole('grouping(hour, card_brand, response_code)'),
  hour: column.nullable(column.whole('hour')),
  brand: column.nullable(column.oneOf(CARD_BRANDS, 'card_brand')),
  responseCode: column.nullable(column.text()),
  adviceCode: column.nullable(column.text()),
  count: column.whole('coalesce(sum(count), 0)::integer'),
  firstAt: column.nullable(column.instant('min(first_at)')),
  approved: column.whole('coalesce(sum(count) filter (where state = any ($5::text[])), 0)::integer'),
  declined: column.whole('coalesce(sum(count) filter (where state = any ($6::text[])), 0)::integer'),
  oldestAt: column.nullable(column.text('(select oldest_at from oldest)')),
  oldestId: column.nullable(column.text('(select oldest_id from oldest)')),
});

type Group = RowOf<typeof GROUP>;

const OF_SOLD = `select sold_at, transaction_id, card_brand, state, response_code, advice_code from transactions
  where merchant_id = $1 and (sold_at, transaction_id) < ($3::timestamptz, $9::uuid)
  and sold_at >= $2::timestamptz and installments_state = any ($8::text[])`;
const NEWEST_FIRST = 'order by sold_at desc, transaction_id desc limit $4';
const SOLD = `(${OF_SOLD} and ${DECIDED} ${NEWEST_FIRST})
  union all (${OF_SOLD} and ${UNDER_WAY} ${NEWEST_FIRST})`;

/**
 * Reads a range of the index transactions_by_sale_day, and no rows where vacuum has run. Sales alike within
 * an hour are grouped first: hours of São Paulo and UTC begin together. Only a query that names
 * installments_state may use the index.
 */
const COUNT = statement(
  'transactions.count_sales',
  `with sold as materialized (
     select * from (${SOLD}) o order by sold_at desc, transaction_id desc limit $4
   ), oldest as (
     select sold_at::text as oldest_at, transaction_id::text as oldest_id from sold
     order by sold_at, transaction_id limit 1
   ), alike as materialized (
     select date_trunc('hour', sold_at, 'UTC') as began, card_brand, state, response_code, advice_code,
       count(*) as count, min(sold_at) as first_at
     from sold group by 1, 2, 3, 4, 5
   ), placed as (
     select extract(hour from began at time zone 'America/Sao_Paulo')::integer as hour,
       card_brand, response_code, advice_code, state, count, first_at
     from alike
   )
   select ${GROUP.columns}
   from placed
   group by grouping sets ((), (hour), (card_brand), (card_brand, response_code, advice_code))
   order by (grouping(card_brand, response_code) = 0), count desc limit $7`,
);

/** The bits of `grouping`: one for each column that the row does not group by. */
const KINDS = { total: 7, hour: 3, brand: 5, code: 4 } as const;

/** The oldest sale that was counted, as PostgreSQL writes its moment. */
export type SalePlace = { readonly soldAt: string; readonly transactionId: string };

/** Lower than any id, so sales at `before` itself are not counted. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Counts the newest sales of the period before `place`. `next`: there may be older ones. */
export async function countSales(
  database: Reader,
  merchantId: string,
  { from, before }: { readonly from: Instant; readonly before: Instant },
  { place, most }: { readonly place: SalePlace | null; readonly most: number },
): Promise<{ readonly counts: SaleCounts; readonly next: SalePlace | null }> {
  const { soldAt, transactionId } = place ?? { soldAt: utcText(before), transactionId: FIRST_ID };
  const values = [utcText(from), soldAt, most, ANSWERED_YES, ANSWERED_NO];
  const rest: unknown[] = [MOST_GROUPS, INSTALLMENT_STATES, transactionId];
  const groups = (await database.query(COUNT, [merchantId, ...values, ...rest])).map(GROUP.parse);
  const total = groups.find(({ kind }) => kind === KINDS.total);
  const { count = 0, oldestAt = null, oldestId = null } = total ?? {};
  const isCut = count === most && oldestAt !== null && oldestId !== null;
  return {
    counts: countsOf(groups),
    next: isCut ? { soldAt: oldestAt, transactionId: oldestId } : null,
  };
}

function countsOf(groups: readonly Group[]): SaleCounts {
  const of = (kind: keyof typeof KINDS) => groups.filter((group) => group.kind === KINDS[kind]);
  const [total] = of('total');
  return {
    total: total === undefined ? { approved: 0, declined: 0, other: 0 } : answersOf(total),
    byHour: of('hour')
      .flatMap((group) => (group.hour === null ? [] : { hour: group.hour, ...answersOf(group) }))
      .sort((one, other) => one.hour - other.hour),
    byBrand: of('brand').flatMap((group) =>
      group.brand === null ? [] : { brand: group.brand, ...answersOf(group) },
    ),
    declines: of('code').flatMap(({ brand, responseCode, adviceCode, declined: count }) =>
      brand === null || responseCode === null ? [] : { brand, responseCode, adviceCode, count },
    ),
    oldestAt: total?.firstAt ?? null,
  };
}

function answersOf({ approved, declined, count }: Group): Answers {
  return { approved, declined, other: count - approved - declined };
}
