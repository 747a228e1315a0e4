import { MOST_COUNTED_FOR_PEOPLE, type Page, type TooManyToOrder, type WantedPage } from '../pages.ts';
import { type Reader, type Row, type Statement, statement } from './database.ts';
import { column, rowCodec } from './row-codec.ts';

/**
 * The parts of a list, as SQL: `$1` is the merchant, `$2` and `$3` are limit and offset of the
 * page, and its own values follow. Every list of pages is one statement, so that items and total
 * are of one moment.
 */
export type PageParts = {
  readonly name: string;
  /**
   * Parts of the statement before the page; `counted`, one row with `total`, is one of them. `{counted}` in
   * it stands where a count ends that is made for people.
   */
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

type BothWays = { readonly rising: Statement; readonly falling: Statement };
/** `few`: the same with a count that ends early; it is no other where the count has no such end. */
export type PageStatements = BothWays & { readonly few: BothWays };

const COUNTED = '{counted}';
const END_OF_COUNT = `limit ${MOST_COUNTED_FOR_PEOPLE + 1}`;

/** By what their names end with: ascending and descending, and both again where a count can end early. */
export function pageTexts(parts: Omit<PageParts, 'name'>): Readonly<Record<string, string>> {
  const { before } = parts;
  const descending = parts.order.map((column) => column.replace(/^\w+/, '$& desc'));
  const both = (end: string) => {
    const ended = { ...parts, before: before.replaceAll(COUNTED, end) };
    return [pageText(ended, parts.order.join(', ')), pageText(ended, descending.join(', '))] as const;
  };
  const [up, down] = both('');
  if (!before.includes(COUNTED)) return { up, down };
  const [fewUp, fewDown] = both(END_OF_COUNT);
  return { up, down, few_up: fewUp, few_down: fewDown };
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
  const texts = new Map(
    Object.entries(pageTexts(parts)).map(([end, text]) => [end, statement(`${name}_${end}`, text)]),
  );
  const both = (up: string, down: string) => ({
    rising: texts.get(up) as Statement,
    falling: texts.get(down) as Statement,
  });
  const whole = both('up', 'down');
  return { ...whole, few: texts.has('few_up') ? both('few_up', 'few_down') : whole };
}

const TOTAL = rowCodec({ total: column.whole() });

/** The rows of a page, and `counted`: the total, with what else was counted. */
export async function readPageOf(
  database: Reader,
  statements: PageStatements,
  merchantId: string,
  { page, limit, order, isForPeople = false }: WantedPage<string>,
  values: readonly unknown[],
): Promise<{ readonly counted: Row; readonly total: number; readonly rows: readonly Row[] }> {
  const { rising, falling } = isForPeople ? statements.few : statements;
  const found = await database.query(order.isDescending ? falling : rising, [
    merchantId,
    limit,
    (page - 1) * limit,
    ...values,
  ]);
  const [counted] = found as [Row, ...Row[]];
  const { total } = TOTAL.parse(counted);
  return { counted, total, rows: found.filter(({ place }) => place !== null) };
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
