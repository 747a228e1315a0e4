import { type Database, statement } from '../../platform/postgres/database.ts';
import { EXCEPTION_CLASSES, type ExceptionClass } from './exception.ts';

const COUNT = statement(
  'reconciliation_exceptions.count_open',
  `select class, count(*) as count, coalesce(sum(abs(amount)), 0)::bigint as cents,
     extract(epoch from now() - min(opened_at))::float8 as oldest_age
   from reconciliation_exceptions where state = 'open' group by class`,
);

const COUNT_LINES = statement(
  'reconciliation_exceptions.count_open_lines',
  `select count(*) as count from reconciliation_exceptions where merchant_id = '' and due_at is not null`,
);

const COUNT_FILES = statement(
  'settlement_files.count',
  'select format, count(*) as count from settlement_files where taken_at is not null group by format',
);

export type CountedExceptions = {
  /** Of every class; cents without their sign, ages in seconds. */
  readonly open: readonly {
    readonly class: ExceptionClass;
    readonly count: number;
    readonly cents: number;
    readonly oldestAge: number;
  }[];
  /** Lines of files of which nothing is known. */
  readonly unmatchedLines: number;
  readonly files: readonly { readonly format: string; readonly count: number }[];
};

/** Of all processes on this database. */
export async function countExceptions(database: Database): Promise<CountedExceptions> {
  const rows = await database.query(COUNT, []);
  const [lines] = await database.query(COUNT_LINES, []);
  const files = await database.query(COUNT_FILES, []);
  return {
    open: EXCEPTION_CLASSES.map((name) => {
      const row = rows.find((each) => each.class === name);
      return {
        class: name,
        count: (row?.count as number | undefined) ?? 0,
        cents: (row?.cents as number | undefined) ?? 0,
        oldestAge: (row?.oldest_age as number | undefined) ?? 0,
      };
    }),
    unmatchedLines: lines?.count as number,
    files: files.map((row) => ({ format: row.format as string, count: row.count as number })),
  };
}
