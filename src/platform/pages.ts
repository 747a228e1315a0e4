import { Type } from 'typebox';
import type { RefusalShape } from './http/refusal.ts';

const USUAL_LIMIT = 20;
const MOST_ITEMS = 100;
const MOST_PAGES = 1_000_000;

/**
 * People look at the first pages of a list and narrow it down: what is found for them is counted up to one
 * more than this, so that the count reads no more of a merchant that has millions.
 */
export const MOST_COUNTED_FOR_PEOPLE = 1_000;

/**
 * Of all merchants, for gauges and operators: the count stays cheap however long an outage lasts, and though
 * a file with the wrong fees opens an exception for each of its lines.
 */
export const MOST_COUNTED_OF_ALL = 100_000;

/** Ties break by id, so that pages never overlap. */
export type Order<Field extends string> = { readonly field: Field; readonly isDescending: boolean };

/** `page` counts from 1. */
export type WantedPage<Field extends string> = {
  readonly page: number;
  readonly limit: number;
  readonly order: Order<Field>;
  /** A list that has millions is counted up to `MOST_COUNTED_FOR_PEOPLE` and one more; absent: to its end. */
  readonly isForPeople?: boolean;
};

/** A part of a list, and how many there are in all, both of one moment. */
export type Page<Item> = { readonly items: readonly Item[]; readonly total: number };

/**
 * An order that no index has needs all that was found read and sorted, and there is more of it than
 * that.
 */
export type TooManyToOrder = 'tooManyToOrder';

/** How a list says so, in the words of its resource. */
export function tooManyToOrder(pt: string, en: string): RefusalShape {
  return { status: 400, tag: 'orderBy', sentence: { pt, en } };
}

/** The query fields of a list that can be sorted by any of `fields`; newest first by default. */
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

type PageQuery = { readonly page?: number; readonly limit?: number; readonly orderBy?: string };

/** Where a call asks for a page: whether a person waits for it. */
export function pageFor<Wanted extends WantedPage<string>>(
  { isForPeople }: { readonly isForPeople: boolean },
  wanted: Wanted,
): Wanted {
  return isForPeople ? { ...wanted, isForPeople } : wanted;
}

/**
 * Of what was read up to one more than fits: what is shown, and the last of it where others follow, behind
 * which the next page begins.
 */
export function shownOf<Item>(
  read: readonly Item[],
  limit: number,
): { readonly shown: readonly Item[]; readonly lastBeforeOthers: Item | null } {
  const shown = read.slice(0, limit);
  return { shown, lastBeforeOthers: read.length > limit ? (shown.at(-1) ?? null) : null };
}

/** The page of such a query, its `orderBy` being one of those that its schema takes. */
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
