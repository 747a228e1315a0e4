import { LIST_VAULT_CARDS } from '../../cards/vault/list-contract.ts';
import { LIST_PAYMENTS } from '../../payments/status/list-contract.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { LIST_BILLINGS } from '../../recurrence/billings/contract.ts';
import { LIST_PLANS } from '../../recurrence/plans/contract.ts';
import type { TransactionMovement } from '../../transactions/movements/movement.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import { GET_WEBHOOK } from '../../webhooks/endpoints/contract.ts';
import { GET_DELIVERY, LIST_DELIVERIES } from '../../webhooks/history/contract.ts';
import { type Clock, clockShown, readClock } from '../homologation/clock-screens.ts';
import type { TestTools } from '../homologation/test-tools.ts';
import { failureText, KIND_WORDS } from '../notifications/delivery-words.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { link, moment, table } from '../parts/page-parts.ts';
import { billingPath, deliveryPath, pathOf, paymentPath, TEST_CLOCK } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { BILLING_STATES, DELIVERY_STATES, PAYMENT_STATES, stateBadge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { MOVEMENT_WORDS } from '../payments/payment-words.ts';
import { FIRST_REFERENCE } from './step-screens.ts';

type Payment = AnswerOf<typeof LIST_PAYMENTS>['items'][number];
type Billing = AnswerOf<typeof LIST_BILLINGS>['items'][number];
type Delivery = AnswerOf<typeof GET_DELIVERY>;

/** What the steps have made so far. */
export type Made = {
  readonly url: string | null;
  readonly payment: Payment | null;
  readonly movements: readonly TransactionMovement[];
  readonly lastFour: string | null;
  readonly planName: string | null;
  readonly billings: readonly Billing[];
  /** The newest first, each with its tries. */
  readonly deliveries: readonly Delivery[];
  readonly clock: Clock | null;
};

const DAYS_BACK = 60;
const MOST_BILLINGS = '3';
const MOST_DELIVERIES = 8;
const MOST_MOVEMENTS_SHOWN = 10;

export async function readMade(visit: Visit, tools: TestTools): Promise<Made> {
  const { ask, accountNumbers, now, merchantId } = visit;
  const today = saoPauloDay(instant(now));
  const accountNumber = accountNumbers[0] ?? '';
  const days = { dateRangeStartDate: addDays(today, -DAYS_BACK), dateRangeEndDate: addDays(today, 1) };
  const [webhook, payments, cards, plans, billings, deliveries, clock] = await Promise.all([
    ask(GET_WEBHOOK, { query: { accountNumber } }),
    ask(LIST_PAYMENTS, { query: { ...days, referenceTransaction: FIRST_REFERENCE, limit: '1' } }),
    ask(LIST_VAULT_CARDS, { query: { limit: '1' } }),
    ask(LIST_PLANS, { query: { limit: '1' } }),
    ask(LIST_BILLINGS, { query: { limit: MOST_BILLINGS } }),
    ask(LIST_DELIVERIES, { query: { accountNumber, limit: String(MOST_DELIVERIES) } }),
    readClock(visit, tools),
  ]);
  const payment = payments.ok ? (payments.body.items[0] ?? null) : null;
  const listed = deliveries.ok ? deliveries.body.items : [];
  const [movements, whole] = await Promise.all([
    payment === null ? [] : tools.findMovements(merchantId, payment.paymentId),
    Promise.all(listed.map(({ id }) => ask(GET_DELIVERY, { parameters: { deliveryId: id } }))),
  ]);
  return {
    url: webhook.ok ? webhook.body.url : null,
    payment,
    movements,
    lastFour: cards.ok ? (cards.body.items[0]?.lastFourDigits ?? null) : null,
    planName: plans.ok ? (plans.body.items[0]?.name ?? null) : null,
    billings: billings.ok ? billings.body.items : [],
    deliveries: whole.flatMap((one) => (one.ok ? [one.body] : [])),
    clock,
  };
}

/** What became of a step, below its button. */
export const RESULTS: Readonly<Record<string, (made: Made, visit: Visit) => Shown>> = {
  notify: ({ url }, { wording: { say } }) =>
    url !== null && html`<p>${say('Registered:')} <code>${url}</code></p>`,
  pay: paymentMade,
  store: ({ lastFour }, { wording: { say } }) =>
    lastFour !== null && html`<p>${say('The newest stored card:')} •••• ${lastFour}</p>`,
  plan: ({ planName }, { wording: { say } }) =>
    planName !== null && html`<p>${say('The newest plan:')} ${planName}</p>`,
  subscribe: billingsMade,
  month: monthMade,
};

function paymentMade({ payment, movements, deliveries }: Made, visit: Visit): Shown {
  if (payment === null) return '';
  const { wording, merchantId } = visit;
  const { say, money } = wording;
  const { paymentId, statusDescription, value } = payment;
  const path = paymentPath(merchantId, paymentId);
  const own = deliveries.filter((one) => one.paymentId === paymentId);
  return html`<p class="made">${link(path, money(value))} ${stateBadge(PAYMENT_STATES, statusDescription, wording)}</p>
<ol class="timeline">${movements
    .slice(0, MOST_MOVEMENTS_SHOWN)
    .map(
      (one) =>
        html`<li>${moment(wording, one.moment)} <span>${say(MOVEMENT_WORDS[one.type], { number: one.installmentNumber })}</span></li>\n`,
    )}</ol>
${notifications(own, say('Notifications of this payment'), visit)}`;
}

function billingsMade({ billings }: Made, visit: Visit): Shown {
  if (billings.length === 0) return '';
  const { wording, merchantId } = visit;
  const { say, reais, day } = wording;
  return table(
    say('Billings'),
    [
      { title: say('Billing') },
      { title: say('Due') },
      { title: say('Amount'), isNumber: true },
      { title: say('State') },
    ],
    billings.map((one) => {
      const path = billingPath(merchantId, one.id);
      return [
        link(path, one.installment),
        day(one.expireAt),
        reais(one.amount),
        stateBadge(BILLING_STATES, one.status, wording),
      ];
    }),
  );
}

function monthMade({ clock, deliveries, url }: Made, visit: Visit): Html {
  const { merchantId, wording } = visit;
  const { say } = wording;
  const none =
    url === null &&
    html`<p class="note">${say('No notification: say first where you are notified, and let another month pass.')}</p>`;
  return html`${clockShown(clock, visit)}
${notifications(deliveries, say('The newest notifications'), visit)}${none}
<p>${link(pathOf(TEST_CLOCK, { merchantId }), say('Go on with the test clock, trial cards and answers of the acquirer'))}</p>`;
}

/** Each with its last try and what was answered. */
function notifications(
  deliveries: readonly Delivery[],
  caption: string,
  { wording, merchantId }: Visit,
): Shown {
  if (deliveries.length === 0) return '';
  const { say, count } = wording;
  return table(
    caption,
    [
      { title: say('Notification') },
      { title: say('State') },
      { title: say('Tries'), isNumber: true },
      { title: say('Last try') },
      { title: say('Answered') },
      { title: say('Next try') },
    ],
    deliveries.map((one) => {
      const path = deliveryPath(merchantId, one.id);
      const last = one.tries.at(-1);
      return [
        link(path, typeOf(one, wording)),
        stateBadge(DELIVERY_STATES, one.status, wording),
        count(last?.number ?? 0),
        moment(wording, last?.at ?? null),
        last?.status ?? failureText(last?.failure ?? null, wording),
        moment(wording, one.nextTryAt),
      ];
    }),
  );
}

/** With what it says that happened, as it is sent. */
function typeOf({ body, kind }: Delivery, { say }: Wording): Html {
  const type = /"type":"(\w{1,40})"/.exec(body)?.[1];
  return html`${say(KIND_WORDS[kind])} ${type !== undefined && html`<code>${type}</code>`}`;
}
