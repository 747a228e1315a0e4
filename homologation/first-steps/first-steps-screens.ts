import { TOKENIZE_CARD } from '../../src/cards/endpoints.ts';
import { LIST_VAULT_CARDS, STORE_VAULT_CARD } from '../../src/cards/vault/contract.ts';
import { failureText, KIND_WORDS } from '../../src/console/notifications/delivery-words.ts';
import type { TestTools } from '../../src/console/parts/homologation-pages.ts';
import { type Html, html, type Shown } from '../../src/console/parts/html.ts';
import { type Field, link, moment, realMoment, table } from '../../src/console/parts/page-parts.ts';
import {
  billingPath,
  deliveryPath,
  FIRST_STEPS,
  pathOf,
  paymentPath,
  TEST_CLOCK,
} from '../../src/console/parts/paths.ts';
import {
  type Action,
  type Asked,
  type Form,
  OF_MERCHANT,
  operationRefused,
  type Screen,
  type ShownRequest,
  screen,
  shownRequests,
  type Visit,
} from '../../src/console/parts/screen.ts';
import {
  BILLING_STATES,
  DELIVERY_STATES,
  PAYMENT_STATES,
  stateBadge,
} from '../../src/console/parts/states.ts';
import type { Wording } from '../../src/console/parts/wording.ts';
import { MOVEMENT_WORDS } from '../../src/console/payments/payment-story.ts';
import { CREATE_PAYMENT } from '../../src/payments/contract.ts';
import { LIST_PAYMENTS } from '../../src/payments/list/contract.ts';
import type { AnswerOf } from '../../src/platform/http/endpoint.ts';
import { LIST_BILLINGS } from '../../src/recurrence/billings/contract.ts';
import { CREATE_PLAN, LIST_PLANS } from '../../src/recurrence/plans/contract.ts';
import { CREATE_SUBSCRIPTION } from '../../src/recurrence/subscriptions/contract.ts';
import type { TransactionMovement } from '../../src/transactions/movements/movement.ts';
import { addDays, instant, saoPauloDay } from '../../src/values/instant.ts';
import { GET_WEBHOOK, REGISTER_WEBHOOK } from '../../src/webhooks/endpoints/endpoints.ts';
import { GET_DELIVERY, LIST_DELIVERIES } from '../../src/webhooks/history/contract.ts';
import { type Clock, clockShown, readClock } from '../console/clock-screens.ts';
import { ADVANCE, moveRequest } from '../console/happening.ts';
import { askHomologation, MAY_TRY, tryForm } from '../console/test-tools.ts';

type Payment = AnswerOf<typeof LIST_PAYMENTS>['items'][number];
type Billing = AnswerOf<typeof LIST_BILLINGS>['items'][number];
type Delivery = AnswerOf<typeof GET_DELIVERY>;

type Made = {
  readonly url: string | null;
  readonly payment: Payment | null;
  readonly movements: readonly TransactionMovement[];
  readonly lastFour: string | null;
  readonly planName: string | null;
  readonly billings: readonly Billing[];
  readonly deliveries: readonly Delivery[];
  readonly clock: Clock | null;
  readonly demoShop: string | null;
};

const DAYS_BACK = 60;
const MOST_BILLINGS = '3';
const MOST_DELIVERIES = 8;
const MOST_MOVEMENTS_SHOWN = 10;

async function readMade(visit: Visit, tools: TestTools): Promise<Made> {
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
    demoShop: tools.demoShop,
  };
}

