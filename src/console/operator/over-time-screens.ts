import type { ConsoleTools } from '../open-console-tools.ts';
import { hourText, periodChart, type Scale, type Slot, shareScale } from '../parts/chart.ts';
import { type Html, html } from '../parts/html.ts';
import { type Column, emptyState, link, moment, section } from '../parts/page-parts.ts';
import { HEALTH, OVER_TIME, pathOf } from '../parts/paths.ts';
import { OF_OPERATOR, type Screen, screen, type Visit } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';
import type { SampledHour } from './health-samples.sql.ts';
import { peerName } from './installation-view.ts';

const HOURS = 24;
const HOUR_MILLISECONDS = 3_600_000;
/** São Paulo is three hours behind UTC, all year. */
const OFFSET_HOURS = 3;
/** The most charts of a kind, the first by name: an installation may have more providers. */
const MOST_CHARTS = 12;

type Hours = ReadonlyMap<number, SampledHour>;
type Curves = ReadonlyMap<string, Hours>;

function curvesOf(sampled: readonly SampledHour[]): Curves {
  const ofSubject = Map.groupBy(sampled, ({ subject }) => subject);
  const byAgo = (all: readonly SampledHour[]) => new Map(all.map((one) => [one.hoursAgo, one]));
  return new Map([...ofSubject].map(([subject, all]) => [subject, byAgo(all)]));
}

/** The names of a kind's subjects, which stand behind the kind, sorted. */
function namesOf(curves: Curves, kind: string): string[] {
  const names = [...curves.keys()]
    .filter((subject) => subject.startsWith(`${kind}:`))
    .map((subject) => subject.slice(kind.length + 1));
  return names.sort().slice(0, MOST_CHARTS);
}

type HourSlot = Slot & { readonly ago: number };

function chartOf(
  title: string,
  scale: Scale,
  valueAt: (hoursAgo: number) => number | null,
  { wording, realNow }: Visit,
  beside: readonly Column<HourSlot>[] = [],
): Html {
  const { say } = wording;
  const slots = Array.from({ length: HOURS }, (_, index): HourSlot => {
    const ago = HOURS - 1 - index;
    const hour = Math.floor(realNow / HOUR_MILLISECONDS) - ago - OFFSET_HOURS;
    return { name: hourText(hour % HOURS), now: valueAt(ago), before: valueAt(ago + HOURS), ago };
  });
  const names = { now: say('The last 24 hours'), before: say('The 24 hours before') };
  const chart = { title, of: say('Hour'), names, scale, shape: 'line', slots, beside } as const;
  return section(title, periodChart<HourSlot>(chart, wording));
}

const WAITING = {
  unresolved: 'Unresolved',
  notifications: 'Notifications waiting',
  exceptions: 'Open exceptions',
} as const;

function waitingCharts(curves: Curves, visit: Visit): Html[] {
  const { say, count } = visit.wording;
  const scale = { title: say('At most, in the hour'), tick: count, show: count };
  return Object.entries(WAITING).flatMap(([name, title]) => {
    const hours = curves.get(`waiting:${name}`);
    return hours === undefined
      ? []
      : chartOf(say(title), scale, (ago) => hours.get(ago)?.most ?? null, visit);
  });
}

function timeCharts(curves: Curves, visit: Visit): Html[] {
  const { say, count } = visit.wording;
  const show = (milliseconds: number) => `${count(Math.round(milliseconds))} ms`;
  const scale = { title: say('Half of the calls took as long, or longer'), tick: show, show };
  return namesOf(curves, 'takes').map((name) => {
    const [peer = '', ...provider] = name.split(':');
    const title = say('Time to answer: {name}', { name: nameOf(peer, provider.join(':'), visit.wording) });
    return chartOf(title, scale, (ago) => curves.get(`takes:${name}`)?.get(ago)?.most ?? null, visit);
  });
}

const nameOf = (peer: string, provider: string, wording: Wording) =>
  `${peerName(peer, wording)} (${provider})`;

function approvalCharts(curves: Curves, visit: Visit): Html[] {
  const { say, count } = visit.wording;
  const scale = shareScale(visit.wording, say('% of those answered'));
  return namesOf(curves, 'approved').flatMap((provider) => {
    const grown = (kind: string, ago: number) => curves.get(`${kind}:${provider}`)?.get(ago)?.grown ?? 0;
    const [approved, declined] = [
      (ago: number) => grown('approved', ago),
      (ago: number) => grown('declined', ago),
    ];
    const share = (ago: number) => {
      const answered = approved(ago) + declined(ago);
      return answered === 0 ? null : approved(ago) / answered;
    };
    const isAny = Array.from({ length: 2 * HOURS }, (_, ago) => share(ago)).some((one) => one !== null);
    if (!isAny) return [];
    const title = say('Approval rate: {name}', { name: nameOf('acquirer', provider, visit.wording) });
    return chartOf(title, scale, share, visit, [
      { title: say('Approved'), isNumber: true, cell: ({ ago }) => count(approved(ago)) },
      { title: say('Turned down'), isNumber: true, cell: ({ ago }) => count(declined(ago)) },
    ]);
  });
}

function overTimePage(sampled: readonly SampledHour[], visit: Visit): Html {
  const { wording, realNow } = visit;
  const { say } = wording;
  const back = html`<p>${link(pathOf(HEALTH), say('Health'))}</p>`;
  if (sampled.length === 0)
    return html`${emptyState(
      say('Nothing was written down yet.'),
      say('A process with the role http writes it down every five minutes.'),
    )}${back}`;
  const curves = curvesOf(sampled);
  return html`${approvalCharts(curves, visit)}${timeCharts(curves, visit)}${waitingCharts(curves, visit)}
<p class="note">${say('Read at')} ${moment(wording, realNow)}. ${say(
    'Written down every five minutes, and kept for eight days; of a process that was killed, its last minutes are missing.',
  )}</p>${back}`;
}

export const OVER_TIME_SCREENS: readonly Screen<ConsoleTools>[] = [
  screen<ConsoleTools, readonly SampledHour[]>({
    path: OVER_TIME,
    ...OF_OPERATOR,
    title: 'Over time',
    refreshSeconds: 60,
    read: (_visit, { readSampledHours }) => readSampledHours(2 * HOURS),
    view: overTimePage,
  }),
];
