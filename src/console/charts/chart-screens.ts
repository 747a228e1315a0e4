import type { Prepared } from '../../platform/prepared-reads.ts';
import type { RetryCounts } from '../../recurrence/billings/billing-sums.sql.ts';
import type { AllSales } from '../../transactions/read-sale-counts.ts';
import type { Answers } from '../../transactions/sale-counts.ts';
import { addDays, type Day, type Instant, instant, isDay, saoPauloDay } from '../../values/instant.ts';
import type { DeliveryState } from '../../webhooks/deliveries/delivery.ts';
import { type Html, html } from '../parts/html.ts';
import {
  accountField,
  accountOf,
  brandText,
  emptyState,
  errorsOf,
  filterForm,
  keptNote,
  link,
  section,
  underWay,
} from '../parts/page-parts.ts';
import { CHARTS, withQuery } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';
import { type Bar, barChart, declineChart } from './decline-chart.ts';

export type ChartTools = {
  readonly countCharges: (merchantId: string, days: Days) => Promise<Prepared<ChargeCounts>>;
  /** The value is null if there are too many deliveries or no such days. */
  readonly countDeliveries: (
    merchantId: string,
    accountNumber: string,
    days: Days,
  ) => Promise<Prepared<DeliveryCounts | null>>;
};

export type Days = { readonly from: Day; readonly to: Day };
export type ChargeCounts = { readonly sales: AllSales; readonly retries: RetryCounts };

export type DeliveryCounts = Readonly<Record<DeliveryState, number>>;

type Found =
  | { readonly fault: 'noDays' }
  | {
      readonly days: Days;
      readonly charges: Prepared<ChargeCounts>;
      readonly deliveries: Prepared<DeliveryCounts | null>;
    };

const MOST_DAYS = 31;
/** Many sales are still being counted when the page is sent. */
const REFRESH_SECONDS = 5;

/** Defaults to today. Null if the days are faulty or too many. */
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
    refreshSeconds: REFRESH_SECONDS,
    async read(visit, tools) {
      const days = daysOf(visit.query, visit.now);
      if (days === null) return { fault: 'noDays' };
      const { merchantId, accountNumbers } = visit;
      const accountNumber = accountOf(visit);
      const [charges, deliveries] = await Promise.all([
        tools.countCharges(merchantId, days),
        accountNumbers.includes(accountNumber)
          ? tools.countDeliveries(merchantId, accountNumber, days)
          : { value: null, keptSince: null },
      ]);
      return { days, charges, deliveries };
    },
    view: chartPage,
  }),
];

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
  return html`${form}${presets}${chargesPart(found.charges, found.days, visit)}${deliveryChart(found.deliveries, visit)}`;
}

function chargesPart(charges: Prepared<ChargeCounts>, days: Days, visit: Visit): Html {
  const { say } = visit.wording;
  if (charges === 'underWay')
    return underWay(
      say('These days are being counted.'),
      say('The result appears here in some seconds; if it does not, load the page again.'),
    );
  const { sales, retries } = charges.value;
  return html`${keptNote(charges.keptSince, visit.wording)}${salesPart(sales, days, visit)}${retryChart(retries, visit)}`;
}

function salesPart(sales: AllSales, { from, to }: Days, visit: Visit): Html {
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
    ...countedSince(sales.countedFrom, wording),
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
      : say('Paid by another try: {paid} ({amount}).', { paid: count(paid), amount: money(amount) });
  const names = { of: say('Retry'), good: say('Recovered'), bad: say('Not paid') };
  return section(
    title,
    html`${barChart(title, names, bars, wording)}<p>${[brought, ...countedSince(countedFrom, wording)].join(' ')}</p>`,
  );
}

/** Deliveries are counted by account; the sums above are of all accounts. */
function deliveryChart(counted: Prepared<DeliveryCounts | null>, visit: Visit): Html {
  const { wording, accountNumbers } = visit;
  const { say } = wording;
  const title = say('Deliveries');
  const label = say('Account of the deliveries');
  const account =
    accountNumbers.length > 1 && filterForm(visit, [accountField(visit)], { label, kept: ['from', 'to'] });
  if (counted === 'underWay')
    return section(
      title,
      html`${account}${underWay(
        say('The deliveries of these days are being counted.'),
        say('The result appears here in some seconds; if it does not, load the page again.'),
      )}`,
    );
  if (counted.value === null)
    return section(
      title,
      html`${account}${emptyState(
        say('The deliveries of these days cannot be counted.'),
        say('Choose another account or fewer days: at most a million are counted.'),
      )}`,
    );
  const { delivered, waiting, givenUp } = counted.value;
  if (delivered + waiting + givenUp === 0)
    return section(
      title,
      html`${account}${emptyState(
        say('Nothing was sent in these days.'),
        say('Choose other days, or say under Notifications where the account is notified.'),
      )}`,
    );
  const bars: Bar[] = [
    { name: say('Delivered'), good: delivered, bad: 0 },
    { name: say('Waiting'), good: 0, bad: waiting },
    { name: say('Given up'), good: 0, bad: givenUp },
  ];
  const names = { of: say('Status'), good: say('Arrived'), bad: say('Not delivered') };
  return section(
    title,
    html`${account}${keptNote(counted.keptSince, wording)}${barChart(title, names, bars, wording)}`,
  );
}
