import {
  BILLINGS,
  BOLETOS,
  DELIVERIES,
  MERCHANT_EXCEPTIONS,
  PAYMENTS,
  SUBSCRIPTIONS,
} from '../parts/paths.ts';

export const FILTERED_LISTS = {
  payments: PAYMENTS,
  subscriptions: SUBSCRIPTIONS,
  billings: BILLINGS,
  boletos: BOLETOS,
  exceptions: MERCHANT_EXCEPTIONS,
  deliveries: DELIVERIES,
} as const;

export type FilteredList = keyof typeof FILTERED_LISTS;
export const LISTS = Object.keys(FILTERED_LISTS) as readonly FilteredList[];

export type SavedFilter = {
  readonly place: number;
  readonly list: FilteredList;
  readonly name: string;
  readonly query: string;
};

/** The most saved filters of a user for each merchant. The table has as many places. */
export const MOST_FILTERS = 30;
export const LONGEST_NAME = 40;
const LONGEST_QUERY = 500;

export function isFilteredList(text: string): text is FilteredList {
  return Object.hasOwn(FILTERED_LISTS, text);
}

/** Parameters that are no filters: the page of a list, and what is searched for. */
const OF_THE_MOMENT = ['page', 'splitPage', 'q'];

export function keptQuery(query: Readonly<Record<string, string>>): string {
  const kept = Object.entries(query).filter(([name]) => !OF_THE_MOMENT.includes(name));
  return new URLSearchParams(kept).toString();
}

export type FilterFault = 'noName' | 'noFilter';

export function readKept(
  name: string,
  query: string,
): { readonly name: string; readonly query: string } | FilterFault {
  if (name === '' || [...name].length > LONGEST_NAME) return 'noName';
  const kept = keptQuery(Object.fromEntries(new URLSearchParams(query)));
  return kept === '' || kept.length > LONGEST_QUERY ? 'noFilter' : { name, query: kept };
}
