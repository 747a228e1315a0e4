import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { GET_BILLING, LIST_BILLINGS } from '../../recurrence/billings/contract.ts';
import { GET_PAGE } from '../../recurrence/subscriber-pages/contract.ts';
import {
  CHANGE_SUBSCRIPTION_STATUS,
  GET_SUBSCRIPTION,
  LIST_SUBSCRIPTIONS,
} from '../../recurrence/subscriptions/contract.ts';
import { buyerOf } from '../../transactions/customers/buyer.ts';
import { listScreen } from '../filters/list-screens.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { buyerFacts, buyerLink } from '../parts/buyer-parts.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  actionForm,
  actorText,
  emptyState,
  facts,
  link,
  moment,
  pager,
  section,
  table,
} from '../parts/page-parts.ts';
import {
  billingPath,
  pathOf,
  planPath,
  SUBSCRIPTION,
  SUBSCRIPTION_CALENDAR,
  SUBSCRIPTIONS,
  subscriptionPath,
} from '../parts/paths.ts';
import { type Action, mayUse, OF_MERCHANT, type Screen, screen, type Visit } from '../parts/screen.ts';
import { BILLING_STATES, SUBSCRIPTION_STATES, stateBadge, stateChoices } from '../parts/states.ts';
import { billingWhy, type WholeBilling } from './billing-why.ts';
import type { ListedSubscription } from './condition.ts';
import { CONDITION_STATES, conditionOf, openNow } from './condition.ts';
import { forecasts } from './forecast.ts';
import { ENTRY_WORDS, type ShownStoredCard, shownCardText } from './recurrence-words.ts';
import { CLOSE_PAGE, OPEN_PAGE, pagePart } from './subscriber-page-actions.ts';

/** How many due days after the last billing are shown. */
const DAYS_AHEAD = 6;

export function subscriptionTable(items: readonly ListedSubscription[], visit: Visit): Html {
  const { wording, merchantId } = visit;
  const { say, reais, day } = wording;
  return table(say('Subscriptions'), items, [
    {
      title: say('Order number'),
      cell: (one) => link(subscriptionPath(merchantId, one.id), one.orderNumber),
    },
    { title: say('Customer'), cell: (one) => buyerLink(buyerOf(one.customer), one.id, visit) },
    { title: say('Plan'), cell: (one) => one.plan.name },
    { title: say('Amount'), isNumber: true, cell: (one) => reais(one.plan.amount) },
    {
      title: say('Status'),
      cell: (one) =>
        one.condition === undefined
          ? stateBadge(SUBSCRIPTION_STATES, one.status, wording)
          : stateBadge(CONDITION_STATES, one.condition, wording),
    },
    {
      title: say('Next charge'),
      cell: (one) => (one.nextChargeOn === undefined ? '–' : day(one.nextChargeOn)),
    },
  ]);
}

async function withCondition(
  items: readonly ListedSubscription[],
  { merchantId }: Visit,
  { listOpenBillings }: MerchantPageTools,
): Promise<readonly ListedSubscription[]> {
  const active = items.filter(({ status }) => status === 'Active');
  if (active.length === 0) return items;
  const ids = active.map(({ id }) => id);
  const open = new Map((await listOpenBillings(merchantId, ids)).map((one) => [one.subscriptionId, one]));
  return items.map((one) => {
    if (one.status !== 'Active') return one;
    const billing = open.get(one.id) ?? null;
    const condition = conditionOf(one, billing && openNow(billing));
    return { ...one, condition, ...(billing !== null && { nextChargeOn: billing.chargeOn }) };
  });
}

function subscriptionPage(found: SubscriptionFound, visit: Visit): Html {
  const { subscription } = found;
  const { say } = visit.wording;
  // A blocked subscription shows this part first: on that page the subscriber gives another card.
  const isBlocked = subscription.status === 'Blocked';
  const title = isBlocked ? say('Another card, given by the subscriber') : say('Page of the subscriber');
  const page = mayUse(OPEN_PAGE, visit.user) && section(title, pagePart(found.page, visit));
  return html`${summary(found, visit)}
${isBlocked && page}${statusForm(subscription, visit)}${newestBilling(found, visit)}
${section(say('Billings'), billings(found, visit))}
${section(say('Next due days'), calendar(found, visit))}
${!isBlocked && page}
<p>${link(pathOf(SUBSCRIPTION_CALENDAR, { merchantId: visit.merchantId, subscriptionId: subscription.id }), say('Calendar of the year'))}</p>
${section(say('What became of it'), timeline(subscription, visit))}`;
}

