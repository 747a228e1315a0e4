import { BILLING_STATES, type BillingState } from '../../recurrence/billings/billing.ts';
import type { BillingSum } from '../../recurrence/billings/billing-days.sql.ts';
import { BILLING_STATE_WORDS } from '../../recurrence/billings/contract.ts';
import { addDays, type Day } from '../../values/instant.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { emptyState, filterForm, link, table } from '../parts/page-parts.ts';
import { BILLINGS, billingPath, pathOf, subscriptionPath, withQuery } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { badge, BILLING_STATES as STATES, stateBadge, stateText } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import type { Month, MonthFound, YearFound } from './calendar-screens.ts';

/** Each day is a row, so that it can be read on a phone, and aloud. */
export function monthPage({ month, sums }: MonthFound, visit: Visit): Html {
  const { wording, path } = visit;
  const { say, day } = wording;
  const byDay = Map.groupBy(sums, (one) => one.day);
  const form = filterForm(visit, [
    { name: 'day', label: say('A day of the month'), type: 'date', value: month.first },
  ]);
  const to = (first: Day, text: string) => link(withQuery(path, { day: first }), text);
  const turn = html`<p class="links">${to(addDays(month.first, -1), say('Month before'))} ${to(addDays(month.last, 1), say('Month behind'))}</p>
<p class="lead">${say('{from} to {to}', { from: day(month.first), to: day(month.last) })}</p>`;
  if (sums.length === 0)
    return html`${form}${turn}${emptyState(
      say('No billing is due in this month.'),
      say(
        'A billing stands here from the day on which it is opened: when the one before it is over. Look at another month.',
      ),
    )}`;
  const rows = [...byDay].map(([one, ofDay]) => dayRow(one, ofDay, month, visit));
  const whole = BILLING_STATES.map((state) => sumOf(sums, state, wording));
  const list = table(
    say('Due in the month'),
    [
      { title: say('Due') },
      ...BILLING_STATES.map((state) => ({
        title: stateText(STATES, BILLING_STATE_WORDS[state], wording),
        isNumber: true,
      })),
    ],
    [...rows, [html`<strong>${say('Of the month')}</strong>`, ...whole]],
  );
  return html`${form}${turn}${list}`;
}

function dayRow(
  one: Day,
  sums: readonly BillingSum[],
  { today }: Month,
  { wording, merchantId }: Visit,
): Shown[] {
  const { say, day, weekday } = wording;
  const path = withQuery(pathOf(BILLINGS, { merchantId }), {
    expirationDateRangeStartDate: one,
    expirationDateRangeEndDate: one,
  });
  const isToday = one === today && html` ${badge('plain', say('Today'))}`;
  return [
    html`${link(path, `${weekday(one)} ${day(one)}`)}${isToday}`,
    ...BILLING_STATES.map((state) => sumOf(sums, state, wording)),
  ];
}

function sumOf(sums: readonly BillingSum[], state: BillingState, { count, money }: Wording): Shown {
  const some = sums.filter((one) => one.state === state);
  if (some.length === 0) return '–';
  const total = some.reduce((sum, one) => sum + one.count, 0);
  const amount = some.reduce((sum, one) => sum + one.amount, 0);
  return html`${money(amount)} <small>(${count(total)})</small>`;
}

/** A subscription's due days of a year: what became of them, and what is to come. */
export function yearPage({ subscription, year, billings, ahead }: YearFound, visit: Visit): Html {
  const { wording, merchantId, path } = visit;
  const { say, day, reais } = wording;
  const to = (one: number) => link(withQuery(path, { year: one }), String(one));
  const back = link(
    subscriptionPath(merchantId, subscription.id),
    `${subscription.orderNumber} · ${subscription.plan.name}`,
  );
  const head = html`<p class="lead">${back} · ${String(year)}</p>
<p class="links">${to(year - 1)} ${to(year + 1)}</p>`;
  const known = billings.map((one) => {
    const shown = link(billingPath(merchantId, one.id), day(one.expireAt));
    return {
      on: one.expireAt,
      row: [shown, one.installment, reais(one.amount), stateBadge(STATES, one.status, wording)],
    };
  });
  const coming = ahead.map(({ installment, dueOn }) => ({
    on: `${dueOn}T`,
    row: [day(dueOn), installment, reais(subscription.plan.amount), badge('plain', say('Forecast'))],
  }));
  const rows = [...known, ...coming].toSorted((one, other) => (one.on < other.on ? -1 : 1));
  if (rows.length === 0)
    return html`${head}${emptyState(
      say('Nothing was due in this year, and nothing is to come in it.'),
      say('Look at another year. A subscription that is not active, or is over, has nothing ahead.'),
    )}`;
  return html`${head}${table(
    say('Due days'),
    [
      { title: say('Due') },
      { title: say('Installment'), isNumber: true },
      { title: say('Amount'), isNumber: true },
      { title: say('Status') },
    ],
    rows.map(({ row }) => row),
  )}
<p class="note">${say('A forecast is by the terms of the enrolment, if nothing happens that changes the series.')}</p>`;
}
