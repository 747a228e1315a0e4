import { LIST_PAYMENTS } from '../../payments/status/list-contract.ts';
import type { AnswerOf, WireError } from '../../platform/http/endpoint.ts';
import { instant, saoPauloDay, saoPauloOffsetText } from '../../values/instant.ts';
import { LIST_DELIVERIES } from '../../webhooks/history/contract.ts';
import { type Html, html } from '../parts/html.ts';
import { accountField, accountOf } from '../parts/list-screens.ts';
import { emptyState, errorsOf, filterForm, section } from '../parts/page-parts.ts';
import { ALL_ROLES, OF_MERCHANT, type Screen, screen, type Visit } from '../parts/screen.ts';
import { type Bar, barChart } from './bars.ts';

type Payment = AnswerOf<typeof LIST_PAYMENTS>['items'][number];
type Found = {
  readonly errors: readonly WireError[];
  readonly payments: readonly Payment[];
  readonly total: number;
  /** Null: the account or its period cannot be read. */
  readonly deliveries: Readonly<Record<DeliveryState, number>> | null;
};

const STATES = ['Delivered', 'Waiting', 'GivenUp'] as const;
type DeliveryState = (typeof STATES)[number];

/** The newest of the day: so much is read, and said. */
const PAGES = 3;
const OF_PAGE = 100;
const MOST_CODES = 12;

const dayOf = ({ query, now }: Visit): string => query.day ?? saoPauloDay(instant(now));

export const CHART_SCREENS: readonly Screen<unknown>[] = [
  screen<unknown, Found>({
    path: `${OF_MERCHANT}/charts`,
    roles: ALL_ROLES,
    of: 'merchant',
    title: 'Charts',
    place: 80,
    async read(visit) {
      const payments: Payment[] = [];
      let total = 0;
      for (let page = 1; page <= PAGES && (page - 1) * OF_PAGE <= total; page += 1) {
        const day = dayOf(visit);
        const asked = await visit.ask(LIST_PAYMENTS, {
          query: {
            dateRangeStartDate: day,
            dateRangeEndDate: day,
            limit: String(OF_PAGE),
            page: String(page),
          },
        });
        if (!asked.ok) return { errors: asked.errors, payments, total, deliveries: null };
        payments.push(...asked.body.items);
        total = asked.body.total;
      }
      return { errors: [], payments, total, deliveries: await countDeliveries(visit) };
    },
    view: chartPage,
  }),
];

async function countDeliveries(visit: Visit): Promise<Found['deliveries']> {
  const day = dayOf(visit);
  const counts = { Delivered: 0, Waiting: 0, GivenUp: 0 };
  for (const status of STATES) {
    const query = { accountNumber: accountOf(visit), from: day, to: day, status, limit: '1' };
    const asked = await visit.ask(LIST_DELIVERIES, { query });
    if (!asked.ok) return null;
    counts[status] = asked.body.total;
  }
  return counts;
}

function chartPage({ errors, payments, total, deliveries }: Found, visit: Visit): Html {
  const { say, count } = visit.wording;
  const form = filterForm(visit, [
    { name: 'day', label: say('Day'), type: 'date', value: dayOf(visit) },
    accountField(visit),
  ]);
  if (errors.length > 0) return html`${form}${errorsOf(errors)}`;
  if (payments.length === 0)
    return html`${form}${emptyState(
      say('No payment on this day.'),
      say('Choose another day. A payment appears here as soon as it is asked for.'),
    )}${deliveryChart(deliveries, visit)}`;
  const note =
    payments.length < total &&
    html`<p class="note">${say('Of the newest {count} of {total} payments of the day.', { count: count(payments.length), total: count(total) })}</p>`;
  return html`${form}${note}
${approvals(say('Approvals by brand'), say('Brand'), payments, ({ card }) => card.brand, visit)}
${approvals(say('Approvals by hour'), say('Hour'), payments, hourOf, visit)}
${declines(payments, visit)}
${deliveryChart(deliveries, visit)}`;
}

const hourOf = ({ transactionDate }: Payment): string =>
  `${saoPauloOffsetText(instant(Date.parse(transactionDate))).slice(11, 13)}h`;

const isDeclined = ({ statusDescription }: Payment) => statusDescription === 'Negada';
const isUndecided = ({ statusDescription }: Payment) => statusDescription === 'Processando';

function approvals(
  title: string,
  of: string,
  payments: readonly Payment[],
  nameOf: (payment: Payment) => string,
  { wording }: Visit,
): Html {
  const groups = Map.groupBy(
    payments.filter((payment) => !isUndecided(payment)),
    nameOf,
  );
  const bars: Bar[] = [...groups].map(([name, some]) => {
    const bad = some.filter(isDeclined).length;
    return { name, good: some.length - bad, bad };
  });
  const { say } = wording;
  const names = { of, good: say('Approved'), bad: say('Declined') };
  const sorted = bars.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return section(title, barChart(title, names, sorted, wording));
}

/** What another try may succeed with is set apart from what it would only cost fees. */
function declines(payments: readonly Payment[], { wording }: Visit): Html {
  const { say } = wording;
  const title = say('Declines by code');
  const groups = Map.groupBy(
    payments.filter(isDeclined),
    ({ returnCode, description }) => `${returnCode ?? '–'} ${description ?? ''}`,
  );
  if (groups.size === 0)
    return section(
      title,
      emptyState(say('Nothing was declined.'), say('Declines stand here by their code.')),
    );
  const bars: Bar[] = [...groups].map(([name, some]) => {
    const good = some.filter(({ retryable }) => retryable === true).length;
    return { name, good, bad: some.length - good };
  });
  const sorted = bars.toSorted((one, other) => other.good + other.bad - one.good - one.bad);
  const names = {
    of: say('Code'),
    good: say('Another try may succeed'),
    bad: say('Another try is of no use'),
  };
  return section(title, barChart(title, names, sorted.slice(0, MOST_CODES), wording));
}

function deliveryChart(deliveries: Found['deliveries'], { wording }: Visit): Html {
  const { say } = wording;
  if (deliveries === null) return html``;
  const title = say('Deliveries of the day');
  const { Delivered, Waiting, GivenUp } = deliveries;
  const bars: Bar[] = [
    { name: say('Delivered'), good: Delivered, bad: 0 },
    { name: say('Waiting'), good: 0, bad: Waiting },
    { name: say('Given up'), good: 0, bad: GivenUp },
  ];
  const names = { of: say('Status'), good: say('Delivered'), bad: say('Not delivered') };
  return section(title, barChart(title, names, bars, wording));
}