function newestBilling({ newest, billings: { items } }: SubscriptionFound, visit: Visit): Shown {
  const [billing] = items;
  return newest !== null && billing !== undefined && visit.happenings?.toBilling(billing, visit);
}

/** The state of a subscription. Of an active one, the newest billing says more. */
function conditionBadge({ subscription, newest }: SubscriptionFound, wording: Visit['wording']): Html {
  if (subscription.status !== 'Active' || newest?.status !== 'Opened')
    return stateBadge(SUBSCRIPTION_STATES, subscription.status, wording);
  const ended = newest.timeline.filter((entry) => entry.type === 'Charged' && entry.outcome !== null);
  const condition = conditionOf(subscription, { ...newest, chargesEnded: ended.length });
  return stateBadge(CONDITION_STATES, condition, wording);
}

function summary(found: SubscriptionFound, visit: Visit): Html {
  const { subscription, card } = found;
  const { wording, merchantId } = visit;
  const { say, reais, count } = wording;
  const { plan, customer, timeline: entries } = subscription;
  const why = entries.findLast((entry) => entry.description !== undefined)?.description;
  const isOver = subscription.status !== 'Active';
  return html`<p class="headline"><strong>${reais(plan.amount)}</strong> ${conditionBadge(found, wording)}</p>
${isOver && why !== undefined && html`<p>${why}</p>`}
${facts([
  [say('Order number'), subscription.orderNumber],
  [say('Plan'), link(planPath(merchantId, plan.id), plan.name)],
  [say('Every'), say('{days} days', { days: count(plan.interval) })],
  ...buyerFacts(say('Customer'), buyerOf(customer), subscription.id, visit),
  [
    say('Paid by'),
    subscription.vaultId === undefined
      ? say('Pix Automático')
      : card === null
        ? html`${say('Stored card')} <code>${subscription.vaultId}</code>`
        : shownCardText(card),
  ],
  [say('Subscription id'), html`<code>${subscription.id}</code>`],
])}`;
}

function statusForm({ id, status }: WholeSubscription, visit: Visit): Shown {
  const { say } = visit.wording;
  const values = { subscriptionId: id };
  if (status === 'Active')
    return actionForm(visit, CANCEL, {
      values,
      about: say('Its open billing is canceled too. What is paid stays paid.'),
      isGrave: true,
    });
  return actionForm(visit, ACTIVATE, {
    values,
    about: say('It goes on with the next due day that is not past; skipped days are never charged.'),
  });
}

function billings({ billings: page }: SubscriptionFound, visit: Visit): Html {
  const { wording, merchantId } = visit;
  const { say, reais, day } = wording;
  if (page.items.length === 0)
    return emptyState(
      say('There is no billing yet.'),
      say('The first one is opened when the subscription begins.'),
    );
  const list = table(say('Billings'), page.items, [
    {
      title: say('Installment'),
      isNumber: true,
      cell: (one) => link(billingPath(merchantId, one.id), one.installment),
    },
    { title: say('Due'), cell: (one) => day(one.expireAt) },
    { title: say('Amount'), isNumber: true, cell: (one) => reais(one.amount) },
    { title: say('Status'), cell: (one) => stateBadge(BILLING_STATES, one.status, wording) },
    { title: say('Why'), cell: (one) => html`<span class="why">${billingWhy(one, wording)}</span>` },
  ]);
  return html`${list}${pager(visit, page)}`;
}

/** The next due days, if nothing changes the series. */
function calendar({ subscription, newest }: SubscriptionFound, { wording }: Visit): Html {
  const { say, reais, day } = wording;
  const { plan } = subscription;
  const days = newest === null ? [] : [...forecasts(subscription, newest).take(DAYS_AHEAD)];
  if (days.length === 0)
    return emptyState(
      say('No due day follows.'),
      say('A subscription that is not active, or whose installments are over, has none.'),
    );
  return table(say('Next due days'), days, [
    { title: say('Installment'), isNumber: true, cell: ({ installment }) => installment },
    { title: say('Due'), cell: ({ dueOn }) => day(dueOn) },
    { title: say('Amount'), isNumber: true, cell: () => reais(plan.amount) },
  ]);
}

function timeline({ timeline: entries }: WholeSubscription, { wording }: Visit): Html {
  const { say } = wording;
  return html`<ol class="timeline">${entries.map(
    ({ at, type, by, description }) =>
      html`<li>${moment(wording, at)} <span>${say(ENTRY_WORDS[type])}</span> <span>${actorText(by, wording)}</span> ${description !== '' && html`<span>${description}</span>`}</li>\n`,
  )}</ol>`;
}

