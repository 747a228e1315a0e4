import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Day } from '../../values/instant.ts';
import { EXCEPTION_CLASSES } from '../exceptions/exception.ts';
import { INSTALLMENT_KEY, type ReadInstallment, readJudged } from '../judging/judged.sql.ts';
import type { InstallmentKey } from '../judging/judged-installment.ts';
import { MATCHED_MONEY, PAYING_FORMATS } from '../settlement-entry.ts';

export type DayPlace = InstallmentKey;

const FIRST: DayPlace = {
  merchantId: '',
  transactionId: '00000000-0000-0000-0000-000000000000',
  installmentNumber: 0,
};

/** Merchant by merchant, in the order of the keys. `$2` null: all merchants. */
const EXPECTED = `select r.* from merchants m cross join lateral (
       select ${INSTALLMENT_KEY.columns} from receivables
       where merchant_id = m.merchant_id and expected_on = $1::date
         and (merchant_id, transaction_id, installment_number) > ($3, $4::uuid, $5::smallint)`;
const IN_ORDER_OF_KEYS = `order by transaction_id, installment_number limit $6
     ) r
     where m.merchant_id >= $3 and ($2::text is null or m.merchant_id = $2)
     order by m.merchant_id limit $6`;

const FIND_KEYS = statement(
  'day_reports.find_installments',
  `select ${INSTALLMENT_KEY.columns} from (
     (${EXPECTED} and filed_bank_on is null ${IN_ORDER_OF_KEYS})
     union
     (${EXPECTED} and filed_bank_on is not null ${IN_ORDER_OF_KEYS})
     union
     (select distinct ${INSTALLMENT_KEY.columns} from settlement_matches
      where bank_on = $1::date and (merchant_id, transaction_id, installment_number) > ($3, $4::uuid, $5::smallint)
        and ($2::text is null or merchant_id = $2)
      order by merchant_id, transaction_id, installment_number limit $6)
   ) k
   order by merchant_id, transaction_id, installment_number limit $6`,
);

export async function readDayInstallments(
  database: Reader,
  { day, merchantId }: { readonly day: Day; readonly merchantId: string | null },
  after: DayPlace | null,
  limit: number,
): Promise<ReadInstallment[]> {
  const { merchantId: afterMerchant, transactionId, installmentNumber } = after ?? FIRST;
  const values = [day, merchantId, afterMerchant, transactionId, installmentNumber, limit];
  return readJudged(database, (await database.query(FIND_KEYS, values)).map(INSTALLMENT_KEY.parse));
}

/** The same as `netOf`. */
const NET_OF_LINE = 'coalesce(e.net, e.gross - coalesce(e.fee, 0) - coalesce(e.anticipation_fee, 0))';

/** Only of files that pay: what others only report is in one of those too, or is no money yet. */
const UNMATCHED_OF_DAY = `from reconciliation_exceptions x
   join settlement_entries e on e.file_number = x.file_number and e.line_number = x.line_number
   join settlement_files f on f.file_number = e.file_number and f.replaced_by is null
   where x.day = $1::date and x.merchant_id = '' and x.state <> 'healed' and e.bank_on = $1::date
     and e.kind = any ($2::text[]) and f.format = any ($3::text[])`;
const ADJUSTMENTS_OF_DAY = `from settlement_entries e join settlement_files f on f.file_number = e.file_number
   where e.kind = 'adjustment' and e.bank_on = $1::date and f.taken_at is not null and f.replaced_by is null
     and f.format = any ($3::text[])`;

const CAUSES = [...EXCEPTION_CLASSES, 'adjustment'] as const;

const LINES = rowCodec({
  cause: column.oneOf(CAUSES),
  count: column.whole(),
  net: column.whole(),
  fee: column.whole(),
});

const SUM_LINES = statement(
  'day_reports.sum_lines',
  `select x.class as cause, count(*) as count, sum(${NET_OF_LINE})::bigint as net, sum(coalesce(e.fee, 0))::bigint as fee
   ${UNMATCHED_OF_DAY} group by x.class
   union all
   select 'adjustment', count(*), sum(${NET_OF_LINE})::bigint, sum(coalesce(e.fee, 0))::bigint
   ${ADJUSTMENTS_OF_DAY} having count(*) > 0`,
);

const LINE = rowCodec({
  cause: column.oneOf(CAUSES),
  exceptionId: column.nullable(column.text()),
  fileNumber: column.whole(),
  lineNumber: column.whole(),
  net: column.whole(),
});

const LARGEST_LINES = statement(
  'day_reports.list_largest_lines',
  `select ${LINE.columns} from (
     select l.*, row_number() over (partition by cause order by abs(net) desc, file_number, line_number) as place from (
       select x.class as cause, x.exception_id, e.file_number, e.line_number, ${NET_OF_LINE} as net ${UNMATCHED_OF_DAY}
       union all
       select 'adjustment', null, e.file_number, e.line_number, ${NET_OF_LINE} ${ADJUSTMENTS_OF_DAY}
     ) l
   ) k where place <= $4 order by cause, place`,
);

export async function readDayLines(
  database: Reader,
  day: Day,
  mostOfCause: number,
): Promise<{ readonly sums: RowOf<typeof LINES>[]; readonly largest: RowOf<typeof LINE>[] }> {
  const values = [day, MATCHED_MONEY, PAYING_FORMATS];
  const sums = await database.query(SUM_LINES, values);
  const largest = await database.query(LARGEST_LINES, [...values, mostOfCause]);
  return { sums: sums.map(LINES.parse), largest: largest.map(LINE.parse) };
}
