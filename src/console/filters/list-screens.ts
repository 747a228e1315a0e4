import type { Contract } from '../../platform/http/endpoint.ts';
import type { Prepared } from '../../platform/prepared-reads.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { type Html, html } from '../parts/html.ts';
import {
  emptyState,
  errorsOf,
  type Field,
  filterForm,
  keptNote,
  link,
  pager,
  underWay,
} from '../parts/page-parts.ts';
import { FILTERS, pathOf } from '../parts/paths.ts';
import { type Asked, type Beside, type Screen, screen, type Visit } from '../parts/screen.ts';
import {
  FILTERED_LISTS,
  type FilteredList,
  keptQuery,
  LONGEST_NAME,
  type SavedFilter,
} from './saved-filter.ts';

type Query = Readonly<Record<string, string | undefined>>;
type Listed = {
  readonly items: readonly unknown[];
  readonly page: number;
  readonly limit: number;
  readonly total: number;
};
type Found = { readonly asked: Prepared<Asked<unknown>>; readonly saved: Html };

/** Thrown so that a failed read is not cached. */
class NotAnswered extends Error {
  readonly asked: Asked<unknown>;

  constructor(asked: Asked<unknown>) {
    super(`a list was answered with ${asked.status}`);
    this.asked = asked;
  }
}

export function listScreen<Item>(
  declared: Omit<Screen<MerchantPageTools>, 'show'> & {
    /** The list's name for saved filters. Absent: its filters cannot be saved. */
    readonly list?: FilteredList;
    readonly contract: Contract;
    readonly query: (visit: Visit) => Query;
    /** True if the search may have no index: then it continues after the page was sent. */
    readonly mayTakeLong?: (visit: Visit) => boolean;
    readonly filters: (visit: Visit) => readonly Field[];
    readonly empty: readonly [string, string];
    /** Adds to all items at once what their contract does not give. */
    readonly fill?: Beside<Item, MerchantPageTools>;
    readonly view: (items: readonly Item[], visit: Visit) => Html;
    /** Shown above the results, and also when the search is refused. */
    readonly beside?: (visit: Visit) => Html;
  },
): Screen<MerchantPageTools> {
  const { list, contract, query, mayTakeLong, filters, empty, fill, view, beside, ...where } = declared;
  return screen<MerchantPageTools, Found>({
    ...where,
    async read(visit, tools) {
      const given = { query: { ...query(visit), page: visit.query.page ?? '1' } };
      const asked =
        mayTakeLong?.(visit) === true
          ? await readOn(contract, given.query, visit, tools)
          : { value: await visit.ask(contract, given), keptSince: null };
      const saved = list === undefined ? html`` : await filterBar(list, visit, tools);
      if (asked === 'underWay') return { asked, saved };
      return { asked: { ...asked, value: await filled(asked.value, visit, tools) }, saved };
    },
    view({ asked, saved }, visit) {
      return html`${filterForm(visit, filters(visit))}${saved}${beside?.(visit)}${shownOf(asked, visit)}`;
    },
  });

  async function filled(
    asked: Asked<unknown>,
    visit: Visit,
    tools: MerchantPageTools,
  ): Promise<Asked<unknown>> {
    if (fill === undefined || !asked.ok) return asked;
    const found = asked.body as Listed;
    return { ...asked, body: { ...found, items: await fill(found.items as readonly Item[], visit, tools) } };
  }

  function shownOf(asked: Found['asked'], visit: Visit): Html {
    const { say } = visit.wording;
    if (asked === 'underWay')
      return underWay(
        say('This list is being read.'),
        say('The result appears here in some seconds; if it does not, load the page again.'),
      );
    const { value, keptSince } = asked;
    if (!value.ok) return errorsOf(value.errors, filters(visit));
    const found = value.body as Listed;
    const note = keptNote(keptSince, visit.wording);
    if (found.items.length === 0) return html`${note}${emptyState(say(empty[0]), say(empty[1]))}`;
    return html`${note}${view(found.items as readonly Item[], visit)}${pager(visit, found)}`;
  }
}

async function readOn(
  contract: Contract,
  query: Query,
  visit: Visit,
  { readList }: MerchantPageTools,
): Promise<Prepared<Asked<unknown>>> {
  const key = JSON.stringify([contract.id, visit.wording.language, query]);
  try {
    return await readList(visit.merchantId, key, async () => {
      const asked: Asked<unknown> = await visit.ask(contract, { query });
      if (!asked.ok && asked.status >= 500) throw new NotAnswered(asked);
      return asked;
    });
  } catch (error) {
    if (error instanceof NotAnswered) return { value: error.asked, keptSince: null };
    throw error;
  }
}

export function filterLink({ list, name, query }: SavedFilter, merchantId: string): Html {
  return link(`${pathOf(FILTERED_LISTS[list], { merchantId })}?${query}`, name);
}

async function filterBar(
  list: FilteredList,
  { merchantId, user, query, formMark, wording }: Visit,
  { listFilters }: MerchantPageTools,
): Promise<Html> {
  const { say } = wording;
  const all = await listFilters(merchantId, user.userId);
  const own = all.filter((one) => one.list === list);
  const path = pathOf(FILTERS, { merchantId });
  const kept = keptQuery(query);
  const form =
    kept !== '' &&
    html`<details class="keep"><summary>${say('Save these filters')}</summary>
<form method="post" action="${path}"><input type="hidden" name="mark" value="${formMark}"><input type="hidden" name="list" value="${list}"><input type="hidden" name="query" value="${kept}">
<div class="field"><label for="filter-name">${say('Name of the filter')}</label><input id="filter-name" name="name" required maxlength="${LONGEST_NAME}" autocomplete="off"></div>
<button type="submit">${say('Save')}</button>
</form></details>`;
  if (own.length === 0) return html`${form}`;
  return html`<nav class="links saved" aria-label="${say('Saved filters')}">
${own.map((one) => html`${filterLink(one, merchantId)} `)}${link(path, say('Change saved filters'))}</nav>${form}`;
}
