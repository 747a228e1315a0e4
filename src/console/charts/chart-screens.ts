import type { PreparedReads } from '../../platform/prepared-reads.ts';
import type { RetryCounts } from '../../recurrence/billings/retry-counts.sql.ts';
import type { AllSales } from '../../transactions/read-sale-counts.ts';
import type { Answers } from '../../transactions/sale-counts.ts';
import {
  addDays,
  type Day,
  type Instant,
  instant,
  isDay,
  saoPauloDay,
  startOfSaoPauloDay,
} from '../../values/instant.ts';
import { LIST_DELIVERIES } from '../../webhooks/history/contract.ts';
import { brandText } from '../parts/card-text.ts';
import { type Html, html } from '../parts/html.ts';
import {
  accountField,
  accountOf,
  emptyState,
  errorsOf,
  filterForm,
  link,
  section,
} from '../parts/page-parts.ts';
import { CHARTS, withQuery } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';
import { type Bar, barChart } from './bars.ts';
import { declineChart } from './decline-chart.ts';

type Period = { readonly from: Instant; readonly before: Instant };

export type ChartTools = {
  readonly prepareCharts: PreparedReads<ChartCounts>;
  readonly countSales: (merchantId: string, period: Period) => Promise<AllSales>;
  readonly countRetries: (merchantId: string, period: Period) => Promise<RetryCounts>;
};

type Days = { readonly from: Day; readonly to: Day };
export type ChartCounts = {
  readonly sales: AllSales;
  readonly retries: RetryCounts;
  /** Null: the account or its period cannot be read. */
  readonly deliveries: Readonly<Record<DeliveryState, number>> | null;
};
type Counted = ChartCounts & { readonly days: Days };
type Found = Counted | { readonly fault: 'noDays' } | { readonly days: Days; readonly isUnderWay: true };

const STATES = ['Delivered', 'Waiting', 'GivenUp'] as const;
type DeliveryState = (typeof STATES)[number];

const MOST_DAYS = 31;
/** Days of very many sales are counted on behind the page. */
const REFRESH_SECONDS = 5;

/** The days of a page, today where none are named; null: they are none, or too many. */
function daysOf(query: Readonly<Record<string, string>>, now: number): Days | null {
  const today = saoPauloDay(instant(now));
  const from = query.from ?? query.to ?? today;
  const to = query.to ?? from;
  if (!isDay(from) || !isDay(to) || from > to) return null;
  return addDays(to, 1 - MOST_DAYS) > from ? null : { from, to };
}

export const CHART_SCREENS: readonly Screen<ChartTools>[] = [
  screen<ChartTools, Found>({
    path: CHARTS,
    roles: ALL_ROLES,
    of: 'merchant',
    title: 'Charts',
    place: 80,
    refreshSeconds: REFRESH_SECONDS,
    async read(visit, tools) {
      const days = daysOf(visit.query, visit.now);
      if (days === null) return { fault: 'noDays' };
      const { from, to } = days;
      const counts = await tools.prepareCharts(visit.merchantId, `${from} ${to} ${accountOf(visit)}`, () =>
        countDays(days, visit, tools),
      );
      return counts === 'underWay' ? { days, isUnderWay: true } : { days, ...counts };
    },
    view: chartPage,
  }),
];

async function countDays(days: Days, visit: Visit, tools: ChartTools): Promise<ChartCounts> {
  const { merchantId } = visit;
  const period = { from: startOfSaoPauloDay(days.from), before: startOfSaoPauloDay(addDays(days.to, 1)) };
  const sales = await tools.countSales(merchantId, period);
  const retries = await tools.countRetries(merchantId, period);
  return { sales, retries, deliveries: await countDeliveries(visit, days) };
}

async function countDeliveries(visit: Visit, { from, to }: Days): Promise<Counted['deliveries']> {
  const counts = { Delivered: 0, Waiting: 0, GivenUp: 0 };
  for (const status of STATES) {
    const query = { accountNumber: accountOf(visit), from, to, status, limit: '1' };
    const asked = await visit.ask(LIST_DELIVERIES, { query, countsAll: true });
    if (!asked.ok) return null;
    counts[status] = asked.body.total;
  }
  return counts;
}

function chartPage(found: Found, visit: Visit): Html {
  const { say } = visit.wording;
  const today = saoPauloDay(instant(visit.now));
  const { from, to } = 'fault' in found ? { from: today, to: today } : found.days;
  const form = filterForm(
    visit,
    [
      { name: 'from', label: say('From'), type: 'date', value: from },
      { name: 'to', label: say('To'), type: 'date', value: to },
    ],
    { kept: ['accountNumber'] },
  );
  const { accountNumber } = visit.query;
  const days = (text: string, first: Day, last: Day) =>
    link(withQuery(visit.path, { from: first, to: last, accountNumber }), text);
  const yesterday = addDays(today, -1);
  const presets = html`<p class="links">${days(say('Today'), today, today)} ${days(say('Yesterday'), yesterday, yesterday)}
${days(say('Seven days'), addDays(today, -6), today)} ${days(say('Thirty days'), addDays(today, -29), today)}</p>`;
  if ('fault' in found) {
    const description = say('Choose at most 31 days, the first before the last.');
    return html`${form}${presets}${errorsOf([{ tag: 'from', description }])}`;
  }
  if ('isUnderWay' in found)
    return html`${form}${presets}${emptyState(
      say('These days are being counted.'),
      say('There are very many payments in them: in some seconds this page shows them, or open it again.'),
    )}`;
  return html`${form}${presets}${salesPart(found, visit)}${retryChart(found.retries, visit)}${deliveryChart(found.deliveries, visit)}`;
}

