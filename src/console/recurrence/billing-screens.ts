import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { CANCEL_BILLING, GET_BILLING, LIST_BILLINGS } from '../../recurrence/billings/contract.ts';
import { CHARGE_BILLING } from '../../recurrence/collection/endpoints.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import { listScreen } from '../filters/list-screens.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, actorText, facts, link, moment, section, table } from '../parts/page-parts.ts';
import { BILLING, BILLINGS, billingPath, paymentPath, subscriptionPath } from '../parts/paths.ts';
import {
  type Action,
  type Asked,
  type Form,
  type Moved,
  OF_MERCHANT,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';
import { BILLING_STATES, stateBadge, stateChoices } from '../parts/states.ts';
import { billingWhy, chargeText, type WholeBilling } from './billing-why.ts';
import { ENTRY_WORDS } from './recurrence-words.ts';

const MAY_ACT = { roles: ['finance', 'admin'], of: 'merchant' } as const satisfies Partial<Action>;

type ListedBilling = AnswerOf<typeof LIST_BILLINGS>['items'][number];

/**
 * The days around today that are listed without filters. Given days, an index finds and counts only the
 * billings due in them.
 */
const USUAL_DAYS = { before: 30, behind: 30 } as const;

function daysOf({ query, now }: Visit) {
  const today = saoPauloDay(instant(now));
  return {
    from: query.expirationDateRangeStartDate ?? addDays(today, -USUAL_DAYS.before),
    to: query.expirationDateRangeEndDate ?? addDays(today, USUAL_DAYS.behind),
  };
}

const LIST: Screen<MerchantPageTools> = listScreen<ListedBilling>({
  path: BILLINGS,
  ...OF_MERCHANT,
  title: 'Billings',
  list: 'billings',
  contract: LIST_BILLINGS,
  query(visit) {
    const { from, to } = daysOf(visit);
    return {
      expirationDateRangeStartDate: from,
      expirationDateRangeEndDate: to,
      status: visit.query.status,
      orderBy: 'expireAt desc',
    };
  },
  filters(visit) {
    const { say } = visit.wording;
    const { from, to } = daysOf(visit);
    return [
      { name: 'expirationDateRangeStartDate', label: say('Due from'), type: 'date', value: from },
      { name: 'expirationDateRangeEndDate', label: say('Due to'), type: 'date', value: to },
      { name: 'status', label: say('Status'), choices: stateChoices(BILLING_STATES, visit.wording) },
    ];
  },
  empty: [
    'No billing is due in these days.',
    'Choose other days or another status. A billing is opened with its subscription, and the next when it is over.',
  ],
  view: billingTable,
});

function billingTable(items: readonly ListedBilling[], { wording, merchantId }: Visit): Html {
  const { say, reais, day } = wording;
  return table(say('Billings'), items, [
    { title: say('Due'), cell: (one) => link(billingPath(merchantId, one.id), day(one.expireAt)) },
    { title: say('Amount'), isNumber: true, cell: (one) => reais(one.amount) },
    { title: say('Status'), cell: (one) => stateBadge(BILLING_STATES, one.status, wording) },
    { title: say('Installment'), isNumber: true, cell: (one) => one.installment },
    {
      title: say('Subscription'),
      cell: ({ subscription: { id, orderNumber, plan } }) =>
        link(subscriptionPath(merchantId, id), `${orderNumber} · ${plan.name}`),
    },
    {
      title: say('Customer'),
      cell: ({ subscription: { customer } }) => customer?.name ?? customer?.email ?? '–',
    },
  ]);
}

export const BILLING_SCREENS: readonly Screen<MerchantPageTools>[] = [
  LIST,
  screen<unknown, WholeBilling>({
    path: BILLING,
    ...OF_MERCHANT,
    title: 'Billing',
    refreshSeconds: 10,
    async read({ ask, parameters: { billingId = '' } }) {
      const asked = await ask(GET_BILLING, { parameters: { billingId } });
      return asked.ok ? asked.body : 'notFound';
    },
    view: billingPage,
  }),
];

function billingPage(billing: WholeBilling, visit: Visit): Html {
  const { wording, merchantId } = visit;
  const { say, reais, day } = wording;
  const { status, subscription, paymentId } = billing;
  return html`<p class="headline"><strong>${reais(billing.amount)}</strong> ${stateBadge(BILLING_STATES, status, wording)}</p>
<p>${billingWhy(billing, wording)}</p>
${facts([
  [say('Due'), day(billing.expireAt)],
  [say('Next charge'), billing.nextChargeOn === undefined ? '–' : day(billing.nextChargeOn)],
  [say('Installment'), billing.installment],
  [
    say('Subscription'),
    link(
      subscriptionPath(merchantId, subscription.id),
      `${subscription.orderNumber} · ${subscription.plan.name}`,
    ),
  ],
  [say('Payment'), paymentId === null ? '–' : link(paymentPath(merchantId, paymentId), paymentId)],
  [say('Billing id'), html`<code>${billing.id}</code>`],
])}
${cancelForm(billing, visit)}${chargeForm(billing, visit)}${visit.happenings?.toBilling(billing, visit)}
${section(say('What became of it'), timeline(billing, visit))}`;
}

function cancelForm({ id, status }: WholeBilling, visit: Visit, typed?: Form): Shown {
  if (status !== 'Opened') return '';
  return actionForm(visit, CANCEL, {
    typed,
    values: { billingId: id },
    about: visit.wording.say(
      'It is not charged any more, and uses up its installment; the subscription goes on.',
    ),
    isGrave: true,
  });
}

function chargeForm({ id, status, amount }: WholeBilling, visit: Visit, typed?: Form): Shown {
  const { say, reais } = visit.wording;
  if (status !== 'Denied' && status !== 'PaymentInvalid') return '';
  return actionForm(visit, CHARGE, {
    typed,
    values: { billingId: id },
    about: say('{amount} are charged once more, to the card that the subscription has now.', {
      amount: reais(amount),
    }),
    isGrave: true,
  });
}

function timeline(billing: WholeBilling, { wording }: Visit): Html {
  const { say } = wording;
  return html`<ol class="timeline">${billing.timeline.map((entry) => {
    const note =
      entry.type === 'Charged'
        ? chargeText(entry, wording)
        : entry.type === 'Canceled'
          ? entry.description
          : '';
    return html`<li>${moment(wording, entry.at)} <span>${say(ENTRY_WORDS[entry.type])}</span> <span>${actorText(entry.by, wording)}</span> ${note !== '' && html`<span>${note}</span>`}</li>\n`;
  })}</ol>`;
}

const next: Action['next'] = ({ merchantId, parameters: { billingId = '' } }) =>
  billingPath(merchantId, billingId);
const asks = ({ parameters: { billingId = '' } }: Visit) => ({ parameters: { billingId } });

async function charged({ ask, parameters: { billingId = '' } }: Visit): Promise<Asked<Moved | null>> {
  const asked = await ask(GET_BILLING, { parameters: { billingId } });
  if (!asked.ok) return asked;
  const { amount: reais, status, timeline } = asked.body;
  const amount = Math.round(reais * 100);
  const standing = `${status} ${amount} ${timeline.length}`;
  return { ok: true, status: 200, body: { amount, counted: amount, standing, fields: {} } };
}

/**
 * After a refusal: the form that was sent, and no other. Empty if the billing has meanwhile a state in which
 * it cannot be sent.
 */
const againBy =
  (form: typeof cancelForm): NonNullable<Action['again']> =>
  async (visit, typed) => {
    const asked = await visit.ask(GET_BILLING, asks(visit));
    return asked.ok && form(asked.body, visit, typed);
  };

const CHARGE: Action = {
  ...MAY_ACT,
  path: `${BILLING}/charge`,
  title: 'Charge it now',
  contract: CHARGE_BILLING,
  asks,
  moves: charged,
  again: againBy(chargeForm),
  done: 'The charge was made: what came of it stands below.',
  next,
};

const CANCEL: Action = {
  ...MAY_ACT,
  path: `${BILLING}/cancel`,
  title: 'Cancel the billing',
  contract: CANCEL_BILLING,
  asks,
  again: againBy(cancelForm),
  done: 'The billing is canceled.',
  next,
};

export const BILLING_ACTIONS: readonly Action[] = [CHARGE, CANCEL];
