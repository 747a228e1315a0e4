import { type Reader, statement } from '../../platform/postgres/database.ts';
import type { Day } from '../../values/instant.ts';
import type { ExceptionClass } from '../exceptions/exception.ts';
import { parseKey, type ReadInstallment, readJudged } from '../judging/judged.sql.ts';
import type { InstallmentKey } from '../judging/matched-part.ts';

export type DayPlace = InstallmentKey;

const FIRST: DayPlace = {
  merchantId: '',
  transactionId: '00000000-0000-0000-0000-000000000000',
  installmentNumber: 0,
};

/**
 * What was expected on a day, and what lines moved on it. `$2` null: of all merchants; else the walk
 * begins and ends with one.
 */
const FIND_KEYS = statement(
  'day_reports.find_installments',
  `select merchant_id, transaction_id, installment_number from (
     (select merchant_id, transaction_id, installment_number from receivables
      where expected_on = $1::date and (merchant_id, transaction_id, installment_number) > ($3, $4::uuid, $5::smallint)
        and ($2::text is null or merchant_id = $2)
      order by merchant_id, transaction_id, installment_number limit $6)
     union
     (select distinct merchant_id, transaction_id, installment_number from settlement_matches
      where bank_on = $1::date and (merchant_id, transaction_id, installment_number) > ($3, $4::uuid, $5::smallint)
        and ($2::text is null or merchant_id = $2)
      order by merchant_id, transaction_id, installment_number limit $6)
   ) k
   order by merchant_id, transaction_id, installment_number limit $6`,
);

/** The next installments of a day behind a place; null: from the first. */
export async function readDayInstallments(
  database: Reader,
  { day, merchantId }: { readonly day: Day; readonly merchantId: string | null },
  after: DayPlace | null,
  limit: number,
): Promise<ReadInstallment[]> {
  const place = after ?? FIRST;
  const keys = (
    await database.query(FIND_KEYS, [
      day,
      merchantId,
      place.merchantId,
      place.transactionId,
      place.installmentNumber,
      limit,
    ])
  ).map(parseKey);
  return readJudged(database, keys);
}

/** What a line brings to the bank, as `netOf` has it. */
const NET_OF_LINE = 'coalesce(e.net, e.gross - coalesce(e.fee, 0) - coalesce(e.anticipation_fee, 0))';

/** Lines of a day that moved money and of which no sale is known. */
const UNMATCHED_OF_DAY = `from reconciliation_exceptions x
   join settlement_entries e on e.file_number = x.file_number and e.line_number = x.line_number
   join settlement_files f on f.file_number = e.file_number and f.replaced_by is null
   where x.day = $1::date and x.merchant_id = '' and x.state <> 'healed' and e.bank_on = $1::date
     and e.kind not in ('sale', 'schedule', 'pledge', 'adjustment')`;
const ADJUSTMENTS_OF_DAY = `from settlement_entries e join settlement_files f on f.file_number = e.file_number
   where e.kind = 'adjustment' and e.bank_on = $1::date and f.taken_at is not null and f.replaced_by is null`;

const SUM_LINES = statement(
  'day_reports.sum_lines',
  `select x.class as cause, count(*) as count, sum(${NET_OF_LINE})::bigint as net, sum(coalesce(e.fee, 0))::bigint as fee
   ${UNMATCHED_OF_DAY} group by x.class
   union all
   select 'adjustment', count(*), sum(${NET_OF_LINE})::bigint, sum(coalesce(e.fee, 0))::bigint
   ${ADJUSTMENTS_OF_DAY} having count(*) > 0`,
);

const LARGEST_LINES = statement(
  'day_reports.list_largest_lines',
  `select cause, exception_id, file_number, line_number, net from (
     select l.*, row_number() over (partition by cause order by abs(net) desc, file_number, line_number) as place from (
       select x.class as cause, x.exception_id, e.file_number, e.line_number, ${NET_OF_LINE} as net ${UNMATCHED_OF_DAY}
       union all
       select 'adjustment', null, e.file_number, e.line_number, ${NET_OF_LINE} ${ADJUSTMENTS_OF_DAY}
     ) l
   ) k where place <= $2 order by cause, place`,
);

type LineCause = ExceptionClass | 'adjustment';

export type DayLines = {
  readonly cause: LineCause;
  readonly count: number;
  readonly net: number;
  readonly fee: number;
};

export type DayLine = Pick<DayLines, 'cause' | 'net'> & {
  readonly exceptionId: string | null;
  readonly fileNumber: number;
  readonly lineNumber: number;
};

/** What no merchant is known for: by cause, and of each cause the largest. */
export async function readDayLines(
  database: Reader,
  day: Day,
  mostOfCause: number,
): Promise<{ readonly sums: DayLines[]; readonly largest: DayLine[] }> {
  const sums = await database.query(SUM_LINES, [day]);
  const largest = await database.query(LARGEST_LINES, [day, mostOfCause]);
  return {
    sums: sums.map((row) => ({
      cause: row.cause as LineCause,
      count: row.count as number,
      net: row.net as number,
      fee: row.fee as number,
    })),
    largest: largest.map((row) => ({
      cause: row.cause as LineCause,
      net: row.net as number,
      exceptionId: row.exception_id as string | null,
      fileNumber: row.file_number as number,
      lineNumber: row.line_number as number,
    })),
  };
}
