import type { Row } from './database.ts';
import { type Column, listOf, nullable, rowCodec } from './row-codec.ts';

/** Describes lists that stand side by side in a row, such as `array_agg` makes them in one order. */
export type ListsCodec<T> = {
  readonly columns: string;
  /** The n-th of each list is one item; null: of nothing. Throws `UnreadableRow`. */
  readonly parse: (row: Row) => T[];
};

/**
 * `listsCodec({ number: whole(), amount: money() }, 'part', 'i')` selects `i.part_number, i.part_amount`,
 * each a list.
 */
export function listsCodec<T extends object>(
  fields: { readonly [Field in keyof T]: Column<T[Field]> },
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
