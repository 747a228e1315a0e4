import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import {
  addDays,
  instant,
  isDay,
  reachedFrom,
  saoPauloDay,
  saoPauloOffsetText,
  startOfSaoPauloDay,
} from '../../values/instant.ts';
import {
  GET_DELIVERY,
  LIST_DELIVERIES,
  RESEND_DELIVERIES,
  RESEND_DELIVERY,
} from '../../webhooks/history/contract.ts';
import { parsePlace, periodOfDays } from '../../webhooks/history/recorded-delivery.ts';
import { listScreen } from '../filters/list-screens.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { Html, html, type Shown } from '../parts/html.ts';
import {
  accountField,
  accountOf,
  actionForm,
  emptyState,
  facts,
  link,
  moment,
  realMoment,
  section,
  table,
} from '../parts/page-parts.ts';
import { DELIVERIES, DELIVERY, deliveryPath, pathOf, paymentPath, withQuery } from '../parts/paths.ts';
import {
  type Action,
  type Form,
  mayUse,
  OF_MERCHANT,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';
import { DELIVERY_STATES, stateBadge, stateChoices } from '../parts/states.ts';
import { failureText, KIND_WORDS } from './delivery-words.ts';

type Listed = AnswerOf<typeof LIST_DELIVERIES>['items'][number];
type Delivery = AnswerOf<typeof GET_DELIVERY>;

const USUAL_DAYS = 7;

/** Deliveries are dated by real time, even if the merchant's clock was moved. */
function daysOf({ query, realNow }: Visit): { readonly from: string; readonly to: string } {
  const today = saoPauloDay(instant(realNow));
  return { from: query.from ?? addDays(today, 1 - USUAL_DAYS), to: query.to ?? today };
}

const LISTED = listScreen<Listed>({
  path: DELIVERIES,
  ...OF_MERCHANT,
  title: 'Deliveries',
  list: 'deliveries',
  contract: LIST_DELIVERIES,
  query: (visit) => ({
    accountNumber: accountOf(visit),
    ...daysOf(visit),
    status: visit.query.status,
    nsu: visit.query.nsu,
  }),
  filters(visit) {
    const { say } = visit.wording;
    const { from, to } = daysOf(visit);
    return [
      accountField(visit),
      { name: 'from', label: say('From'), type: 'date', value: from },
      { name: 'to', label: say('To'), type: 'date', value: to },
      { name: 'status', label: say('Status'), choices: stateChoices(DELIVERY_STATES, visit.wording) },
      { name: 'nsu', label: 'NSU', mostCharacters: 50 },
    ];
  },
  empty: [
    'Nothing was sent in these days.',
    'Choose other days, or register an address on the page Notifications: what happens to payments is sent there.',
  ],
  view: deliveryTable,
});

/** The list of deliveries that were given up has a form above it, which sends all of them again. */
const LIST: Screen<MerchantPageTools> = {
  ...LISTED,
  async show(visit, tools) {
    const shown = await LISTED.show(visit, tools);
    if (!(shown instanceof Html) || visit.query.status !== 'GivenUp') return shown;
    return html`${await resendAllForm(visit, tools)}${shown}`;
  },
};

async function resendAllForm(visit: Visit, { countLost }: MerchantPageTools, typed?: Form): Promise<Shown> {
  const { wording, merchantId, query, realNow } = visit;
  const { say, count, day } = wording;
  if (query.nsu !== undefined || !mayUse(RESEND_ALL, visit.user)) return '';
  const { from, to } = daysOf(visit);
  const period = isDay(from) && isDay(to) && periodOfDays({ from, to }, instant(realNow), false);
  if (typeof period !== 'object') return '';
  const accountNumber = accountOf(visit);
  const lost = await countLost(merchantId, [accountNumber], period);
  if (lost?.[0] === undefined) return '';
  const most = Math.min(lost[0].count, MOST_RESENT);
  // Deliveries that are written after the count were not seen, so they are left out.
  const until = saoPauloOffsetText(instant(Math.min(Date.parse(endOf(to)), realNow)));
  return actionForm(visit, RESEND_ALL, {
    typed,
    hidden: { accountNumber, from, to: until },
    about: say(
      'Up to {count} notifications that were given up, written from {from} to {to}, wait again under the same ids: up to 10,000 at a time. What ended more than 30 days ago, and tests, are left out.',
      { count: count(most), from: day(from), to: day(to) },
    ),
    button: say('Send up to {count} again', { count: count(most) }),
  });
}

function deliveryTable(items: readonly Listed[], { wording, merchantId }: Visit): Html {
  const { say, count } = wording;
  return table(say('Deliveries'), items, [
    {
      title: say('Written'),
      cell: (one) => link(deliveryPath(merchantId, one.id), realMoment(wording, one.createdAt)),
    },
    { title: say('Kind'), cell: (one) => say(KIND_WORDS[one.kind]) },
    { title: say('Status'), cell: (one) => stateBadge(DELIVERY_STATES, one.status, wording) },
    { title: say('Tries'), isNumber: true, cell: (one) => count(one.tries) },
    { title: say('Next try'), cell: (one) => moment(wording, one.nextTryAt) },
    { title: 'NSU', cell: (one) => one.nsu ?? '–' },
    { title: say('Address'), cell: (one) => one.url ?? '–' },
  ]);
}

const ONE: Screen<unknown> = screen<unknown, Delivery>({
  path: DELIVERY,
  ...OF_MERCHANT,
  title: 'Delivery',
  refreshSeconds: 5,
  async read({ ask, parameters: { deliveryId = '' } }) {
    const asked = await ask(GET_DELIVERY, { parameters: { deliveryId } });
    return asked.ok ? asked.body : 'notFound';
  },
  view: deliveryPage,
});

function deliveryPage(delivery: Delivery, visit: Visit): Html {
  const { wording, merchantId } = visit;
  const { say } = wording;
  return html`<p class="headline"><strong>${say(KIND_WORDS[delivery.kind])}</strong> ${stateBadge(DELIVERY_STATES, delivery.status, wording)}</p>
${facts([
  [say('Address'), delivery.url ?? '–'],
  [say('Written'), realMoment(wording, delivery.createdAt)],
  [say('Next try'), moment(wording, delivery.nextTryAt)],
  [say('Ended at'), realMoment(wording, delivery.endedAt)],
  ['NSU', delivery.nsu ?? '–'],
  [say('About'), aboutLink(delivery, merchantId)],
  [say('Delivery id'), html`<code>${delivery.id}</code>`],
])}
${resendForm(delivery, visit)}${visit.happenings?.toDelivery(delivery, visit)}
${section(say('Tries'), tries(delivery, visit))}
${section(say('What is sent'), html`<pre class="scroll" tabindex="0">${delivery.body}</pre>`)}`;
}

function aboutLink({ kind, paymentId, noticeOf, installmentNumber }: Delivery, merchantId: string): Shown {
  if (paymentId === null) return noticeOf ?? '–';
  // A callback without an installment may be about a boleto, which has another page.
  if (kind !== 'Movement' || installmentNumber === null) return paymentId;
  return link(paymentPath(merchantId, paymentId), paymentId);
}

function resendForm({ id, status, kind }: Delivery, visit: Visit): Shown {
  if (status === 'Waiting' || kind === 'Test') return '';
  return actionForm(visit, RESEND, {
    values: { deliveryId: id },
    about: visit.wording.say(
      'It waits again, under the same id, with the whole schedule of tries before it.',
    ),
  });
}

function tries(delivery: Delivery, { wording }: Visit): Html {
  const { say, count } = wording;
  if (delivery.tries.length === 0)
    return emptyState(
      say('It was not tried yet.'),
      say('It is sent as soon as its address takes something.'),
    );
  return table(say('Tries'), delivery.tries, [
    { title: say('Number'), isNumber: true, cell: (one) => one.number },
    { title: say('When'), cell: (one) => realMoment(wording, one.at) },
    { title: say('Answered'), cell: (one) => one.status ?? '–' },
    { title: say('Milliseconds'), isNumber: true, cell: (one) => count(one.milliseconds) },
    { title: say('Failed because of'), cell: (one) => failureText(one.failure, wording) },
    { title: say('Beginning of the answer'), cell: (one) => one.answer ?? '–' },
  ]);
}

const RESEND: Action = {
  roles: ['support', 'operator', 'admin'],
  of: 'merchant',
  path: `${DELIVERY}/resend`,
  title: 'Send it again',
  contract: RESEND_DELIVERY,
  asks: ({ parameters: { deliveryId = '' } }) => ({ parameters: { deliveryId } }),
  done: 'It waits, and is sent again.',
  next: ({ merchantId, parameters: { deliveryId = '' } }) => deliveryPath(merchantId, deliveryId),
};

const MOST_RESENT = 10_000;

const startOf = (text: string) => (isDay(text) ? saoPauloOffsetText(startOfSaoPauloDay(text)) : text);
const endOf = (text: string) => (isDay(text) ? startOf(reachedFrom(text, 1)) : text);

/**
 * Goes on behind the deliveries that were looked at. From the beginning it could meet only such as are never
 * sent again.
 */
function moreForm(visit: Visit, hidden: Form, typed?: Form): Shown {
  return actionForm(visit, RESEND_ALL, {
    hidden,
    typed,
    about: visit.wording.say('There are more: ask again.'),
  });
}

const RESEND_ALL: Action<MerchantPageTools> = {
  roles: RESEND.roles,
  of: 'merchant',
  path: `${DELIVERIES}/resend`,
  title: 'Send all of them again',
  contract: RESEND_DELIVERIES,
  asks: (_, { accountNumber = '', from = '', to = '', after }) => ({
    query: { accountNumber },
    body: { from: startOf(from), to: endOf(to), status: 'GivenUp', ...(after !== undefined && { after }) },
  }),
  detailOf: ({ accountNumber = '', from = '', to = '' }) => ({
    account: accountNumber.slice(0, 20),
    from: from.slice(0, 10),
    to: to.slice(0, 10),
  }),
  again(visit, typed, tools) {
    const { accountNumber = '', from = '', to = '', after } = typed;
    if ([accountNumber, from, to].some(holdsCardNumber)) return '';
    if (after !== undefined)
      return parsePlace(after) !== null && moreForm(visit, { accountNumber, from, to, after }, typed);
    const last = saoPauloDay(instant(Date.parse(to) - 1));
    return resendAllForm({ ...visit, query: { accountNumber, from, to: last } }, tools, typed);
  },
  done: 'They wait, and are sent again.',
  reveal(answered, visit, { accountNumber = '', from = '', to = '' }) {
    const { say, count } = visit.wording;
    const { resent, next } = answered as AnswerOf<typeof RESEND_DELIVERIES>;
    return html`<p class="message good" role="status">${say('{count} wait, and are sent again.', { count: count(resent) })}</p>${
      next !== null && moreForm(visit, { accountNumber, from, to, after: next })
    }`;
  },
  next: ({ merchantId }) => withQuery(pathOf(DELIVERIES, { merchantId }), { status: 'GivenUp' }),
};

export const DELIVERY_SCREENS: readonly Screen<MerchantPageTools>[] = [LIST, ONE];
export const DELIVERY_ACTIONS: readonly Action<MerchantPageTools>[] = [RESEND, RESEND_ALL];
