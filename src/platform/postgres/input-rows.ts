import type { Deadline } from './deadline.ts';

/** The values of a column, by its type in PostgreSQL. */
type Values = {
  text: string | null;
  uuid: string | null;
  smallint: number | null;
  integer: number | null;
  bigint: number | null;
  boolean: boolean | null;
  date: string | null;
  timestamptz: string | Deadline | null;
  bytea: Buffer | null;
  jsonb: string | null;
};

type Column<Row> = { [T in keyof Values]: readonly [T, (row: Row) => Values[T]] }[keyof Values];

/** The columns of a batched statement's input, each with its type and the value of a row. */
export type InputColumns<Row> = Readonly<Record<string, Column<Row>>>;

/** The input rows of a batched statement, as an item of its `from` and as its parameters. */
export type InputRows<Row> = {
  readonly sql: string;
  readonly lastParameter: number;
  values(rows: readonly Row[]): unknown[][];
};

/**
 * Describes rows of input once: `sql` is `unnest($1::text[], …) as i (merchant_id, …)`, `values`
 * the arrays in the same order. The parameters stand behind those of `after`: other rows, or so
 * many parameters. Called at load only: the text is constant.
 */
export function inputRows<Row>(
  columns: InputColumns<Row>,
  { as = 'i', after = 0 }: { as?: string; after?: number | { readonly lastParameter: number } } = {},
): InputRows<Row> {
  const first = (typeof after === 'number' ? after : after.lastParameter) + 1;
  const entries = Object.entries(columns);
  const arrays = entries.map(([, [type]], index) => `$${first + index}::${type}[]`);
  return {
    sql: `unnest(${arrays.join(', ')}) as ${as} (${entries.map(([name]) => name).join(', ')})`,
    lastParameter: first + entries.length - 1,
    values: (rows) => entries.map(([, [, value]]) => rows.map<unknown>(value)),
  };
}

export type Timed<Row> = Row & { readonly deadline: Deadline };

/** The rows of a statement that refuses each row that arrives after its deadline. */
export function withDeadlines<Row>(rows: readonly Row[], deadlines: readonly Deadline[]): Timed<Row>[] {
  return rows.map((row, index) => ({ ...row, deadline: deadlines[index] as Deadline }));
}
