import { declaredStatements } from '../../src/platform/postgres/database.ts';
import { readSourceTree } from '../../test/architecture/source-tree.ts';
import type { Auditor } from '../../test/kit/service.ts';

/** What a statement of ours cost the server. */
export type StatementCost = {
  readonly name: string;
  readonly calls: number;
  /** Milliseconds of the slowest, and of the usual one. */
  readonly slowest: number;
  readonly mean: number;
  /** Rows that a call gave, and pages of eight kilobytes that it looked at. */
  readonly rows: number;
  readonly pages: number;
};

/** So that the server counts; it takes a start of the server. */
export const COUNTING_SERVER = { shared_preload_libraries: 'pg_stat_statements' };

const OPEN = 'create extension if not exists pg_stat_statements';
const FORGET = 'select pg_stat_statements_reset()';
const READ = `select query, calls::int, max_exec_time as slowest, mean_exec_time as mean, rows::float8 / calls as rows,
    (shared_blks_hit + shared_blks_read)::float8 / calls as pages
  from pg_stat_statements where calls > 0 and dbid = (select oid from pg_database where datname = current_database())`;

/** As the server writes a statement down: there all constants are one. */
const shape = (text: string): string =>
  text
    .replaceAll(/'(?:[^']|'')*'|\$\d+|\b\d+(?:\.\d+)?\b/g, '?')
    .replaceAll(/\s+/g, ' ')
    .trim();

export type StatementCosts = { forget(): Promise<void>; read(): Promise<StatementCost[]> };

/** What the server counts of our statements, under the names that the source has of them. */
export async function openStatementCosts(auditor: Auditor): Promise<StatementCosts> {
  for (const path of readSourceTree().keys())
    if (/^(src|homologation)\/.*\.sql\.ts$/.test(path)) await import(`../../${path}`);
  const names = new Map(declaredStatements().map(({ name, text }) => [shape(text), name]));
  await auditor.query(OPEN);
  return {
    forget: async () => void (await auditor.query(FORGET)),
    async read() {
      const rows = await auditor.query(READ);
      return rows.flatMap(({ query, ...row }) => {
        const name = names.get(shape(query as string));
        return name === undefined ? [] : [{ name, ...row } as StatementCost];
      });
    },
  };
}
