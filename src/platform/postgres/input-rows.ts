import type { Deadline } from './deadline.ts';

/** The values of a column, by its type in PostgreSQL. */
type Values = {
  text: string | null;
  uuid: string | null;
  smallint: number | null;
  integer: number | null;
  bigint: number | bigint | null;
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
  /** The columns alone, for `insert into … (names) select selected from sql`. */
  readonly names: string;
  readonly selected: string;
  readonly lastParameter: number;
  values(rows: readonly Row[]): unknown[][];
};

/**
 * `as`: the rows' alias. Their parameters stand behind those of `after`: other rows, or so many
 * parameters. `place`: a last column with each row's number, from 1.
 */
export type InputPlace = {
  readonly as?: string;
  readonly after?: number | { readonly lastParameter: number };
  readonly place?: string;
};

/**
 * Describes rows of input once: `sql` is `unnest($1::text[], …) as i (merchant_id, …)`, `values`
 * the arrays in the same order. Called at load only: the text is constant.
 */
export function inputRows<Row>(
  columns: InputColumns<Row>,
  { as = 'i', after = 0, place }: InputPlace = {},
): InputRows<Row> {
  const first = (typeof after === 'number' ? after : after.lastParameter) + 1;
  const entries = Object.entries(columns);
  const names = entries.map(([name]) => name);
  const arrays = entries.map(([, [type]], index) => `$${first + index}::${type}[]`);
  return {
    sql:
      place === undefined
        ? `unnest(${arrays.join(', ')}) as ${as} (${names.join(', ')})`
        : `unnest(${arrays.join(', ')}) with ordinality as ${as} (${[...names, place].join(', ')})`,
    names: names.join(', '),
    selected: names.map((name) => `${as}.${name}`).join(', '),
    lastParameter: first + entries.length - 1,
    values: (rows) => entries.map(([, [, value]]) => rows.map<unknown>(value)),
  };
}

export type Timed<Row> = Row & { readonly deadline: Deadline };

/** The rows of a statement that refuses each row that arrives after its deadline. */
export function withDeadlines<Row>(rows: readonly Row[], deadlines: readonly Deadline[]): Timed<Row>[] {
  return rows.map((row, index) => ({ ...row, deadline: deadlines[index] as Deadline }));
}
