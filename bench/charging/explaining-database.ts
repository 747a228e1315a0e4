import type { Database } from '../../src/platform/postgres/database.ts';

/** What statements cost the server since the last `take`. */
export type Explained = {
  readonly milliseconds: number;
  /** Pages looked at, and those of them that were not in the server's own memory. */
  readonly pages: number;
  readonly pagesRead: number;
};

const NOTHING: Explained = { milliseconds: 0, pages: 0, pagesRead: 0 };

export type ExplainingDatabase = { readonly database: Database; take(): Explained };

type Plan = {
  readonly 'Execution Time': number;
  readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
};

/**
 * A database whose reads are run twice: as they are, and explained while they run, with the plan
 * that their connection keeps. One at a time:
 * the pool then takes the same connection for both. Not for what writes.
 */
export function explainingDatabase(database: Database): ExplainingDatabase {
  let explained: Explained = NOTHING;
  return {
    database: {
      ...database,
      async query(statement, values) {
        const rows = await database.query(statement, values);
        const words = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
        const text = `explain (analyze, buffers, timing off, format json) execute "${statement.name}"${words}`;
        // Without a name: what is planned once is the statement that it runs.
        const [row] = await database.query({ name: '', text }, []);
        const [{ Plan: root, 'Execution Time': milliseconds }] = (row as { 'QUERY PLAN': [Plan] })[
          'QUERY PLAN'
        ];
        explained = {
          milliseconds: explained.milliseconds + milliseconds,
          pages: explained.pages + root['Shared Hit Blocks'] + root['Shared Read Blocks'],
          pagesRead: explained.pagesRead + root['Shared Read Blocks'],
        };
        return rows;
      },
      transaction() {
        throw new Error('only reads are explained');
      },
    },
    take() {
      const taken = explained;
      explained = NOTHING;
      return taken;
    },
  };
}

/** As SQL writes it; the server reads it as the type that the statement wants. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  // Of days, ids, numbers and names: none of them has a comma or needs quotes.
  const text = Array.isArray(value) ? ['{', value.join(','), '}'].join('') : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}
