import type { Page, TooManyToOrder, WantedPage } from '../pages.ts';
import { type Reader, type Row, type Statement, statement } from './database.ts';

/**
 * The parts of a list, as SQL: `$1` is the merchant, `$2` and `$3` are limit and offset of the
 * page, and its own values follow. Every list of pages is one statement, so that items and total
 * are of one moment.
 */
export type PageParts = {
  readonly name: string;
  /** Parts of the statement before the page; `counted`, one row with `total`, is one of them. */
  readonly before: string;
  /** A query of the key and the columns of the order; `{order}` in it stands for that order. */
  readonly keys: string;
  /** The column by which a row is looked up again. */
  readonly key: string;
  /**
   * Columns, ascending, the key last: pages never overlap. `nulls last` behind one holds in both
   * directions.
   */
  readonly order: readonly string[];
  /** Columns and origin of a row of the page `g`. */
  readonly shown: string;
};

export type PageStatements = { readonly rising: Statement; readonly falling: Statement };

/** Ascending, and descending. */
export function pageTexts(parts: Omit<PageParts, 'name'>): readonly [string, string] {
  const descending = parts.order.map((column) => column.replace(/^\w+/, '$& desc'));
  return [pageText(parts, parts.order.join(', ')), pageText(parts, descending.join(', '))];
}

/**
 * The page is found by its keys alone; each row is then looked up by itself: a join may be planned
 * while tables are small, and would read them whole. A page without rows still has its total.
 */
function pageText({ before, keys, key, shown }: Omit<PageParts, 'name' | 'order'>, order: string): string {
  return `with ${before}, page as (
     select ${key}, row_number() over (order by ${order}) as place from (
       select * from (${keys.replaceAll('{order}', order)}) sortable
       order by ${order} limit $2::bigint offset $3::bigint
     ) keys
   ), shown as (
     select g.place, ${shown}
   )
   select c.*, s.* from counted c left join shown s on true order by s.place`;
}

export function pageOf({ name, ...parts }: PageParts): PageStatements {
  const [rising, falling] = pageTexts(parts);
  return { rising: statement(`${name}_up`, rising), falling: statement(`${name}_down`, falling) };
}

/** The rows of a page, and `counted`: the total, with what else was counted. */
export async function readPageOf(
  database: Reader,
  { rising, falling }: PageStatements,
  merchantId: string,
  { page, limit, order }: WantedPage<string>,
  values: readonly unknown[],
): Promise<{ readonly counted: Row; readonly total: number; readonly rows: readonly Row[] }> {
  const found = await database.query(order.isDescending ? falling : rising, [
    merchantId,
    limit,
    (page - 1) * limit,
    ...values,
  ]);
  const [counted] = found as [Row, ...Row[]];
  return { counted, total: counted.total as number, rows: found.filter(({ place }) => place !== null) };
}

/**
 * The items of such a page; `mostSorted`: of a list whose order needs all that was found read, else
 * null.
 */
export function itemsOf<Item>(
  { rows, total }: { readonly rows: readonly Row[]; readonly total: number },
  mostSorted: number | null,
  parse: (row: Row) => Item,
): Page<Item> | TooManyToOrder {
  if (mostSorted !== null && total > mostSorted) return 'tooManyToOrder';
  return { items: rows.map(parse), total };
}
