import { type Html, html, type Shown } from '../../src/console/parts/html.ts';
import { amountField } from '../../src/console/parts/page-parts.ts';
import { billingPath, boletoPath, pathOf, paymentPath, TEST_CLOCK } from '../../src/console/parts/paths.ts';
import {
  type Happenings,
  type ShownRequest,
  shownRequests,
  type Visit,
} from '../../src/console/parts/screen.ts';
import { instant, saoPauloText } from '../../src/values/instant.ts';
import { ANSWERS, answerField, SCRIPT_PATH } from './acquirer-answer.ts';
import { happenBox, tryForm } from './test-tools.ts';

const INSTALLMENT_EVENTS: Readonly<Record<string, { readonly text: string }>> = {
  settle: { text: 'The acquirer pays it' },
  block: { text: 'The acquirer holds it back' },
  unblock: { text: 'The acquirer releases it' },
  chargeback: { text: 'The holder of the card takes it back' },
};

const BOLETO_EVENTS: Readonly<Record<string, { readonly text: string }>> = {
  paid: { text: 'It is paid' },
  canceled: { text: 'The bank cancels it' },
  expired: { text: 'The bank ends it' },
};

const choicesOf = (words: Readonly<Record<string, { readonly text: string }>>, { wording }: Visit) =>
  Object.entries(words).map(([name, { text }]) => [name, wording.say(text)] as const);

type Thing<Name extends keyof Happenings> = Parameters<Happenings[Name]>[0];

function toPayment({ paymentId, installments }: Thing<'toPayment'>, visit: Visit): Shown {
  if (installments.length === 0) return '';
  const { merchantId, wording } = visit;
  const { say } = wording;
  const numbers = installments.map(({ installmentNumber }) => String(installmentNumber));
  const form = tryForm(visit, {
    action: `${paymentPath(merchantId, paymentId)}/happen`,
    title: say('Let it happen'),
    fields: [
      { name: 'type', label: say('What'), choices: choicesOf(INSTALLMENT_EVENTS, visit) },
      {
        name: 'installmentNumber',
        label: say('Installment'),
        choices: numbers.map((one) => [one, one] as const),
      },
      amountField(visit, { hint: say('Of a chargeback alone. Empty: all that is left.'), isRequired: false }),
    ],
    isMain: true,
  });
  const path = `/homologation/transactions/${paymentId}/events`;
  const body = { type: 'settle', installmentNumber: Number(numbers[0]) };
  return happenBox(visit, html`${form}${shownRequests([{ contract: { method: 'POST', path }, body }])}`);
}

function toBoleto({ id }: Thing<'toBoleto'>, visit: Visit): Shown {
  const { merchantId, wording } = visit;
  const { say } = wording;
  const form = tryForm(visit, {
    action: `${boletoPath(merchantId, id)}/happen`,
    title: say('Let it happen'),
    fields: [
      { name: 'type', label: say('What'), choices: choicesOf(BOLETO_EVENTS, visit) },
      amountField(visit, { hint: say('Of a payment alone. Empty: what is to be paid.'), isRequired: false }),
      { name: 'paidOn', label: say('Paid on'), type: 'date', hint: say('Of a payment alone. Empty: today.') },
    ],
    isMain: true,
  });
  const path = `/homologation/boletos/${id}/events`;
  return happenBox(
    visit,
    html`${form}${shownRequests([{ contract: { method: 'POST', path }, body: { type: 'paid' } }])}`,
  );
}

/** Lets the next charge's day come with the chosen answer of the issuer. */
function toBilling({ id, status, nextChargeOn }: Thing<'toBilling'>, visit: Visit): Shown {
  if (status !== 'Opened' || nextChargeOn === undefined) return '';
  const { merchantId, wording } = visit;
  const { say, day } = wording;
  const form = tryForm(visit, {
    action: `${billingPath(merchantId, id)}/happen`,
    title: say('Let {day} come', { day: day(nextChargeOn) }),
    fields: [answerField(visit, true)],
    hidden: { to: nextChargeOn },
    isMain: true,
  });
  const script = {
    contract: { method: 'PUT', path: SCRIPT_PATH } as const,
    body: { steps: [ANSWERS.funds?.step] },
  };
  return happenBox(visit, html`${form}${shownRequests([script, moveRequest({ to: goalOf(nextChargeOn) })])}`);
}

function toDelivery({ status, nextTryAt }: Thing<'toDelivery'>, visit: Visit): Shown {
  if (status !== 'Waiting' || nextTryAt === null) return '';
  const title = visit.wording.say('Let its next try come');
  return happenBox(visit, moveFormShown(visit, { to: justAfter(nextTryAt), title }));
}

/** What only time and other people cause in production. */
export const HAPPENINGS: Happenings = { toPayment, toBoleto, toBilling, toDelivery };

export const ADVANCE = 'advanceTestClock';
const CLOCK_PATH = '/homologation/clock';
/** Everything of the day has happened by then. */
const EVENING = 'T23:59:00';
const MARGIN_MILLISECONDS = 1_000;

export function goalOf(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}${EVENING}` : text;
}

/** Returns a moment just after one that the API shows with its offset. */
export function justAfter(moment: string): string {
  return saoPauloText(instant(Date.parse(moment) + MARGIN_MILLISECONDS));
}

export const moveRequest = (
  body: { readonly advanceDays: number } | { readonly to: string },
): ShownRequest => ({
  contract: { method: 'POST', path: CLOCK_PATH },
  body,
});

export function moveForm(
  visit: Visit,
  wanted: { readonly to: string; readonly title: string; readonly number?: number },
): Shown {
  const { title, number = 0 } = wanted;
  const action = `${pathOf(TEST_CLOCK, { merchantId: visit.merchantId })}/clock`;
  return tryForm(visit, { action, title, hidden: { to: goalOf(wanted.to) }, number });
}

function moveFormShown(visit: Visit, wanted: { readonly to: string; readonly title: string }): Html {
  return html`${moveForm(visit, wanted)}${shownRequests([moveRequest({ to: goalOf(wanted.to) })])}`;
}
