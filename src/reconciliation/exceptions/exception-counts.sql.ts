import { MOST_COUNTED_OF_ALL } from '../../platform/pages.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { SETTLEMENT_FORMATS } from '../settlement-entry.ts';
import { EXCEPTION_CLASSES } from './exception.ts';

const OPEN = rowCodec(
  {
    class: column.oneOf(EXCEPTION_CLASSES, 'n.class'),
    count: column.whole(),
    cents: column.whole(),
    oldestAge: column.real(),
  },
  'o',
);

/** Class by class along the index of what is open, which has the amounts: the oldest first. */
const COUNT = statement(
  'reconciliation_exceptions.count_open',
  `select ${OPEN.columns} from unnest($1::text[]) as n (class) cross join lateral (
     select count(*) as count, coalesce(sum(abs(amount)), 0)::bigint as cents,
       coalesce(extract(epoch from now() - min(opened_at)), 0)::float8 as oldest_age
     from (
       select amount, opened_at from reconciliation_exceptions where state = 'open' and class = n.class
       order by opened_at limit $2
     ) oldest
   ) o`,
);

const LINES = rowCodec({ count: column.whole('count(*)') });

const COUNT_LINES = statement(
  'reconciliation_exceptions.count_open_lines',
  `select ${LINES.columns} from (
     select from reconciliation_exceptions where merchant_id = '' and due_at is not null order by due_at limit $1
   ) lines`,
);

const FILES = rowCodec({ format: column.oneOf(SETTLEMENT_FORMATS), count: column.whole('count(*)') });

const COUNT_FILES = statement(
  'settlement_files.count',
  `select ${FILES.columns} from (
     select format from settlement_files where taken_at is not null order by taken_at desc limit $1
   ) files group by format`,
);

export type CountedExceptions = {
  /** Of every class; cents without their sign, ages in seconds. */
  readonly open: readonly RowOf<typeof OPEN>[];
  /** Lines of files of which nothing is known. */
  readonly unmatchedLines: number;
  readonly files: readonly RowOf<typeof FILES>[];
};

/** Of all processes on this database, up to the bound. */
export async function countExceptions(database: Database): Promise<CountedExceptions> {
  const open = await database.query(COUNT, [EXCEPTION_CLASSES, MOST_COUNTED_OF_ALL]);
  const [lines] = (await database.query(COUNT_LINES, [MOST_COUNTED_OF_ALL])).map(LINES.parse);
  const files = await database.query(COUNT_FILES, [MOST_COUNTED_OF_ALL]);
  return { open: open.map(OPEN.parse), unmatchedLines: lines?.count ?? 0, files: files.map(FILES.parse) };
}
