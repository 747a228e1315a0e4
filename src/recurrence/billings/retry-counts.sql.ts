import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Cents, cents } from '../../values/cents.ts';
import { type Instant, instant, utcText } from '../../values/instant.ts';

/** What the retries of a period came to. */
export type RetryCounts = {
  /** By the number of the try: 2 is the first retry. */
  readonly byAttempt: readonly {
    readonly attemptNumber: number;
    readonly tries: number;
    readonly paid: number;
  }[];
  /** What those brought that paid their billing: of the newest `summed` of them. */
  readonly amount: Cents;
  readonly summed: number;
  /** There are more than were counted: of those the first began then. Null: all were counted. */
  readonly countedFrom: Instant | null;
};

const MOST_RETRIES = 300_000;
/** Each is looked up by its key. */
const MOST_SUMMED = 5_000;

/** Of each number of the try; the first two are the same in all rows, of which there is one at least. */
const COUNTED = rowCodec(
  {
    summed: column.whole('m.summed'),
    amount: column.money('m.amount'),
    attemptNumber: column.nullable(column.whole()),
    tries: column.nullable(column.whole()),
    paid: column.nullable(column.whole()),
    firstAt: column.nullable(column.instant()),
  },
  'c',
);

/** A stretch of billing_charges_retried, which alone is read where vacuum has been. */
const COUNT = statement(
  'billing_charges.count_retries',
  `with retried as materialized (
     select billing_id, attempt_number, outcome, started_at from billing_charges
     where merchant_id = $1 and started_at >= $2::timestamptz and started_at < $3::timestamptz
       and attempt_number > 1
     order by started_at desc limit $4::bigint + 1
   ), money as (
     select count(*)::integer as summed, coalesce(sum(b.amount), 0)::bigint as amount
     from (select billing_id from retried where outcome = 'approved' limit $5) p cross join lateral (
       select amount from billings where merchant_id = $1 and billing_id = p.billing_id limit 1
     ) b
   ), counted as (
     select attempt_number, count(*)::integer as tries,
       (count(*) filter (where outcome = 'approved'))::integer as paid, min(started_at) as first_at
     from retried group by attempt_number
   )
   select ${COUNTED.columns} from money m left join counted c on true order by c.attempt_number`,
);

/** The retries of a stretch of business time; of very many the newest. */
export async function countRetries(
  database: Reader,
  merchantId: string,
  { from, before }: { readonly from: Instant; readonly before: Instant },
): Promise<RetryCounts> {
  const values = [utcText(from), utcText(before), MOST_RETRIES, MOST_SUMMED];
  const rows = (await database.query(COUNT, [merchantId, ...values])).map(COUNTED.parse);
  const byAttempt = rows.flatMap(({ attemptNumber, tries, paid }) =>
    attemptNumber === null || tries === null || paid === null ? [] : [{ attemptNumber, tries, paid }],
  );
  const counted = byAttempt.reduce((sum, { tries }) => sum + tries, 0);
  const firsts = rows.flatMap(({ firstAt }) => (firstAt === null ? [] : [firstAt]));
  return {
    byAttempt,
    amount: rows[0]?.amount ?? cents(0),
    summed: rows[0]?.summed ?? 0,
    countedFrom: counted > MOST_RETRIES ? instant(Math.min(...firsts)) : null,
  };
}
