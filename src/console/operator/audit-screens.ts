import type { EntryFilter } from '../../audit/audit-entries.sql.ts';
import { AUDIT_ACTIONS } from '../../audit/audit-event.ts';
import type { NewestEntries } from '../../audit/list-audit-entries.ts';
import type { WireError } from '../../platform/http/endpoint.ts';
import { type Day, isDay, reachedFrom, startOfSaoPauloDay } from '../../values/instant.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { emptyState, errorsOf, filterForm, link, long, moment, table } from '../parts/page-parts.ts';
import { AUDIT, withQuery } from '../parts/paths.ts';
import { MAY_SEE_AUDIT, type Screen, screen, type Visit } from '../parts/screen.ts';
import { badge } from '../parts/states.ts';

type AuditFound = { readonly faults: readonly WireError[]; readonly page: NewestEntries | null };

export const AUDIT_SCREENS: readonly Screen<ConsoleTools>[] = [
  screen<ConsoleTools, AuditFound>({
    path: AUDIT,
    ...MAY_SEE_AUDIT,
    title: 'Audit log',
    async read(visit, { listAudit }) {
      const faults = faultsOf(visit);
      const { before } = visit.query;
      const wanted = before === undefined ? null : Number(before);
      return { faults, page: faults.length > 0 ? null : await listAudit(visit, filterOf(visit), wanted) };
    },
    view: ({ faults, page }, visit) =>
      html`${filters(visit)}${page === null ? errorsOf(faults) : list(page, visit)}`,
  }),
];

function filterOf({ query }: Visit): EntryFilter {
  const day = (text: string | undefined): Day | null => (text !== undefined && isDay(text) ? text : null);
  const [from, to] = [day(query.from), day(query.to)];
  return {
    from: from === null ? null : startOfSaoPauloDay(from),
    to: to === null ? null : startOfSaoPauloDay(reachedFrom(to, 1)),
    action: query.action ?? null,
    actor: query.actor ?? null,
  };
}

const LONGEST_ACTOR = 100;

/** A faulty filter shows nothing, so that it does not look like a filter without results. */
function faultsOf({ query, wording: { say } }: Visit): readonly WireError[] {
  const { from, to, action, actor = '', before } = query;
  const isAction = action === undefined || AUDIT_ACTIONS.some((one) => one === action);
  return [
    ...[from, to]
      .filter((day) => day !== undefined && !isDay(day))
      .map((day = '') => say('This is no day: {value}', { value: day })),
    ...(from !== undefined && to !== undefined && isDay(from) && isDay(to) && to < from
      ? [say('The last day is before the first one.')]
      : []),
    ...(isAction ? [] : [say('There is no action {value}.', { value: action })]),
    ...(actor.length > LONGEST_ACTOR ? [say('No actor has such a long name.')] : []),
    ...(before === undefined || /^[1-9]\d{0,14}$/.test(before)
      ? []
      : [say('This page of the list does not exist.')]),
  ].map((description) => ({ tag: '', description }));
}

function filters(visit: Visit): Html {
  const { say } = visit.wording;
  return filterForm(visit, [
    { name: 'from', label: say('From'), type: 'date' },
    { name: 'to', label: say('To'), type: 'date' },
    {
      name: 'action',
      label: say('Action'),
      choices: [['', say('Any')], ...AUDIT_ACTIONS.map((action) => [action, action] as const)],
    },
    { name: 'actor', label: say('Actor'), mostCharacters: LONGEST_ACTOR },
  ]);
}

function list({ entries, next }: NewestEntries, { wording, path, query }: Visit): Html {
  const { say } = wording;
  const older =
    next !== null &&
    html`<nav class="pager" aria-label="${say('Pages of this list')}">${link(withQuery(path, { ...query, before: next }), say('Older'))}</nav>`;
  if (entries.length === 0)
    return html`${emptyState(say('No entry fits.'), say('Choose other days, or fewer filters.'))}${older}`;
  return html`<p class="note">${say('Actions, actors and details stand here as the log has them.')}</p>${table(
    say('Audit log'),
    entries,
    [
      { title: say('Number'), isNumber: true, cell: (entry) => entry.entryNumber },
      {
        title: say('When'),
        cell: (entry) => moment(wording, Math.floor(Number(entry.occurredAtSeconds) * 1_000)),
      },
      {
        title: say('Actor and place'),
        cell: (entry) => html`${entry.actor} <small>${entry.origin}</small>`,
      },
      { title: say('Action'), cell: (entry) => html`<code>${entry.action}</code>` },
      {
        title: say('Outcome'),
        cell: ({ outcome }) =>
          outcome === 'success' ? badge('good', say('Done')) : badge('bad', say('Refused')),
      },
      { title: say('Thing'), cell: (entry) => long(entry.resource) },
      { title: say('Detail'), cell: (entry) => long(detail(entry.detail)) },
    ],
  )}${older}`;
}

/** The service writes JSON. Any other text is shown as it is. */
function detail(text: string): Shown {
  if (text === '' || text === '{}') return '–';
  try {
    const fields = Object.entries(JSON.parse(text) as Record<string, unknown>);
    return fields.map(([name, value], index) => `${index === 0 ? '' : ', '}${name}: ${String(value)}`);
  } catch {
    return text;
  }
}
