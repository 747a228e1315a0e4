import { type Html, html, type Shown } from '../parts/html.ts';
import { emptyState, link, realMoment, section, table } from '../parts/page-parts.ts';
import { HISTORY, pathOf, withQuery } from '../parts/paths.ts';
import { mayUse, type Screen, screen, type Visit } from '../parts/screen.ts';
import { type States, stateBadge } from '../parts/states.ts';
import type { Act, Outcome } from './history.ts';

export type ShownAct = Act & {
  /** The title of the action or file; null: no action or file of this version has its path. */
  readonly title: string | null;
  readonly place: string | null;
  /** Null: a user of the operator, whose name merchants are not shown. */
  readonly name: string | null;
};

export type HistoryPage = { readonly acts: readonly ShownAct[]; readonly next: number | null };

export type HistoryTools = {
  /** Acts, newest first, from before the entry `before` of the audit log; null: from the newest on. */
  readonly listHistory: (visit: Visit, before: number | null) => Promise<HistoryPage>;
  /** Acts on one thing of the merchant, up to a bound. */
  readonly listThingHistory: (visit: Visit, id: string) => Promise<readonly ShownAct[]>;
};

/** A merchant's administrator sees the acts of all its users. */
const MAY_SEE = { roles: ['operator', 'admin'], of: 'merchant' } as const satisfies Partial<Screen<unknown>>;
/** Users who may act on a payment see the acts on it. */
export const MAY_SEE_ACTS = {
  roles: ['support', 'finance', 'operator', 'admin'],
  of: 'merchant',
} as const satisfies Partial<Screen<unknown>>;

const STATES = {
  asked: { tone: 'plain', text: 'Submitted' },
  refused: { tone: 'plain', text: 'Refused: nothing was done' },
  unknown: { tone: 'bad', text: 'Not known' },
  waits: { tone: 'wait', text: 'Asked of a second person' },
  approved: { tone: 'plain', text: 'Approved by another' },
  declined: { tone: 'plain', text: 'Declined by another' },
  saved: { tone: 'good', text: 'Saved as a file' },
} as const satisfies States<Outcome>;

export const HISTORY_SCREENS: readonly Screen<HistoryTools>[] = [
  screen<HistoryTools, HistoryPage>({
    ...MAY_SEE,
    path: HISTORY,
    title: 'Who did what',
    async read(visit, { listHistory }) {
      const { before } = visit.query;
      const isNumber = before !== undefined && /^[1-9]\d{0,14}$/.test(before);
      return listHistory(visit, isNumber ? Number(before) : null);
    },
    view: historyPage,
  }),
];

function historyPage({ acts, next }: HistoryPage, visit: Visit): Html {
  const { say } = visit.wording;
  const older =
    next !== null &&
    html`<nav class="pager" aria-label="${say('Pages of this list')}">${link(withQuery(visit.path, { before: next }), say('Older'))}</nav>`;
  const note = html`<p class="note">${say('What people did here, newest first. What programs do by the API stands on its payments and subscriptions.')}</p>`;
  if (acts.length === 0)
    return html`${note}${emptyState(say('Nobody has done anything here yet.'), say('Every action of a person appears here with its reason.'))}${older}`;
  return html`${note}${actTable(acts, visit)}${older}`;
}

function actTable(acts: readonly ShownAct[], visit: Visit): Html {
  const { wording } = visit;
  const { say, money } = wording;
  return table(say('Who did what'), acts, [
    { title: say('When'), cell: ({ at }) => realMoment(wording, at) },
    { title: say('Who'), cell: ({ name }) => name ?? say('The operator') },
    {
      title: say('What'),
      cell: ({ title, place, operation }) => {
        const text = title === null ? html`<code>${operation}</code>` : say(title);
        return place === null ? text : link(place, text);
      },
    },
    {
      title: say('Amount'),
      isNumber: true,
      cell: ({ amount }) => (amount === null ? '–' : money(amount)),
    },
    { title: say('Reason'), cell: ({ reason }) => reason ?? '–' },
    { title: say('Outcome'), cell: ({ outcome }) => stateBadge(STATES, outcome, wording) },
  ]);
}

export function actsSection(acts: readonly ShownAct[], visit: Visit): Shown {
  if (acts.length === 0 || !mayUse(MAY_SEE_ACTS, visit.user)) return '';
  const { say } = visit.wording;
  const all =
    mayUse(MAY_SEE, visit.user) &&
    html`<p>${link(pathOf(HISTORY, { merchantId: visit.merchantId }), say('All that was done'))}</p>`;
  return section(say('Who did what'), html`${actTable(acts, visit)}${all}`);
}
