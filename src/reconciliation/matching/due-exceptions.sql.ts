import { type Database, type Row, type Step, statement } from '../../platform/postgres/database.ts';
import { parseKey } from '../judging/judged.sql.ts';
import type { InstallmentKey } from '../judging/matched-part.ts';

/** An exception whose time to be looked at has come. */
export type DueException = {
  readonly exceptionId: string;
  /** The installment that it is about; null: a line that was not matched. */
  readonly installment: InstallmentKey | null;
  readonly fileNumber: number | null;
  readonly lineNumber: number | null;
  /** Of the file of its line. */
  readonly sha256: string | null;
};

/** Twice as long after each look that changed nothing, up to a day. */
const CLAIM = statement(
  'reconciliation_exceptions.claim_due',
  `with due as (
     select merchant_id, exception_id from reconciliation_exceptions where due_at <= now()
     order by due_at limit $1 for no key update skip locked
   )
   update reconciliation_exceptions e set tries = least(e.tries + 1, 32000),
     due_at = now() + least(power(2, least(e.tries, 11)), 1440) * interval '1 minute'
   from due d where e.merchant_id = d.merchant_id and e.exception_id = d.exception_id
   returning e.merchant_id, e.exception_id, e.transaction_id, e.installment_number, e.file_number, e.line_number,
     (select encode(f.sha256, 'hex') from settlement_files f where f.file_number = e.file_number) as sha256`,
);

export async function claimDueExceptions(database: Database, limit: number): Promise<DueException[]> {
  return (await database.query(CLAIM, [limit])).map((row) => ({
    exceptionId: row.exception_id as string,
    installment: row.transaction_id === null ? null : parseKey(row),
    fileNumber: row.file_number as number | null,
    lineNumber: row.line_number as number | null,
    sha256: row.sha256 as string | null,
  }));
}

const EARLIEST = statement(
  'reconciliation_exceptions.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from reconciliation_exceptions where due_at is not null`,
);

/** Null: none is looked at again. */
export async function millisecondsUntilDueException(database: Database): Promise<number | null> {
  const [row] = await database.query(EARLIEST, []);
  const milliseconds = row?.milliseconds as number | null;
  return milliseconds === null ? null : Math.max(0, milliseconds);
}

/** An establishment of a merchant of whose days some were not looked through yet. */
export type CoverageToLook = {
  readonly merchantId: string;
  readonly format: string;
  readonly establishment: string;
  readonly lookedTo: string;
  readonly lookTo: string;
};

const FIND_COVERAGES = statement(
  'settlement_coverages.find_to_look',
  `select merchant_id, format, establishment, to_char(looked_to, 'YYYY-MM-DD') as looked_to,
     to_char(covered_to - $1::integer, 'YYYY-MM-DD') as look_to
   from settlement_coverages where looked_to < covered_to - $1::integer
   order by looked_to, merchant_id limit 20`,
);

export async function findCoveragesToLook(database: Database, graceDays: number): Promise<CoverageToLook[]> {
  return (await database.query(FIND_COVERAGES, [graceDays])).map((row) => ({
    merchantId: row.merchant_id as string,
    format: row.format as string,
    establishment: row.establishment as string,
    lookedTo: row.looked_to as string,
    lookTo: row.look_to as string,
  }));
}

const FIND_MISSING = statement(
  'receivables.find_not_filed',
  `select r.merchant_id, r.transaction_id, r.installment_number, to_char(r.expected_on, 'YYYY-MM-DD') as expected_on
   from receivables r
   where r.merchant_id = $1 and r.filed_bank_on is null and r.expected_on > $2::date and r.expected_on <= $3::date
     and (r.expected_on, r.transaction_id, r.installment_number) > ($4::date, $5::uuid, $6::smallint)
     and r.expected_net > 0
   order by r.expected_on, r.transaction_id, r.installment_number limit $7`,
);

export type ReceivablePlace = readonly [day: string, transactionId: string, installmentNumber: number];

export type MissingReceivable = InstallmentKey & { readonly expectedOn: string };

/** Installments that were to be paid on those days, and that no line pays. */
export async function findNotFiled(
  database: Database,
  { merchantId, lookedTo, lookTo }: CoverageToLook,
  after: ReceivablePlace,
  limit: number,
): Promise<MissingReceivable[]> {
  const rows = await database.query(FIND_MISSING, [merchantId, lookedTo, lookTo, ...after, limit]);
  return rows.map((row: Row) => ({ ...parseKey(row), expectedOn: row.expected_on as string }));
}

const LOOKED = statement(
  'settlement_coverages.look',
  `update settlement_coverages set looked_to = $4::date
   where merchant_id = $1 and format = $2 and establishment = $3 and looked_to = $5::date`,
);

/** A file may have been taken in the meantime of whose days some are to be looked through again. */
export function lookedStep(coverage: CoverageToLook): Step {
  const { merchantId, format, establishment, lookTo, lookedTo } = coverage;
  return { statement: LOOKED, values: [merchantId, format, establishment, lookTo, lookedTo] };
}
