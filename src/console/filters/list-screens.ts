import type { Contract, WireError } from '../../platform/http/endpoint.ts';
import type { Asked } from '../parts/asked.ts';
import { type Html, html } from '../parts/html.ts';
import { emptyState, errorsOf, type Field, filterForm, pager } from '../parts/page-parts.ts';
import { type Screen, screen, type Visit } from '../parts/screen.ts';
import { type FilterTools, filterBar } from './filter-bar.ts';
import type { FilteredList } from './saved-filter.ts';

type Query = Readonly<Record<string, string | undefined>>;
type Listed = {
  readonly items: readonly unknown[];
  readonly page: number;
  readonly limit: number;
  readonly total: number;
};
type Found = { readonly errors: readonly WireError[]; readonly found: Listed | null; readonly saved: Html };

/** A list as the API gives it in pages: its filters stand in the address. */
export function listScreen<Item>(
  declared: Omit<Screen<FilterTools>, 'show'> & {
    /** Whose filters a user may keep; absent: of none. */
    readonly list?: FilteredList;
    readonly contract: Contract;
    readonly query: (visit: Visit) => Query;
    readonly filters: (visit: Visit) => readonly Field[];
    /** Why there is nothing, and what to do. */
    readonly empty: readonly [string, string];
    readonly view: (items: readonly Item[], visit: Visit) => Html;
  },
): Screen<FilterTools> {
  const { list, contract, query, filters, empty, view, ...where } = declared;
  return screen<FilterTools, Found>({
    ...where,
    async read(visit, tools) {
      const asked: Asked<unknown> = await visit.ask(contract, {
        query: { ...query(visit), page: visit.query.page ?? '1' },
      });
      const saved = list === undefined ? html`` : await filterBar(list, visit, tools);
      return asked.ok
        ? { errors: [], found: asked.body as Listed, saved }
        : { errors: asked.errors, found: null, saved };
    },
    view({ errors, found, saved }, visit) {
      const { say } = visit.wording;
      const shown =
        found === null
          ? errorsOf(errors, filters(visit))
          : found.items.length === 0
            ? emptyState(say(empty[0]), say(empty[1]))
            : html`${view(found.items as readonly Item[], visit)}${pager(visit, found)}`;
      return html`${filterForm(visit, filters(visit))}${saved}${shown}`;
    },
  });
}
