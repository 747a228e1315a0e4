import { MOST_COUNTED_OF_ALL } from '../../platform/pages.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { EXCEPTION_CLASSES, type ExceptionClass } from './exception.ts';

/** Class by class along the index of what is open, which has the amounts: the oldest first. */
const COUNT = statement(
  'reconciliation_exceptions.count_open',
  `select n.class, o.count, o.cents, o.oldest_age from unnest($1::text[]) as n (class) cross join lateral (
     select count(*) as count, coalesce(sum(abs(amount)), 0)::bigint as cents,
       coalesce(extract(epoch from now() - min(opened_at)), 0)::float8 as oldest_age
     from (
       select amount, opened_at from reconciliation_exceptions where state = 'open' and class = n.class
       order by opened_at limit $2
     ) oldest
   ) o`,
);

const COUNT_LINES = statement(
  'reconciliation_exceptions.count_open_lines',
  `select count(*) as count from (
     select from reconciliation_exceptions where merchant_id = '' and due_at is not null order by due_at limit $1
   ) lines`,
);

const COUNT_FILES = statement(
  'settlement_files.count',
  `select format, count(*) as count from (
     select format from settlement_files where taken_at is not null order by taken_at desc limit $1
   ) files group by format`,
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

/** Of all processes on this database, up to the bound. */
export async function countExceptions(database: Database): Promise<CountedExceptions> {
  const rows = await database.query(COUNT, [EXCEPTION_CLASSES, MOST_COUNTED_OF_ALL]);
  const [lines] = await database.query(COUNT_LINES, [MOST_COUNTED_OF_ALL]);
  const files = await database.query(COUNT_FILES, [MOST_COUNTED_OF_ALL]);
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
