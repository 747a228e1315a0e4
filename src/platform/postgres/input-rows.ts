import type { Deadline } from './deadline.ts';
import { columnName } from './row-codec.ts';

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

export type InputColumns<Row> = Readonly<Record<string, Column<Row>>>;

type InSnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${InSnakeCase<Rest>}`
  : '';

/** Columns named after the row's own fields: `...own({ merchantId: 'text' })` is `merchant_id`. */
export function own<Types extends Readonly<Record<string, keyof Values>>>(types: Types) {
  type Own = { readonly [Field in keyof Types]: Values[Types[Field]] };
  const columns = Object.entries(types).map(([field, type]) => [
    columnName(field),
    [type, (row: Own) => row[field]],
  ]);
  return Object.fromEntries(columns) as {
    readonly [Field in keyof Types as InSnakeCase<Field>]: Column<Own>;
  };
}

/** Input rows of a batched statement: an item of its `from`, and its parameters. */
export type InputRows<Row> = {
  readonly sql: string;
  /** For `insert into … (names) select selected from sql`. */
  readonly names: string;
  readonly selected: string;
  readonly lastParameter: number;
  values(rows: readonly Row[]): unknown[][];
};

/**
 * `after`: the number of preceding parameters, or rows that give it. `place`: a last column with each row's
 * number, from 1.
 */
export type InputPlace = {
  readonly as?: string;
  readonly after?: number | { readonly lastParameter: number };
  readonly place?: string;
};

/** `sql` is `unnest($1::text[], …) as i (merchant_id, …)`, `values` its arrays. Called at load only. */
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

/** For a statement that refuses each row after its deadline. */
export function withDeadlines<Row>(rows: readonly Row[], deadlines: readonly Deadline[]): Timed<Row>[] {
  return rows.map((row, index) => ({ ...row, deadline: deadlines[index] as Deadline }));
}