const RESULTS: Readonly<Record<string, (made: Made, visit: Visit) => Shown>> = {
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
  return table(say('Billings'), billings, [
    { title: say('Billing'), cell: (one) => link(billingPath(merchantId, one.id), one.installment) },
    { title: say('Due'), cell: (one) => day(one.expireAt) },
    { title: say('Amount'), isNumber: true, cell: (one) => reais(one.amount) },
    { title: say('State'), cell: (one) => stateBadge(BILLING_STATES, one.status, wording) },
  ]);
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

function notifications(
  deliveries: readonly Delivery[],
  caption: string,
  { wording, merchantId }: Visit,
): Shown {
  if (deliveries.length === 0) return '';
  const { say, count } = wording;
  const failureOf = (last: Delivery['tries'][number] | undefined) =>
    failureText(last?.failure ?? null, wording);
  return table(caption, deliveries, [
    {
      title: say('Notification'),
      cell: (one) => link(deliveryPath(merchantId, one.id), typeOf(one, wording)),
    },
    { title: say('State'), cell: (one) => stateBadge(DELIVERY_STATES, one.status, wording) },
    { title: say('Tries'), isNumber: true, cell: ({ tries }) => count(tries.at(-1)?.number ?? 0) },
    { title: say('Last try'), cell: ({ tries }) => realMoment(wording, tries.at(-1)?.at ?? null) },
    { title: say('Answered'), cell: ({ tries }) => tries.at(-1)?.status ?? failureOf(tries.at(-1)) },
    { title: say('Next try'), cell: (one) => moment(wording, one.nextTryAt) },
  ]);
}

function typeOf({ body, kind }: Delivery, { say }: Wording): Html {
  const type = /"type":"(\w{1,40})"/.exec(body)?.[1];
  return html`${say(KIND_WORDS[kind])} ${type !== undefined && html`<code>${type}</code>`}`;
}

/** A button and the API requests that it sends. */
type Step = {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly done: string;
  readonly requests: readonly ShownRequest[];
  readonly fields?: (visit: Visit) => readonly Field[];
  readonly take: (visit: Visit, tools: TestTools, form: Form) => Promise<Asked<unknown>>;
};

/** The simulator always approves this card. */
const CARD_NUMBER = '5155901222280001';
const CARD = {
  brand: 'mastercard',
  cardholderName: 'ANA SOUZA',
  expirationMonth: '12',
  expirationYear: '39',
};
const PLAN = {
  name: 'Clube do Livro',
  description: 'Um livro por mês',
  amount: 49.9,
  planType: 'Monthly',
  trialDays: 0,
  paymentMethod: 'CreditCard',
  attempts: 4,
};
const MONTH_DAYS = 31;
const FIRST_REFERENCE = 'PRIMEIRO';

const TOKENIZING: ShownRequest = { contract: TOKENIZE_CARD, body: { cardNumber: CARD_NUMBER } };

const paymentOf = (numberToken: string, codeAntiFraud: string) => ({
  payment: { transactionType: 'credit', amount: 12_990, productType: 'lojista', installments: 3 },
  referenceTransaction: FIRST_REFERENCE,
  sellerInfo: { codeAntiFraud },
  cardInfo: { numberToken, securityCode: '123', ...CARD },
});

async function tokenized(
  { ask }: Visit,
  use: (numberToken: string) => Promise<Asked<unknown>>,
): Promise<Asked<unknown>> {
  const asked = await ask(TOKENIZE_CARD, { body: TOKENIZING.body });
  return asked.ok ? use(asked.body[0]?.numberToken ?? '') : asked;
}

/** The usual address of a receiver on the reader's computer. It need not answer. */
const USUAL_ADDRESS = 'http://localhost:8099/';

const STEPS: readonly Step[] = [
  {
    name: 'notify',
    title: 'Say where you are notified',
    about:
      'What happens is posted to this address of yours. Where nobody answers, you see tries that fail and are made again.',
    done: 'It is registered: what happens from now on is sent there.',
    requests: [
      {
        contract: { method: 'POST', path: `${REGISTER_WEBHOOK.path}?accountNumber=$ACCOUNT` },
        body: { url: USUAL_ADDRESS },
      },
    ],
    fields: ({ wording: { say } }) => [
      { name: 'url', label: say('Address'), value: USUAL_ADDRESS, isRequired: true, mostCharacters: 500 },
    ],
    take: ({ ask, accountNumbers }, _tools, { url }) =>
      ask(REGISTER_WEBHOOK, { query: { accountNumber: accountNumbers[0] ?? '' }, body: { url } }),
  },
  {
    name: 'pay',
    title: 'Charge a card',
    about: 'A card becomes a token, and the token pays R$ 129,90 in three installments.',
    done: 'The card was charged.',
    requests: [TOKENIZING, { contract: CREATE_PAYMENT, body: paymentOf('…', '…') }],
    take: (visit) =>
      tokenized(visit, (token) => visit.ask(CREATE_PAYMENT, { body: paymentOf(token, visit.onceKey) })),
  },
  {
    name: 'store',
    title: 'Store a card',
    about: 'A stored card is charged again later, without its holder.',
    done: 'The card is stored.',
    requests: [TOKENIZING, { contract: STORE_VAULT_CARD, body: { numberToken: '…', ...CARD } }],
    take: (visit) =>
      tokenized(visit, (numberToken) => visit.ask(STORE_VAULT_CARD, { body: { numberToken, ...CARD } })),
  },
  {
    name: 'plan',
    title: 'Make a plan',
    about: 'What is offered: so much, every month.',
    done: 'The plan is made.',
    requests: [{ contract: CREATE_PLAN, body: PLAN }],
    take: ({ ask }) => ask(CREATE_PLAN, { body: PLAN }),
  },
  {
    name: 'subscribe',
    title: 'Enrol a customer',
    about:
      'The newest stored card and the newest plan become a subscription, whose first billing is due today.',
    done: 'The customer is enrolled.',
    requests: [{ contract: CREATE_SUBSCRIPTION, body: { planId: '…', vaultId: '…', orderNumber: 'P-1001' } }],
    take: subscribe,
  },
  {
    name: 'month',
    title: 'Let a month pass',
    about: 'The clock of the merchant goes on by 31 days, and everything that falls due in between happens.',
    done: 'A month has passed.',
    requests: [moveRequest({ advanceDays: MONTH_DAYS })],
    take: (visit, tools) => askHomologation(visit, tools, ADVANCE, { body: { advanceDays: MONTH_DAYS } }),
  },
];

async function subscribe({ ask, wording }: Visit): Promise<Asked<unknown>> {
  const [cards, plans] = [await ask(LIST_VAULT_CARDS, { query: {} }), await ask(LIST_PLANS, { query: {} })];
  const vaultId = cards.ok ? cards.body.items[0]?.vaultId : undefined;
  const planId = plans.ok ? plans.body.items[0]?.id : undefined;
  if (vaultId === undefined || planId === undefined)
    return operationRefused(409, wording.say('Store a card and make a plan first.'));
  return ask(CREATE_SUBSCRIPTION, { body: { planId, vaultId, orderNumber: 'P-1001' } });
}

export const FIRST_STEPS_SCREENS: readonly Screen<TestTools>[] = [
  screen<TestTools, Made>({
    path: FIRST_STEPS,
    ...OF_MERCHANT,
    title: 'First steps',
    refreshSeconds: 3,
    read: readMade,
    view: (
      made,
      visit,
    ) => html`<p>${visit.wording.say('Six steps, by the requests of the API that stand below each. Nothing here reaches a real card; what happened appears below each step by itself.')}</p>
${made.demoShop !== null && html`<p><a href="${made.demoShop}">${visit.wording.say('Or buy at the demo shop first')}</a></p>`}
<ol class="steps">${STEPS.map((step, index) => html`<li id="step-${step.name}">${stepShown(step, index, made, visit)}</li>\n`)}</ol>`,
  }),
];

function stepShown(step: Step, number: number, made: Made, visit: Visit): Html {
  const { say } = visit.wording;
  const action = `${pathOf(FIRST_STEPS, { merchantId: visit.merchantId })}/${step.name}`;
  const fields = step.fields?.(visit) ?? [];
  return html`<h2>${say(step.title)}</h2><p>${say(step.about)}</p>${tryForm(visit, { action, title: say(step.title), fields, number, isMain: true })}
<div class="result">${RESULTS[step.name]?.(made, visit)}</div>
<details class="request"><summary>${say('The request')}</summary>${shownRequests(step.requests)}</details>`;
}

export const FIRST_STEPS_ACTIONS: readonly Action<TestTools>[] = STEPS.map((step) => ({
  ...MAY_TRY,
  path: `${FIRST_STEPS}/${step.name}`,
  title: step.title,
  operation: `firstSteps.${step.name}`,
  perform: (visit, form, tools) => step.take(visit, tools, form),
  done: step.done,
  next: ({ merchantId }) => pathOf(FIRST_STEPS, { merchantId }),
}));
