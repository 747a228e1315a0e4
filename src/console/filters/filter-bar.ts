import { type Html, html } from '../parts/html.ts';
import { link } from '../parts/page-parts.ts';
import { FILTERS, pathOf } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import {
  FILTERED_LISTS,
  type FilteredList,
  keptQuery,
  LONGEST_NAME,
  type SavedFilter,
} from './saved-filter.ts';

export type FilterTools = {
  readonly listFilters: (merchantId: string, userId: string) => Promise<readonly SavedFilter[]>;
};

/** To the list of a filter, of this merchant. */
export function filterLink({ list, name, query }: SavedFilter, merchantId: string): Html {
  return link(`${pathOf(FILTERED_LISTS[list], { merchantId })}?${query}`, name);
}

/** Above a list: what its user keeps of it, and a form to keep what it is filtered by now. */
export async function filterBar(
  list: FilteredList,
  { merchantId, user, query, formMark, wording }: Visit,
  { listFilters }: FilterTools,
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
