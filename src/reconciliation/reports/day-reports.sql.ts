import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import type { Day } from '../../values/instant.ts';
import type { ExceptionClass } from '../exceptions/exception.ts';
import { GRACE_DAYS, type JudgedInstallment, type MatchedPart } from '../exceptions/finding.ts';
import type { InstallmentKey } from '../matching/decided-lines.ts';
import { parseJudged, parsePart } from '../matching/judge.sql.ts';
import { parseKey } from '../matching/matched-files.sql.ts';

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

const KEYS = inputRows<InstallmentKey>(
  {
    merchant_id: ['text', (key) => key.merchantId],
    transaction_id: ['uuid', (key) => key.transactionId],
    installment_number: ['smallint', (key) => key.installmentNumber],
  },
  { after: 1 },
);

const READ_INSTALLMENTS = statement(
  'day_reports.read_installments',
  `select r.merchant_id, r.transaction_id, r.installment_number, r.gross, r.canceled, r.expected_fee, r.expected_net,
     to_char(r.expected_on, 'YYYY-MM-DD') as expected_on, r.installment_count, r.installment_state as state, exists (
       select from settlement_coverages c where c.merchant_id = i.merchant_id
         and r.expected_on between c.covered_from and c.covered_to - $1::integer
     ) as is_covered
   from ${KEYS.sql} cross join lateral (
     select * from receivables
     where merchant_id = i.merchant_id and transaction_id = i.transaction_id
       and installment_number = i.installment_number
     limit 1
   ) r
   order by r.merchant_id, r.transaction_id, r.installment_number`,
);

const KEYS_ALONE = inputRows<InstallmentKey>({
  merchant_id: ['text', (key) => key.merchantId],
  transaction_id: ['uuid', (key) => key.transactionId],
  installment_number: ['smallint', (key) => key.installmentNumber],
});

const READ_PARTS = statement(
  'day_reports.read_parts',
  `select m.*, to_char(m.bank_on, 'YYYY-MM-DD') as bank_day, null as change_state
   from ${KEYS_ALONE.sql} cross join lateral (
     select * from settlement_matches
     where merchant_id = i.merchant_id and transaction_id = i.transaction_id
       and installment_number = i.installment_number
     order by file_number, line_number limit 50
   ) m`,
);

export type DayInstallment = InstallmentKey & {
  readonly installment: JudgedInstallment & { readonly isCovered: boolean };
  readonly parts: readonly MatchedPart[];
};

/** The next installments of a day behind a place; null: from the first. */
export async function readDayInstallments(
  database: Database,
  { day, merchantId }: { readonly day: Day; readonly merchantId: string | null },
  after: DayPlace | null,
  limit: number,
): Promise<DayInstallment[]> {
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
  if (keys.length === 0) return [];
  const installments = await database.query(READ_INSTALLMENTS, [GRACE_DAYS, ...KEYS.values(keys)]);
  const parts = await database.query(READ_PARTS, KEYS_ALONE.values(keys));
  const placeOf = (row: Row) => `${row.merchant_id} ${row.transaction_id} ${row.installment_number}`;
  const byPlace = Map.groupBy(parts, placeOf);
  return installments.map((row) => ({
    ...parseKey(row),
    installment: { ...parseJudged(row), isCovered: row.is_covered as boolean },
    parts: (byPlace.get(placeOf(row)) ?? []).map(parsePart),
  }));
}

/** Lines of the day that moved money and of which no sale is known, by the class of their exceptions. */
const READ_UNMATCHED = statement(
  'day_reports.read_unmatched',
  `select x.class, count(*) as count, sum(coalesce(e.net, e.gross - coalesce(e.fee, 0)))::bigint as net,
     sum(coalesce(e.fee, 0))::bigint as fee
   from reconciliation_exceptions x
   join settlement_entries e on e.file_number = x.file_number and e.line_number = x.line_number
   where x.day = $1::date and x.merchant_id = '' and x.state <> 'healed' and e.bank_on = $1::date
     and e.kind not in ('sale', 'schedule', 'pledge', 'adjustment')
   group by x.class`,
);

const READ_ADJUSTMENTS = statement(
  'day_reports.read_adjustments',
  `select count(*) as count, coalesce(sum(coalesce(e.net, e.gross)), 0)::bigint as net
   from settlement_entries e join settlement_files f on f.file_number = e.file_number
   where e.kind = 'adjustment' and e.bank_on = $1::date and f.taken_at is not null and f.replaced_by is null`,
);

export type DayLines = {
  readonly cause: ExceptionClass | 'adjustment';
  readonly count: number;
  readonly net: number;
  readonly fee: number;
};

/** What no merchant is known for. */
export async function readDayLines(database: Database, day: Day): Promise<DayLines[]> {
  const unmatched = await database.query(READ_UNMATCHED, [day]);
  const [adjusted] = await database.query(READ_ADJUSTMENTS, [day]);
  const lines: DayLines[] = unmatched.map((row) => ({
    cause: row.class as ExceptionClass,
    count: row.count as number,
    net: row.net as number,
    fee: row.fee as number,
  }));
  const count = adjusted?.count as number;
  if (count > 0) lines.push({ cause: 'adjustment', count, net: adjusted?.net as number, fee: 0 });
  return lines;
}
