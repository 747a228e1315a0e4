import type { Prepared } from '../../platform/prepared-reads.ts';
import type { RetryCounts } from '../../recurrence/billings/billing-sums.sql.ts';
import { addDays, type Day, instant, isDay, reachedFrom, saoPauloDay } from '../../values/instant.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import type { ChargeFigures, DeliveryCounts } from '../open-merchant-tools.ts';
import { type Bar, barChart } from '../parts/chart.ts';
import { type Html, html } from '../parts/html.ts';
import {
  accountField,
  accountOf,
  emptyState,
  errorsOf,
  filterForm,
  keptNote,
  link,
  section,
  underWay,
} from '../parts/page-parts.ts';
import { CHARTS, withQuery } from '../parts/paths.ts';
import { OF_MERCHANT, type Screen, screen, type Visit } from '../parts/screen.ts';
import { declineChart } from './decline-chart.ts';
import {
  approvalsPart,
  countedSince,
  type Days,
  figuresOf,
  isNothing,
  periodCharts,
} from './sales-charts.ts';

type Found =
  | { readonly fault: 'noDays' }
  | {
      readonly days: Days;
      readonly charges: Prepared<ChargeFigures>;
      readonly deliveries: Prepared<DeliveryCounts | null>;
    };

const MOST_DAYS = 31;
const USUAL_DAYS = 7;
const DAY_MILLISECONDS = 86_400_000;
/** The page is often sent while sales are still being counted. */
const REFRESH_SECONDS = 5;

/** The chosen days, or else the last seven. Null: the days are faulty or too many. */
function daysOf(query: Readonly<Record<string, string>>, now: number): Days | null {
  const today = saoPauloDay(instant(now));
  const to = query.to ?? query.from ?? today;
  const from = query.from ?? (query.to === undefined ? lastDays(USUAL_DAYS, today).from : to);
  if (!isDay(from) || !isDay(to) || from > to) return null;
  return reachedFrom(to, 1 - MOST_DAYS) > from ? null : { from, to };
}

/**
 * The days in real time, by which deliveries are dated: as far from the real today as `days` are from the
 * today of the merchant's clock.
 */
function realDays({ from, to }: Days, { now, realNow }: Pick<Visit, 'now' | 'realNow'>): Days {
  const dayOf = (at: number) => Date.parse(saoPauloDay(instant(at)));
  const moved = (dayOf(realNow) - dayOf(now)) / DAY_MILLISECONDS;
  return { from: reachedFrom(from, moved), to: reachedFrom(to, moved) };
}

const lastDays = (count: number, today: Day): Days => ({ from: addDays(today, 1 - count), to: today });

export const CHART_SCREENS: readonly Screen<MerchantPageTools>[] = [
  screen<MerchantPageTools, Found>({
    path: CHARTS,
    ...OF_MERCHANT,
    title: 'Charts',
    refreshSeconds: REFRESH_SECONDS,
    async read(visit, tools) {
      const days = daysOf(visit.query, visit.now);
      if (days === null) return { fault: 'noDays' };
      const { merchantId, accountNumbers, now } = visit;
      const accountNumber = accountOf(visit);
      const [charges, deliveries] = await Promise.all([
        tools.readCharges(merchantId, days, instant(now)),
        accountNumbers.includes(accountNumber)
          ? tools.countDeliveries(merchantId, accountNumber, realDays(days, visit))
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
  const { from, to } = 'fault' in found ? lastDays(USUAL_DAYS, today) : found.days;
  const form = filterForm(
    visit,
    [
      { name: 'from', label: say('From'), type: 'date', value: from },
      { name: 'to', label: say('To'), type: 'date', value: to },
    ],
    { kept: ['accountNumber'] },
  );
  const { accountNumber } = visit.query;
  const leadTo = (text: string, days: Days) => link(withQuery(visit.path, { ...days, accountNumber }), text);
  const yesterday = addDays(today, -1);
  const presets = html`<p class="links">${leadTo(say('Today'), lastDays(1, today))} ${leadTo(say('Yesterday'), lastDays(1, yesterday))}
${leadTo(say('Seven days'), lastDays(USUAL_DAYS, today))} ${leadTo(say('Thirty days'), lastDays(30, today))}</p>`;
  if ('fault' in found) {
    const description = say('Choose at most 31 days, the first before the last.');
    return html`${form}${presets}${errorsOf([{ tag: 'from', description }])}`;
  }
  return html`${form}${presets}${chargesPart(found.charges, found.days, visit)}${deliveryChart(found.deliveries, realDays(found.days, visit), visit)}`;
}

function chargesPart(charges: Prepared<ChargeFigures>, days: Days, visit: Visit): Html {
  const { say, moment } = visit.wording;
  if (charges === 'underWay')
    return underWay(
      say('These days are being counted.'),
      say('The result appears here in some seconds; if it does not, load the page again.'),
    );
  const { at, sums, sales, retries } = charges.value;
  const isAnySum = !isNothing(sums.now) || !isNothing(sums.before);
  const isAnyByCard = sales.total.approved + sales.total.declined + sales.total.other > 0;
  return html`<p class="note">${say('As of {at}.', { at: moment(at) })}</p>${isAnySum && [figuresOf(sums, days, visit), periodCharts(sums, days, visit)]}${isAnyByCard && declineChart(sales.declines, visit)}${approvalsPart(sales, visit)}${retryChart(retries, visit)}`;
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
  const names = { of: say('Retry'), counted: say('Tries'), good: say('Recovered'), bad: say('Not paid') };
  return section(
    title,
    html`${barChart(title, names, bars, wording)}<p>${[brought, ...countedSince(countedFrom, wording)].join(' ')}</p>`,
  );
}

/** Deliveries are counted by account; the sums above are of all accounts. */
function deliveryChart(counted: Prepared<DeliveryCounts | null>, { from, to }: Days, visit: Visit): Html {
  const { wording, accountNumbers } = visit;
  const { say } = wording;
  const title = say('Deliveries');
  const label = say('Account of the deliveries');
  const choice =
    accountNumbers.length > 1 && filterForm(visit, [accountField(visit)], { label, kept: ['from', 'to'] });
  const isReal = wording.realMark !== '';
  const ofDays = say('{from} to {to}', { from: wording.day(from), to: wording.day(to) });
  const account = html`${choice}${isReal && html`<p class="note">${ofDays} <small class="real">${wording.realMark}</small></p>`}`;
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
  const names = {
    of: say('Status'),
    counted: say('Notifications'),
    good: say('Arrived'),
    bad: say('Not delivered'),
  };
  return section(
    title,
    html`${account}${keptNote(counted.keptSince, wording)}${barChart(title, names, bars, wording)}`,
  );
}