function salesPart({ sales, days: { from, to } }: Counted, visit: Visit): Html {
  const { wording } = visit;
  const { say, count, day } = wording;
  const { approved, declined, other } = sales.total;
  if (approved + declined + other === 0)
    return emptyState(
      say('No payment in these days.'),
      say('Choose other days. A payment appears here as soon as it is asked for.'),
    );
  const parts = [
    say('Approved: {approved}. Declined: {declined}. Without an answer, or undone before one: {other}.', {
      approved: count(approved),
      declined: count(declined),
      other: count(other),
    }),
    ...countedSince(sales.isWhole ? null : sales.countedFrom, wording),
  ];
  const hour = (one: number) => `${String(one).padStart(2, '0')}h`;
  const byBrand = sales.byBrand.map((one) => ({ name: brandText(one.brand), ...one }));
  const sorted = byBrand.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const byDay = sales.byDay.map((one) => ({ name: day(one.day), ...one }));
  return html`<p>${parts.join(' ')}</p>
${approvals(say('Approvals by brand'), say('Brand'), sorted, visit)}
${from !== to && approvals(say('Approvals by day'), say('Day'), byDay, visit)}
${approvals(
  say('Approvals by hour'),
  say('Hour'),
  sales.byHour.map((one) => ({ name: hour(one.hour), ...one })),
  visit,
)}
${declineChart(sales.declines, visit)}`;
}

/** Of very many only the newest are counted. */
function countedSince(at: Instant | null, { say, moment }: Wording): string[] {
  if (at === null) return [];
  return [say('There are more: only those since {at} are counted. Choose fewer days.', { at: moment(at) })];
}

function approvals(
  title: string,
  of: string,
  answers: readonly (Answers & { readonly name: string })[],
  { wording }: Visit,
): Html {
  const { say, percent } = wording;
  const bars: Bar[] = answers
    .filter(({ approved, declined }) => approved + declined > 0)
    .map(({ name, approved, declined }) => ({
      name,
      good: approved,
      bad: declined,
      beside: [percent(approved / (approved + declined))],
    }));
  const names = { of, good: say('Approved'), bad: say('Turned down'), beside: [say('Of those answered')] };
  return section(title, barChart(title, names, bars, wording));
}

/** What charges of billings brought that were made again. */
function retryChart({ byAttempt, amount, summed, countedFrom }: RetryCounts, { wording }: Visit): Html {
  const { say, count, money } = wording;
  const title = say('Recovered by retry');
  if (byAttempt.length === 0)
    return section(
      title,
      emptyState(
        say('No billing was tried again in these days.'),
        say('A billing is tried again where funds are lacking, as often as its plan says.'),
      ),
    );
  const bars: Bar[] = byAttempt.map(({ attemptNumber, tries, paid }) => ({
    name: say('Retry {number}', { number: count(attemptNumber - 1) }),
    good: paid,
    bad: tries - paid,
  }));
  const paid = byAttempt.reduce((sum, one) => sum + one.paid, 0);
  const brought =
    summed < paid
      ? say('The newest {summed} of {paid} that paid brought {amount}.', {
          summed: count(summed),
          paid: count(paid),
          amount: money(amount),
        })
      : say('Billings paid so: {paid}, {amount}.', { paid: count(paid), amount: money(amount) });
  const names = { of: say('Retry'), good: say('Recovered'), bad: say('Not paid') };
  return section(
    title,
    html`${barChart(title, names, bars, wording)}<p>${[brought, ...countedSince(countedFrom, wording)].join(' ')}</p>`,
  );
}

/** Of one account, where it is sent: the sums above are of all accounts. */
function deliveryChart(deliveries: Counted['deliveries'], visit: Visit): Html {
  const { wording, accountNumbers } = visit;
  const { say } = wording;
  const title = say('Deliveries');
  const label = say('Account of the deliveries');
  const account =
    accountNumbers.length > 1 && filterForm(visit, [accountField(visit)], { label, kept: ['from', 'to'] });
  if (deliveries === null)
    return section(
      title,
      html`${account}${emptyState(
        say('The deliveries of these days cannot be counted.'),
        say('Choose another account or fewer days: at most a million are counted.'),
      )}`,
    );
  const { Delivered, Waiting, GivenUp } = deliveries;
  if (Delivered + Waiting + GivenUp === 0)
    return section(
      title,
      html`${account}${emptyState(
        say('Nothing was sent in these days.'),
        say('Choose other days, or say under Notifications where the account is notified.'),
      )}`,
    );
  const bars: Bar[] = [
    { name: say('Delivered'), good: Delivered, bad: 0 },
    { name: say('Waiting'), good: 0, bad: Waiting },
    { name: say('Given up'), good: 0, bad: GivenUp },
  ];
  const names = { of: say('Status'), good: say('Arrived'), bad: say('Not delivered') };
  return section(title, html`${account}${barChart(title, names, bars, wording)}`);
}
