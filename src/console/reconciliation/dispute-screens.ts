import type { Dispute } from '../../transactions/changes/chargebacks.sql.ts';
import { daysBetween } from '../../values/business-day.ts';
import { addDays, type Day, instant, saoPauloDay } from '../../values/instant.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  cardText,
  emptyState,
  errorsOf,
  type Field,
  filterForm,
  keptNote,
  link,
  table,
} from '../parts/page-parts.ts';
import { DISPUTES, paymentPath } from '../parts/paths.ts';
import { OF_MERCHANT, type Screen, screen, type Visit } from '../parts/screen.ts';
import { badge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { isPeriod, MOST_DISPUTES_SHOWN } from './dispute.ts';

type Found = { readonly disputes: readonly Dispute[] | null; readonly days: number | null };

const USUAL_DAYS = 120;

function periodOf({ query, now }: Visit): { readonly from: string; readonly to: string } {
  const today = saoPauloDay(instant(now));
  return { from: query.from ?? addDays(today, 1 - USUAL_DAYS), to: query.to ?? today };
}

function disputePage({ disputes, days }: Found, visit: Visit): Html {
  const { wording, realNow } = visit;
  const { say, count } = wording;
  const { from, to } = periodOf(visit);
  const fields: Field[] = [
    { name: 'from', label: say('From'), type: 'date', value: from },
    { name: 'to', label: say('To'), type: 'date', value: to },
  ];
  const form = filterForm(visit, fields);
  if (disputes === null)
    return html`${form}${errorsOf([{ tag: 'to', description: say('Choose days of one year at most.') }], fields)}`;
  if (disputes.length === 0)
    return html`${form}${emptyState(
      say('No chargeback in these days.'),
      say('What a holder takes back stands here as soon as the acquirer tells of it.'),
    )}`;
  const shown = disputes.slice(0, MOST_DISPUTES_SHOWN);
  return html`${form}${keptNote(realNow, wording)}${disputeTable(shown, days, visit)}
<p class="note">${
    days === null
      ? say('How many days there are to answer is in the contract with the acquirer.')
      : say('{count} days to answer, from the day of the chargeback, at the acquirer.', {
          count: count(days),
        })
  }</p>
${disputes.length > shown.length && html`<p class="note">${say('There are more: choose fewer days.')}</p>`}`;
}

function disputeTable(disputes: readonly Dispute[], days: number | null, visit: Visit): Html {
  const { wording, merchantId } = visit;
  const { say, day } = wording;
  const today = saoPauloDay(instant(visit.now));
  return table(say('Disputes'), disputes, [
    { title: say('Taken back on'), cell: (one) => day(saoPauloDay(one.happenedAt)) },
    {
      title: say('Payment'),
      cell: (one) =>
        one.transactionId === null
          ? one.reference
          : link(paymentPath(merchantId, one.transactionId), one.referenceTransaction ?? one.transactionId),
    },
    { title: say('Card'), cell: ({ card }) => (card === null ? '–' : cardText(card)) },
    { title: say('Installment'), isNumber: true, cell: (one) => one.installmentNumber },
    { title: say('Amount taken back'), isNumber: true, cell: (one) => takenText(one, wording) },
    {
      title: say('State'),
      cell: ({ state }) =>
        state === 'applied'
          ? badge('bad', say('Taken off'))
          : badge('wait', say('Waits for a refund that is under way')),
    },
    ...(days === null
      ? []
      : [
          {
            title: say('To answer'),
            cell: (one: Dispute) => leftText(saoPauloDay(one.happenedAt), days, today, wording),
          },
        ]),
  ]);
}

function takenText({ amount, ofInstallment }: Dispute, { say, money }: Wording): string {
  if (amount !== null) return money(amount);
  return ofInstallment === null ? '–' : say('What was left of {amount}', { amount: money(ofInstallment) });
}

/** An answer is urgent from so many days before its last day. */
const SOON = 3;

function leftText(on: Day, days: number, today: Day, { say, day, count }: Wording): Shown {
  const until = addDays(on, days);
  const left = daysBetween(today, until);
  if (left < 0) return say('Over since {day}', { day: day(until) });
  const text =
    left === 0
      ? say('Today is the last day')
      : say('{count} days, until {day}', { count: count(left), day: day(until) });
  return badge(left <= SOON ? 'bad' : 'wait', text);
}

export const DISPUTE_SCREENS: readonly Screen<MerchantPageTools>[] = [
  screen<MerchantPageTools, Found>({
    path: DISPUTES,
    ...OF_MERCHANT,
    title: 'Disputes',
    async read(visit, { listDisputes, disputeDays }) {
      const { from, to } = periodOf(visit);
      if (!isPeriod({ from, to })) return { disputes: null, days: disputeDays };
      const period = { from: from as Day, to: to as Day };
      return { disputes: await listDisputes(visit.merchantId, period), days: disputeDays };
    },
    view: disputePage,
  }),
];
