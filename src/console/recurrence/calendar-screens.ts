import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { BILLING_STATES, type BillingState } from '../../recurrence/billings/billing.ts';
import type { BillingSum } from '../../recurrence/billings/billings.sql.ts';
import { BILLING_STATE_WORDS, LIST_BILLINGS } from '../../recurrence/billings/contract.ts';
import { GET_SUBSCRIPTION } from '../../recurrence/subscriptions/contract.ts';
import { addDays, type Day, instant, saoPauloDay } from '../../values/instant.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { type Month, monthOf } from '../parts/month.ts';
import { emptyState, filterForm, link, table } from '../parts/page-parts.ts';
import {
  BILLINGS,
  billingPath,
  CALENDAR,
  pathOf,
  SUBSCRIPTION_CALENDAR,
  subscriptionPath,
  withQuery,
} from '../parts/paths.ts';
import { OF_MERCHANT, type Screen, screen, type Visit } from '../parts/screen.ts';
import { badge, BILLING_STATES as STATES, stateBadge, stateText } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { forecastOf } from './forecast.ts';
import type { WholeSubscription } from './subscription-screens.ts';

/** Each day is a row, for phones and screen readers. */
function monthPage({ month, sums }: MonthFound, visit: Visit): Html {
  const { wording, path } = visit;
  const { say, day } = wording;
  const byDay = Map.groupBy(sums, (one) => one.day);
  const form = filterForm(visit, [
    { name: 'day', label: say('A day of the month'), type: 'date', value: month.first },
  ]);
  const to = (first: Day, text: string) => link(withQuery(path, { day: first }), text);
  const turn = html`<p class="links">${to(addDays(month.first, -1), say('Month before'))} ${to(addDays(month.last, 1), say('Next month'))}</p>
<p class="lead">${say('{from} to {to}', { from: day(month.first), to: day(month.last) })}</p>`;
  if (sums.length === 0)
    return html`${form}${turn}${emptyState(
      say('No billing is due in this month.'),
      say(
        'A billing stands here from the day on which it is opened: when the one before it is over. Look at another month.',
      ),
    )}`;
  const rows = [
    ...[...byDay].map(([on, ofDay]) => ({ name: dayName(on, month, visit), sums: ofDay })),
    { name: html`<strong>${say('Of the month')}</strong>`, sums },
  ];
  const list = table(say('Due in the month'), rows, [
    { title: say('Due'), cell: ({ name }) => name },
    ...BILLING_STATES.map((state) => ({
      title: stateText(STATES, BILLING_STATE_WORDS[state], wording),
      isNumber: true,
      cell: (row: (typeof rows)[number]) => sumOf(row.sums, state, wording),
    })),
  ]);
  return html`${form}${turn}${list}`;
}

function dayName(one: Day, { today }: Month, { wording, merchantId }: Visit): Html {
  const { say, day, weekday } = wording;
  const path = withQuery(pathOf(BILLINGS, { merchantId }), {
    expirationDateRangeStartDate: one,
    expirationDateRangeEndDate: one,
  });
  const isToday = one === today && html` ${badge('plain', say('Today'))}`;
  return html`${link(path, `${weekday(one)} ${day(one)}`)}${isToday}`;
}

function sumOf(sums: readonly BillingSum[], state: BillingState, { count, money }: Wording): Shown {
  const some = sums.filter((one) => one.state === state);
  if (some.length === 0) return '–';
  const total = some.reduce((sum, one) => sum + one.count, 0);
  const amount = some.reduce((sum, one) => sum + one.amount, 0);
  return html`${money(amount)} <small>(${count(total)})</small>`;
}

