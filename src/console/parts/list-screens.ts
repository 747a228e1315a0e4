import type { Contract, WireError } from '../../platform/http/endpoint.ts';
import type { Asked } from './asked.ts';
import { type Html, html } from './html.ts';
import { emptyState, errorsOf, type Field, filterForm, pager } from './page-parts.ts';
import { type Screen, screen, type Visit } from './screen.ts';

type Query = Readonly<Record<string, string | undefined>>;
type Listed = {
  readonly items: readonly unknown[];
  readonly page: number;
  readonly limit: number;
  readonly total: number;
};
type Found = { readonly errors: readonly WireError[]; readonly found: Listed | null };

/** A list as the API gives it in pages: its filters stand in the address. */
export function listScreen<Item>(
  declared: Omit<Screen<unknown>, 'show'> & {
    readonly contract: Contract;
    readonly query: (visit: Visit) => Query;
    readonly filters: (visit: Visit) => readonly Field[];
    /** Why there is nothing, and what to do. */
    readonly empty: readonly [string, string];
    readonly view: (items: readonly Item[], visit: Visit) => Html;
  },
): Screen<unknown> {
  const { contract, query, filters, empty, view, ...where } = declared;
  return screen<unknown, Found>({
    ...where,
    async read(visit) {
      const asked: Asked<unknown> = await visit.ask(contract, {
        query: { ...query(visit), page: visit.query.page ?? '1' },
      });
      return asked.ok ? { errors: [], found: asked.body as Listed } : { errors: asked.errors, found: null };
    },
    view({ errors, found }, visit) {
      const { say } = visit.wording;
      const list =
        found === null
          ? errorsOf(errors)
          : found.items.length === 0
            ? emptyState(say(empty[0]), say(empty[1]))
            : html`${view(found.items as readonly Item[], visit)}${pager(visit, found)}`;
      return html`${filterForm(visit, filters(visit))}${list}`;
    },
  });
}

/** The account of a page: the one that was chosen, or the first. */
export function accountOf({ query, accountNumbers }: Visit): string {
  return query.accountNumber ?? accountNumbers[0] ?? '';
}

export function accountField(visit: Visit): Field {
  return {
    name: 'accountNumber',
    label: visit.wording.say('Account'),
    choices: visit.accountNumbers.map((account) => [account, account] as const),
    value: accountOf(visit),
  };
}