export type WholeSubscription = AnswerOf<typeof GET_SUBSCRIPTION>;
type ListedBillings = AnswerOf<typeof LIST_BILLINGS>;

type SubscriptionFound = {
  readonly subscription: WholeSubscription;
  readonly billings: Omit<ListedBillings, 'items'> & { readonly items: readonly WholeBilling[] };
  readonly newest: WholeBilling | null;
  readonly page: AnswerOf<typeof GET_PAGE> | null;
  /** Null: the card was removed, or Pix Automático pays. */
  readonly card: ShownStoredCard | null;
};

const BILLINGS_OF_PAGE = 10;

const LIST: Screen<MerchantPageTools> = listScreen<ListedSubscription>({
  path: SUBSCRIPTIONS,
  ...OF_MERCHANT,
  title: 'Subscriptions',
  list: 'subscriptions',
  contract: LIST_SUBSCRIPTIONS,
  query: ({ query: { orderNumber, planName, status } }) => ({ orderNumber, planName, status }),
  // A document or an e-mail must not be in the address. The search box finds by them.
  filters({ wording }) {
    const { say } = wording;
    return [
      { name: 'orderNumber', label: say('Order number'), mostCharacters: 10 },
      { name: 'planName', label: say('Plan'), mostCharacters: 255 },
      { name: 'status', label: say('Status'), choices: stateChoices(SUBSCRIPTION_STATES, wording) },
    ];
  },
  empty: [
    'No subscription fits.',
    'Use fewer filters. A subscription appears here as soon as a customer is subscribed, on the page of a plan or by the API.',
  ],
  fill: withCondition,
  view: subscriptionTable,
});

const ONE: Screen<MerchantPageTools> = screen<MerchantPageTools, SubscriptionFound>({
  path: SUBSCRIPTION,
  ...OF_MERCHANT,
  title: 'Subscription',
  async read({ ask, user, merchantId, parameters: { subscriptionId = '' }, query }, { findStoredCard }) {
    const asked = await ask(GET_SUBSCRIPTION, { parameters: { subscriptionId } });
    if (!asked.ok) return 'notFound';
    const listed = await ask(LIST_BILLINGS, {
      query: {
        subscriptionId: asked.body.id,
        orderBy: 'expireAt desc',
        limit: String(BILLINGS_OF_PAGE),
        page: query.page ?? '1',
      },
    });
    const page = listed.ok ? listed.body : { items: [], page: 1, limit: BILLINGS_OF_PAGE, total: 0 };
    const items: WholeBilling[] = [];
    for (const one of page.items) {
      const whole = await ask(GET_BILLING, { parameters: { billingId: one.id } });
      items.push(whole.ok ? whole.body : { ...one, timeline: [] });
    }
    const newest = page.page === 1 ? (items[0] ?? null) : null;
    const opened = mayUse(OPEN_PAGE, user)
      ? await ask(GET_PAGE, { parameters: { subscriptionId: asked.body.id } })
      : null;
    const { vaultId } = asked.body;
    const card = vaultId === undefined ? null : await findStoredCard(merchantId, vaultId);
    return {
      subscription: asked.body,
      card,
      billings: { ...page, items },
      newest,
      page: opened?.ok ? opened.body : null,
    };
  },
  view: subscriptionPage,
});

export const SUBSCRIPTION_SCREENS: readonly Screen<MerchantPageTools>[] = [LIST, ONE];

const OF_SUBSCRIPTION = {
  roles: ['support', 'finance', 'admin'],
  of: 'merchant',
  contract: CHANGE_SUBSCRIPTION_STATUS,
} as const satisfies Partial<Action>;

const next: Action['next'] = ({ merchantId, parameters: { subscriptionId = '' } }) =>
  subscriptionPath(merchantId, subscriptionId);

const CANCEL: Action = {
  ...OF_SUBSCRIPTION,
  path: `${SUBSCRIPTION}/cancel`,
  title: 'Cancel the subscription',
  asks: ({ parameters: { subscriptionId = '' } }) => ({
    parameters: { subscriptionId },
    body: { status: 'Canceled' },
  }),
  done: 'The subscription is canceled.',
  next,
};

const ACTIVATE: Action = {
  ...OF_SUBSCRIPTION,
  path: `${SUBSCRIPTION}/activate`,
  title: 'Activate it again',
  asks: ({ parameters: { subscriptionId = '' } }) => ({
    parameters: { subscriptionId },
    body: { status: 'Active' },
  }),
  done: 'The subscription is active.',
  next,
};

export const SUBSCRIPTION_ACTIONS: readonly Action[] = [CANCEL, ACTIVATE, OPEN_PAGE, CLOSE_PAGE];
