import type { MerchantPageTools } from '../open-console-tools.ts';
import { type Html, html } from '../parts/html.ts';
import { emptyState, errorsOf, table } from '../parts/page-parts.ts';
import { FILTERS, pathOf, withQuery } from '../parts/paths.ts';
import { OF_MERCHANT, type Read, type Screen, screen, type Visit } from '../parts/screen.ts';
import { filterLink } from './list-screens.ts';
import {
  FILTERED_LISTS,
  type FilteredList,
  type FilterFault,
  isFilteredList,
  readKept,
  type SavedFilter,
} from './saved-filter.ts';

type Fault = FilterFault | 'noPlace';
type Found = { readonly fault: Fault | null; readonly filters: readonly SavedFilter[] };

const FAULTS: Readonly<Record<Fault, { readonly text: string }>> = {
  noName: { text: 'Give it a name, of up to 40 characters.' },
  noFilter: { text: 'There is nothing to save: choose filters of the list first.' },
  noPlace: { text: 'You have 30 saved filters, as many as there may be: remove one first.' },
};

const LIST_NAMES: Readonly<Record<FilteredList, { readonly text: string }>> = {
  payments: { text: 'Payments' },
  subscriptions: { text: 'Subscriptions' },
  billings: { text: 'Billings' },
  boletos: { text: 'Boletos' },
  exceptions: { text: 'Exceptions' },
  deliveries: { text: 'Deliveries' },
};

/** Filters change nothing of a merchant, so they need no reason (0126). */
export const FILTER_SCREENS: readonly Screen<MerchantPageTools>[] = [
  screen<MerchantPageTools, Found>({
    path: FILTERS,
    ...OF_MERCHANT,
    title: 'Saved filters',
    takesForm: true,
    async read(visit, tools) {
      const { merchantId, user, form } = visit;
      const changed = form.list === undefined ? await removed(visit, tools) : await kept(visit, tools);
      if (typeof changed === 'object' && changed !== null) return changed;
      return { fault: changed, filters: await tools.listFilters(merchantId, user.userId) };
    },
    view: filterPage,
  }),
];

async function kept(
  { merchantId, user, form }: Visit,
  tools: MerchantPageTools,
): Promise<Fault | Extract<Read<never>, object>> {
  const { list = '', name = '', query = '' } = form;
  const read = readKept(name, query);
  if (!isFilteredList(list)) return 'noFilter';
  if (typeof read === 'string') return read;
  const isKept = await tools.keepFilter(merchantId, user.userId, { list, ...read });
  const path = pathOf(FILTERED_LISTS[list], { merchantId });
  return isKept
    ? { leadsTo: withQuery(path, Object.fromEntries(new URLSearchParams(read.query))) }
    : 'noPlace';
}

async function removed(
  { merchantId, user, form: { place = '', name = '' } }: Visit,
  { removeFilter }: MerchantPageTools,
): Promise<null | { readonly leadsTo: string }> {
  if (!/^\d{1,2}$/.test(place)) return null;
  await removeFilter(merchantId, user.userId, { place: Number(place), name });
  return { leadsTo: pathOf(FILTERS, { merchantId }) };
}

function filterPage({ fault, filters }: Found, { wording, merchantId, formMark, path }: Visit): Html {
  const { say } = wording;
  const shown =
    filters.length === 0
      ? emptyState(
          say('You have saved no filter of this merchant.'),
          say('Choose filters above a list, then press “Save these filters”. You alone see them.'),
        )
      : table(say('Saved filters'), filters, [
          { title: say('Name of the filter'), cell: (one) => filterLink(one, merchantId) },
          { title: say('List'), cell: (one) => say(LIST_NAMES[one.list].text) },
          {
            title: say('Remove'),
            cell: (one) =>
              html`<form method="post" action="${path}"><input type="hidden" name="mark" value="${formMark}"><input type="hidden" name="place" value="${one.place}"><input type="hidden" name="name" value="${one.name}"><button type="submit" aria-label="${say('Remove {name}', { name: one.name })}">${say('Remove')}</button></form>`,
          },
        ]);
  return html`${fault !== null && errorsOf([{ tag: '', description: say(FAULTS[fault].text) }])}${shown}`;
}
