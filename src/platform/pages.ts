import { type TSchema, Type } from 'typebox';
import { named } from './http/named.ts';
import { type RefusalShape, refusal } from './http/refusal.ts';

const USUAL_LIMIT = 20;
const MOST_ITEMS = 100;
const MOST_PAGES = 1_000_000;

/** Console totals stop one above this: counting a merchant's millions would cost too much. */
export const MOST_COUNTED_FOR_PEOPLE = 1_000;

/** Counts over all merchants stop at this number: each line of a file may have opened an exception. */
export const MOST_COUNTED_OF_ALL = 100_000;

/** Ties break by id, so that pages never overlap. */
export type Order<Field extends string> = { readonly field: Field; readonly isDescending: boolean };

/** `page` counts from 1. */
export type WantedPage<Field extends string> = {
  readonly page: number;
  readonly limit: number;
  readonly order: Order<Field>;
  /** Counts only up to one above `MOST_COUNTED_FOR_PEOPLE`. */
  readonly isForPeople?: boolean;
};

/** `total` counts the whole list at the same moment. */
export type Page<Item> = { readonly items: readonly Item[]; readonly total: number };

/** The order has no index, so all results would be sorted, and there are too many. */
export type TooManyToOrder = 'tooManyToOrder';

export function tooManyToOrder(pt: string, en: string): RefusalShape {
  return refusal(400, 'orderBy', { pt, en });
}

/** The query fields of a list that can be sorted by `fields`; newest first by default. */
export function pageQuery<const Field extends string>(fields: readonly Field[]) {
  const orders = fields.flatMap((field) => [field, `${field} asc`, `${field} desc`] as const);
  return {
    page: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_PAGES, description: 'From 1, which is the default.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_ITEMS, description: 'Of a page; default 20.' }),
    ),
    orderBy: Type.Optional(
      Type.Enum([...orders], { description: 'A field, with asc (default) or desc; absent: newest first.' }),
    ),
  };
}

export function pageAnswer<Item extends TSchema>(name: string, item: Item, example: unknown) {
  return {
    description: 'One page of them; total counts all.',
    schema: named(name, {
      items: Type.Array(item),
      page: Type.Integer(),
      limit: Type.Integer(),
      total: Type.Integer(),
    }),
    example: { items: [example], page: 1, limit: 20, total: 1 },
  };
}

type PageQuery = { readonly page?: number; readonly limit?: number; readonly orderBy?: string };

export function pageFor<Wanted extends WantedPage<string>>(
  { isForPeople }: { readonly isForPeople: boolean },
  wanted: Wanted,
): Wanted {
  return isForPeople ? { ...wanted, isForPeople } : wanted;
}

/** For a list read with one item too many: the items to show, and the last of them if others follow. */
export function shownOf<Item>(
  read: readonly Item[],
  limit: number,
): { readonly shown: readonly Item[]; readonly lastBeforeOthers: Item | null } {
  const shown = read.slice(0, limit);
  return { shown, lastBeforeOthers: read.length > limit ? (shown.at(-1) ?? null) : null };
}

/** The schema has validated `orderBy`. */
export function readPage<const Field extends string>(
  { page = 1, limit = USUAL_LIMIT, orderBy }: PageQuery,
  fields: readonly Field[],
  usual: Order<Field>,
): WantedPage<Field> {
  if (orderBy === undefined) return { page, limit, order: usual };
  const [name, direction = 'asc'] = orderBy.split(' ');
  const field = fields.find((known) => known === name);
  if (field === undefined) throw new Error(`no list is put in order by ${name}`);
  return { page, limit, order: { field, isDescending: direction === 'desc' } };
}

export function writePage<Item>(
  { page, limit }: Pick<WantedPage<string>, 'page' | 'limit'>,
  { items, total }: Page<Item>,
  write: (item: Item) => unknown,
): object {
  return { items: items.map(write), page, limit, total };
}