function yearPage({ subscription, year, billings, ahead }: YearFound, visit: Visit): Html {
  const { wording, merchantId, path } = visit;
  const { say, day, reais } = wording;
  const to = (one: number) => link(withQuery(path, { year: one }), String(one));
  const back = link(
    subscriptionPath(merchantId, subscription.id),
    `${subscription.orderNumber} · ${subscription.plan.name}`,
  );
  const head = html`<p class="lead">${back} · ${String(year)}</p>
<p class="links">${to(year - 1)} ${to(year + 1)}</p>`;
  const known = billings.map(({ id, expireAt, installment, amount, status }) => ({
    on: expireAt,
    due: link(billingPath(merchantId, id), day(expireAt)),
    installment,
    amount,
    state: stateBadge(STATES, status, wording),
  }));
  const coming = ahead.map(({ installment, dueOn }) => ({
    on: `${dueOn}T`,
    due: day(dueOn),
    installment,
    amount: subscription.plan.amount,
    state: badge('plain', say('Forecast')),
  }));
  const rows = [...known, ...coming].toSorted((one, other) => (one.on < other.on ? -1 : 1));
  if (rows.length === 0)
    return html`${head}${emptyState(
      say('Nothing was due in this year, and nothing is to come in it.'),
      say('Look at another year. A subscription that is not active, or is over, has nothing ahead.'),
    )}`;
  return html`${head}${table(say('Due days'), rows, [
    { title: say('Due'), cell: ({ due }) => due },
    { title: say('Installment'), isNumber: true, cell: ({ installment }) => installment },
    { title: say('Amount'), isNumber: true, cell: ({ amount }) => reais(amount) },
    { title: say('Status'), cell: ({ state }) => state },
  ])}
<p class="note">${say('A forecast is by the terms of the enrolment, if nothing happens that changes the series.')}</p>`;
}

type MonthFound = { readonly month: Month; readonly sums: readonly BillingSum[] };

type ListedBilling = AnswerOf<typeof LIST_BILLINGS>['items'][number];
type YearFound = {
  readonly subscription: WholeSubscription;
  readonly year: number;
  readonly billings: readonly ListedBilling[];
  readonly ahead: ReturnType<typeof forecastOf>;
};

const YEARS_AHEAD = 10;

export function yearOf({ query, now }: Pick<Visit, 'query' | 'now'>): number {
  const today = Number(saoPauloDay(instant(now)).slice(0, 4));
  const year = /^\d{4}$/.test(query.year ?? '') ? Number(query.year) : today;
  return year < 2000 || year > today + YEARS_AHEAD ? today : year;
}

/** More billings than a year can have: one in twenty days at most, and skipped ones. */
const MOST_OF_YEAR = '100';

export const CALENDAR_SCREENS: readonly Screen<MerchantPageTools>[] = [
  screen<MerchantPageTools, MonthFound>({
    path: CALENDAR,
    ...OF_MERCHANT,
    title: 'Calendar',
    async read(visit, { sumBillingDays }) {
      const month = monthOf(visit);
      const sums = await sumBillingDays(visit.merchantId, { from: month.first, to: month.last });
      return { month, sums };
    },
    view: monthPage,
  }),
  screen<MerchantPageTools, YearFound>({
    path: SUBSCRIPTION_CALENDAR,
    ...OF_MERCHANT,
    title: 'Calendar of the subscription',
    async read(visit) {
      const { ask, parameters } = visit;
      const { subscriptionId = '' } = parameters;
      const asked = await ask(GET_SUBSCRIPTION, { parameters: { subscriptionId } });
      if (!asked.ok) return 'notFound';
      const year = yearOf(visit);
      const of = { subscriptionId: asked.body.id, orderBy: 'expireAt desc' };
      const newest = await ask(LIST_BILLINGS, { query: { ...of, limit: '1' } });
      const listed = await ask(LIST_BILLINGS, {
        query: {
          ...of,
          expirationDateRangeStartDate: `${year}-01-01`,
          expirationDateRangeEndDate: `${year}-12-31`,
          limit: MOST_OF_YEAR,
        },
      });
      const last = newest.ok ? newest.body.items[0] : undefined;
      return {
        subscription: asked.body,
        year,
        billings: listed.ok ? listed.body.items : [],
        ahead: last === undefined ? [] : forecastOf(asked.body, last, year),
      };
    },
    view: yearPage,
  }),
];
