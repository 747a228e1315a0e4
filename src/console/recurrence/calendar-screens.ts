import type { AnswerOf } from '../../platform/http/endpoint.ts';
import type { BillingSum } from '../../recurrence/billings/billing-days.sql.ts';
import { LIST_BILLINGS } from '../../recurrence/billings/contract.ts';
import { GET_SUBSCRIPTION } from '../../recurrence/subscriptions/contract.ts';
import { addDays, type Day, instant, isDay, saoPauloDay } from '../../values/instant.ts';
import { CALENDAR, SUBSCRIPTION_CALENDAR } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import { monthPage, yearPage } from './calendar-view.ts';
import { forecastOf } from './forecast.ts';
import type { WholeSubscription } from './subscription-screens.ts';

export type CalendarTools = {
  readonly sumBillingDays: (
    merchantId: string,
    period: { readonly from: Day; readonly to: Day },
  ) => Promise<readonly BillingSum[]>;
};

export type Month = {
  /** Its first day, and its last. */
  readonly first: Day;
  readonly last: Day;
  readonly today: Day;
};
export type MonthFound = { readonly month: Month; readonly sums: readonly BillingSum[] };

type ListedBilling = AnswerOf<typeof LIST_BILLINGS>['items'][number];
export type YearFound = {
  readonly subscription: WholeSubscription;
  readonly year: number;
  readonly billings: readonly ListedBilling[];
  readonly ahead: ReturnType<typeof forecastOf>;
};

/** The month of a day, today's where none is named or it is none. */
export function monthOf({ query, now }: Pick<Visit, 'query' | 'now'>): Month {
  const today = saoPauloDay(instant(now));
  const wanted = query.day !== undefined && isReadable(query.day) ? query.day : today;
  const first = `${wanted.slice(0, 8)}01` as Day;
  const last = addDays(`${addDays(first, 31).slice(0, 8)}01` as Day, -1);
  return { first, last, today };
}

/** Months before and behind it are of the calendar too. */
function isReadable(text: string): text is Day {
  return isDay(text) && text > '1900' && text < '9000';
}

const YEARS_AHEAD = 10;

/** The year of a page, this one where none is named or it is too far. */
export function yearOf({ query, now }: Pick<Visit, 'query' | 'now'>): number {
  const today = Number(saoPauloDay(instant(now)).slice(0, 4));
  const year = /^\d{4}$/.test(query.year ?? '') ? Number(query.year) : today;
  return year < 2000 || year > today + YEARS_AHEAD ? today : year;
}

/** A billing every twenty days at most, and those that were skipped. */
const MOST_OF_YEAR = '100';

export const CALENDAR_SCREENS: readonly Screen<CalendarTools>[] = [
  screen<CalendarTools, MonthFound>({
    path: CALENDAR,
    roles: ALL_ROLES,
    of: 'merchant',
    title: 'Calendar',
    place: 24,
    async read(visit, { sumBillingDays }) {
      const month = monthOf(visit);
      const sums = await sumBillingDays(visit.merchantId, { from: month.first, to: month.last });
      return { month, sums };
    },
    view: monthPage,
  }),
  screen<CalendarTools, YearFound>({
    path: SUBSCRIPTION_CALENDAR,
    roles: ALL_ROLES,
    of: 'merchant',
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
