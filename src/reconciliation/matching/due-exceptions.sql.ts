import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { INSTALLMENT_KEY } from '../judging/judged.sql.ts';
import type { InstallmentKey } from '../judging/matched-part.ts';

const DUE = rowCodec(
  {
    exceptionId: column.text(),
    fileNumber: column.nullable(column.whole()),
    lineNumber: column.nullable(column.whole()),
    /** Of the file of its line. */
    sha256: column.nullable(
      column.text(
        "(select encode(f.sha256, 'hex') from settlement_files f where f.file_number = e.file_number)",
      ),
    ),
  },
  'e',
);

/** An exception whose time to be looked at has come. */
export type DueException = RowOf<typeof DUE> & {
  /** The installment that it is about; null: a line that was not matched. */
  readonly installment: InstallmentKey | null;
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
   returning ${DUE.columns}, ${INSTALLMENT_KEY.columnsOf('e')}`,
);

export async function claimDueExceptions(database: Database, limit: number): Promise<DueException[]> {
  return (await database.query(CLAIM, [limit])).map((row) => ({
    ...DUE.parse(row),
    installment: row.transaction_id === null ? null : INSTALLMENT_KEY.parse(row),
  }));
}

/** Null: none is looked at again. */
export const EARLIEST_EXCEPTION = statement(
  'reconciliation_exceptions.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from reconciliation_exceptions where due_at is not null`,
);
