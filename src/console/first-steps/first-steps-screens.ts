import type { Merchant } from '../../merchants/merchant.ts';
import { LIST_PAYMENTS } from '../../payments/status/list-contract.ts';
import { LIST_BILLINGS } from '../../recurrence/billings/contract.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import { LIST_DELIVERIES } from '../../webhooks/history/contract.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { emptyState, link, section, table } from '../parts/page-parts.ts';
import {
  type Action,
  ALL_ROLES,
  mayUse,
  OF_MERCHANT,
  pathOf,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';
import type { Role } from '../users/user.ts';
import { curlOf, type FirstStepsTools, STEPS, type Step } from './step-screens.ts';

type Tools = FirstStepsTools & { readonly listMerchants: () => Promise<readonly Merchant[]> };

/** What the steps have made so far, the newest first. */
type Made = {
  readonly payments: readonly {
    readonly paymentId: string;
    readonly value: number;
    readonly status: string;
  }[];
  readonly billings: readonly (readonly [string, string, string])[];
  readonly deliveries: readonly (readonly [string, string, string])[];
};

const MAY_TAKE: { readonly roles: readonly Role[]; readonly of: 'merchant' } = {
  roles: ['support', 'finance', 'operator', 'admin'],
  of: 'merchant',
};
const PAGE = `${OF_MERCHANT}/first-steps`;
const SHOWN = '5';
/** The clock of the merchant may be ahead. */
const USUAL_DAYS = 60;

export const FIRST_STEPS_SCREENS: readonly Screen<Tools>[] = [
  screen<Tools, readonly Merchant[]>({
    path: '/first-steps',
    roles: ALL_ROLES,
    of: 'operator',
    title: 'First steps',
    place: 0,
    homologationOnly: true,
    read: (_visit, { listMerchants }) => listMerchants(),
    view: (merchants, { wording: { say } }) => html`<p>${say('Choose the merchant that is to try them:')}</p>
<ul>${merchants.map(
      ({ merchantId, legalName }) => html`<li>${link(pathOf(PAGE, { merchantId }), legalName)}</li>\n`,
    )}</ul>`,
  }),
  screen<Tools, Made>({
    path: PAGE,
    roles: ALL_ROLES,
    of: 'merchant',
    title: 'First steps',
    homologationOnly: true,
    read: readMade,
    view: (
      made,
      visit,
    ) => html`<p>${visit.wording.say('Five steps, by the requests of the API that stand beside them. Nothing here reaches a real card.')}</p>
<ol class="steps">${STEPS.map((step) => html`<li>${stepForm(step, visit)}</li>\n`)}</ol>
${section(visit.wording.say('What happened'), happened(made, visit))}`,
  }),
];

async function readMade({ ask, accountNumbers, now }: Visit): Promise<Made> {
  const today = saoPauloDay(instant(now));
  const payments = await ask(LIST_PAYMENTS, {
    query: {
      dateRangeStartDate: addDays(today, -1),
      dateRangeEndDate: addDays(today, USUAL_DAYS),
      limit: SHOWN,
    },
    isForPeople: true,
  });
  const billings = await ask(LIST_BILLINGS, { query: { limit: SHOWN }, isForPeople: true });
  const deliveries = await ask(LIST_DELIVERIES, {
    query: { accountNumber: accountNumbers[0] ?? '', limit: SHOWN },
    isForPeople: true,
  });
  return {
    payments: payments.ok
      ? payments.body.items.map(({ paymentId, value, statusDescription }) => ({
          paymentId,
          value,
          status: statusDescription,
        }))
      : [],
    billings: billings.ok
      ? billings.body.items.map(({ id, expireAt, status }) => [id, expireAt, status])
      : [],
    deliveries: deliveries.ok
      ? deliveries.body.items.map(({ kind, createdAt, status }) => [kind, createdAt, status])
      : [],
  };
}

function stepForm(step: Step, visit: Visit): Html {
  const { wording, formMark, onceKey, path } = visit;
  const { say } = wording;
  const form =
    mayUse(MAY_TAKE, visit.user) &&
    html`<form method="post" action="${path}/${step.name}"><input type="hidden" name="mark" value="${formMark}"><input type="hidden" name="once" value="${onceKey}"><input type="hidden" name="reason" value="${say('First steps')}"><button type="submit" class="main">${say(step.title)}</button></form>`;
  return html`<h2>${say(step.title)}</h2><p>${say(step.about)}</p>${form}
<pre class="scroll" tabindex="0"><code>${step.requests.map((request) => `${curlOf(request)}\n`)}</code></pre>`;
}

function happened({ payments, billings, deliveries }: Made, { wording, merchantId }: Visit): Shown {
  const { say, money } = wording;
  if (payments.length + billings.length + deliveries.length === 0)
    return emptyState(say('Nothing yet.'), say('Take the first step: what it made appears here.'));
  const three = (caption: string, titles: readonly string[], rows: readonly (readonly Shown[])[]) =>
    rows.length > 0 &&
    table(
      caption,
      titles.map((title) => ({ title })),
      rows,
    );
  const notified =
    deliveries.length > 0
      ? three(say('Notifications'), [say('Kind'), say('When'), say('State')], deliveries)
      : html`<p class="note">${say('No notification: register where you are notified, by POST /api/webhooks/subscriptions, and let another month pass.')}</p>`;
  return html`${three(
    say('Payments'),
    [say('Payment'), say('Amount'), say('Status')],
    payments.map(({ paymentId, value, status }) => [
      link(pathOf(`${OF_MERCHANT}/payments/{paymentId}`, { merchantId, paymentId }), paymentId),
      money(value),
      status,
    ]),
  )}${three(say('Billings'), [say('Billing'), say('Due'), say('State')], billings)}${notified}`;
}

export const FIRST_STEPS_ACTIONS: readonly Action<FirstStepsTools>[] = STEPS.map((step) => ({
  ...MAY_TAKE,
  path: `${PAGE}/${step.name}`,
  title: step.title,
  homologationOnly: true,
  operation: `firstSteps.${step.name}`,
  perform: (visit, _form, tools) => step.take(visit, tools),
  done: step.done,
  next: ({ merchantId }) => pathOf(PAGE, { merchantId }),
}));
