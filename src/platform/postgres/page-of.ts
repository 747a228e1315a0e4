import { MOST_COUNTED_FOR_PEOPLE, type Page, type TooManyToOrder, type WantedPage } from '../pages.ts';
import { type Reader, type Row, type Statement, statement } from './database.ts';
import { column, rowCodec } from './row-codec.ts';

/**
 * The parts of one statement that gives a page and the total. Its values: `$1` merchant, `$2` and `$3` limit
 * and offset, then those of the list.
 */
export type PageParts = {
  readonly name: string;
  /** CTEs, among them `counted`: one row with `total`. At `{counted}` a count for people gets its limit. */
  readonly before: string;
  /** Selects the key and the columns of the order; `{order}` is replaced. */
  readonly keys: string;
  /** `keys` is repeated for each of these, with its number from 1 as `{branch}`; default: one. */
  readonly branches?: readonly unknown[];
  readonly key: string;
  /** Columns, ascending, key last, so that pages never overlap. `nulls last` holds in both directions. */
  readonly order: readonly string[];
  readonly shown: string;
};

type BothWays = { readonly rising: Statement; readonly falling: Statement };
/** `few`: counts only up to a limit, where the list has one. */
export type PageStatements = BothWays & { readonly few: BothWays };

const COUNTED = '{counted}';
const END_OF_COUNT = `limit ${MOST_COUNTED_FOR_PEOPLE + 1}`;

/**
 * The texts by the endings of their statements' names: ascending and descending, each also with the limited
 * count.
 */
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
 * Pages by keys alone, then looks up each row: a join planned while tables are small would read them whole.
 * An empty page still has its total.
 */
function pageText(
  { before, keys, branches = [keys], key, shown }: Omit<PageParts, 'name' | 'order'>,
  order: string,
): string {
  const all = branches.map((_, index) => keys.replaceAll('{branch}', String(index + 1)));
  return `with ${before}, page as (
     select ${key}, row_number() over (order by ${order}) as place from (
       select * from (${all.join('\n       union all ').replaceAll('{order}', order)}) sortable
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

/** `counted`: the total and other counts. */
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

/** `mostSorted`: the limit of results for a list that must sort them all; else null. */
export function itemsOf<Item>(
  { rows, total }: { readonly rows: readonly Row[]; readonly total: number },
  mostSorted: number | null,
  parse: (row: Row) => Item,
): Page<Item> | TooManyToOrder {
  if (mostSorted !== null && total > mostSorted) return 'tooManyToOrder';
  return { items: rows.map(parse), total };
}
