import { type Cents, cents } from '../../values/cents.ts';
import type { Day, Instant } from '../../values/instant.ts';
import type { Row } from './database.ts';

export class UnreadableRow extends Error {
  override readonly name = 'UnreadableRow';
}

/** `sql` null: the column with the field's name in snake case. */
export type Column<T> = {
  readonly sql: string | null;
  /** Undefined if the value is not valid for the column. */
  readonly read: (value: unknown) => T | undefined;
};

type Columns<T> = { readonly [Field in keyof T]: Column<T[Field]> };

/** Describes the rows of a statement once: their columns, and how each value is read. */
export type RowCodec<T> = {
  /** The text between `select` and `from`. */
  readonly columns: string;
  /** `columns` with another alias, except for columns with SQL of their own. */
  columnsOf(alias: string): string;
  /** Throws `UnreadableRow`. Can be passed to `map`. */
  readonly parse: (row: Row) => T;
  readonly fields: Columns<T>;
};

export type RowOf<Codec extends RowCodec<unknown>> = ReturnType<Codec['parse']>;

/**
 * `rowCodec({ id: column.text(), state: column.oneOf(STATES), dueOn: column.day('b.due_on') }, 'p')` selects
 * `p.id, p.state, b.due_on`. Called at load only, because texts are constant. `prefix`: for result names,
 * where several codecs share a row.
 */
export function rowCodec<T extends object>(fields: Columns<T>, alias = '', prefix = ''): RowCodec<T> {
  const entries = (Object.keys(fields) as (keyof T & string)[]).map((field) => ({
    field,
    own: columnName(field),
    name: `${prefix}${columnName(field)}`,
    ...fields[field],
  }));
  const columnsOf = (of: string) =>
    entries.map(({ sql, own, name }) => selected(sql ?? (of === '' ? own : `${of}.${own}`), name)).join(', ');
  return {
    columns: columnsOf(alias),
    columnsOf,
    fields,
    parse(row) {
      const parsed: Record<string, unknown> = {};
      for (const { field, name, read } of entries) {
        const value = read(row[name]);
        if (value === undefined) throw new UnreadableRow(`${name} cannot be ${shown(row[name])}`);
        parsed[field] = value;
      }
      return parsed as T;
    },
  };
}

export function firstOf<T>([row]: readonly Row[], parse: (row: Row) => T): T | null {
  return row === undefined ? null : parse(row);
}

/** For a statement that always gives a row. */
export function onlyOf<T>(rows: readonly Row[], parse: (row: Row) => T): T {
  return parse(rows[0] as Row);
}

function selected(sql: string, name: string): string {
  return sql === name || sql.endsWith(`.${name}`) ? sql : `${sql} as ${name}`;
}

export function columnName(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** State words are shown; anything else may be secret. */
function shown(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string' && /^[a-z]{1,40}$/i.test(value)) return `'${value}'`;
  return value === undefined ? 'absent' : `this ${typeof value}`;
}

function ofType<T>(isIt: (value: unknown) => value is T) {
  return (sql: string | null = null): Column<T> => ({
    sql,
    read: (value) => (isIt(value) ? value : undefined),
  });
}

const isText = (value: unknown) => typeof value === 'string';
const isWhole = (value: unknown) => Number.isSafeInteger(value);

/** text, uuid, and numeric with its digits. */
const text = ofType((value): value is string => isText(value));
const boolean = ofType((value): value is boolean => typeof value === 'boolean');
/** smallint, integer, bigint. */
const whole = ofType((value): value is number => isWhole(value));
/** A whole number of any size, selected as text. */
function bigWhole(sql: string | null = null): Column<bigint> {
  return {
    sql,
    read: (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : undefined),
  };
}
/** double precision. */
const real = ofType((value): value is number => typeof value === 'number');
/** timestamptz. */
const instantOf = ofType((value): value is Instant => typeof value === 'number');
/** date. */
const day = ofType((value): value is Day => isText(value) && /^\d{4}-\d\d-\d\d$/.test(value as string));
const bytes = ofType((value): value is Buffer => Buffer.isBuffer(value));

function money(sql: string | null = null): Column<Cents> {
  return {
    sql,
    read: (value) => (isWhole(value) && (value as number) >= 0 ? cents(value as number) : undefined),
  };
}

function oneOf<W extends string>(words: readonly W[], sql: string | null = null): Column<W> {
  const known: ReadonlySet<unknown> = new Set(words);
  return { sql, read: (value) => (known.has(value) ? (value as W) : undefined) };
}

function nullable<T>({ sql, read }: Column<T>): Column<T | null> {
  return { sql, read: (value) => (value === null ? null : read(value)) };
}

/** An array without nulls. */
function listOf<T>({ sql, read }: Column<T>): Column<readonly T[]> {
  return {
    sql,
    read(value) {
      if (!Array.isArray(value)) return undefined;
      const items = value.map(read);
      return items.includes(undefined) ? undefined : (items as T[]);
    },
  };
}

/** For a type with its own reader, such as jsonb; undefined: invalid. */
function parsedBy<T>(read: (value: unknown) => T | undefined, sql: string | null = null): Column<T> {
  return { sql, read };
}

/** Parallel arrays of a row, such as several `array_agg` in one order. */
export type ListsCodec<T> = {
  readonly columns: string;
  /** The n-th elements make one item; null instead of arrays makes none. Throws `UnreadableRow`. */
  readonly parse: (row: Row) => T[];
};

/** `listsCodec({ number: whole(), amount: money() }, 'part', 'i')` selects `i.part_number, i.part_amount`. */
export function listsCodec<T extends object>(
  fields: Columns<T>,
  prefix: string,
  alias: string,
): ListsCodec<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const columns = names.map((name) => [`${prefix}_${name}`, nullable(listOf<unknown>(fields[name]))]);
  const lists = rowCodec<Record<string, readonly unknown[] | null>>(Object.fromEntries(columns), alias);
  return {
    columns: lists.columns,
    parse(row) {
      const parsed = Object.values(lists.parse(row));
      return Array.from({ length: parsed[0]?.length ?? 0 }, (_, at) => {
        const item: Record<string, unknown> = {};
        for (const [index, name] of names.entries()) item[name] = parsed[index]?.[at];
        return item as T;
      });
    },
  };
}

/** A sum that triggers keep. A damaged one, even negative, must not break a page: verification reports it. */
function keptSum(sql: string | null = null): Column<Cents> {
  return { sql, read: (value) => (isWhole(value) ? (value as Cents) : undefined) };
}

/** Each kind of column takes its SQL; by default the column with the field's name in snake case. */
export const column = {
  text,
  boolean,
  whole,
  bigWhole,
  real,
  instant: instantOf,
  day,
  bytes,
  money,
  keptSum,
  oneOf,
  nullable,
  listOf,
  parsedBy,
};
