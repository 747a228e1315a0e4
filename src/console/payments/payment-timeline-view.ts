import { receiptOf } from '../../reconciliation/receivables/receivable.ts';
import { startOfSaoPauloDay } from '../../values/instant.ts';
import { STATUS_WORDS } from '../../webhooks/history/delivery-contract.ts';
import { failureText } from '../notifications/delivery-words.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { link, moment } from '../parts/page-parts.ts';
import { deliveryPath } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { badge, CANCEL_STATES, DELIVERY_STATES, stateBadge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { MOST_DELIVERIES, MOST_MOVEMENTS } from './payment-bounds.ts';
import type { PaymentFound, WholePayment } from './payment-screens.ts';
import { MOVEMENT_WORDS } from './payment-words.ts';

/** At the same moment what has the lower order came first. `onDay`: nobody knows the hour. */
type Happening = {
  readonly at: number;
  /** What stands there instead, where its moment is of another clock. */
  readonly shownAt?: number;
  readonly order: number;
  readonly text: Shown;
  readonly note?: Shown;
  readonly onDay?: string;
};

const CUT =
  'Perhaps not all of it is here: at most {movements} movements and {deliveries} notifications are shown.';

/** Everything that is known of a payment, in the order in which it happened. */
export function paymentTimeline(found: PaymentFound, visit: Visit): Html {
  const { wording } = visit;
  const happened = [
    ...asked(found, wording),
    ...moved(found, wording),
    ...givenBack(found, wording),
    ...settled(found, wording),
    ...sent(found, visit),
  ].toSorted((one, other) => one.at - other.at || one.order - other.order);
  const isCut = found.movements.length >= MOST_MOVEMENTS || found.deliveries.length >= MOST_DELIVERIES;
  return html`${isCut && html`<p class="note">${wording.say(CUT, { movements: wording.count(MOST_MOVEMENTS), deliveries: wording.count(MOST_DELIVERIES) })}</p>`}<ol class="timeline">${happened.map(
    ({ at, shownAt = at, text, note, onDay }) =>
      html`<li>${onDay === undefined ? moment(wording, shownAt) : html`<time datetime="${onDay}">${wording.day(onDay)}</time>`} <span>${text}</span> ${note ?? ''}</li>\n`,
  )}</ol>`;
}

/** The intent stands before the acquirer is asked; then what it answered. */
function asked({ payment }: PaymentFound, wording: Wording): Happening[] {
  const { say, money } = wording;
  const at = Date.parse(payment.transactionDate);
  const amount = money(payment.authorizedAmount ?? payment.value);
  const verdict = payment.antifraud === null ? '' : say('Anti-fraud had let it pass');
  return [
    { at, order: 0, text: say('Asked for, {amount}', { amount }), note: verdict },
    { at, order: 1, text: answerText(payment, wording) },
  ];
}

function answerText(payment: WholePayment, { say }: Wording): string {
  if (payment.returnCode !== undefined)
    return say('The issuer declined: {why}', { why: payment.description ?? payment.returnCode });
  if (payment.authorizationCode === null) return say('The acquirer was asked; its answer is awaited');
  return say('The issuer approved, code {code}', { code: payment.authorizationCode });
}

/** What was pre-authorized has its movements from its capture on. */
function moved({ payment, movements }: PaymentFound, { say, money }: Wording): Happening[] {
  const first = movements.find(({ type }) => type === 'Autorizacao');
  const isCaptured = payment.authorizedAmount !== undefined && first !== undefined;
  return [
    ...(isCaptured
      ? [{ at: first.moment, order: 2, text: say('Captured, {amount}', { amount: money(payment.value) }) }]
      : []),
    ...movements.map(({ moment: at, type, installmentNumber }) => ({
      at,
      order: 3,
      // A later version beside may write a type that this one has no words for.
      text: Object.hasOwn(MOVEMENT_WORDS, type)
        ? say(MOVEMENT_WORDS[type], { number: installmentNumber })
        : type,
    })),
  ];
}

function givenBack({ payment, chargebacks }: PaymentFound, wording: Wording): Happening[] {
  const { say, money } = wording;
  return [
    ...payment.cancels.flatMap((cancel) => {
      const note = stateBadge(CANCEL_STATES, cancel.status, wording);
      const amount = money(cancel.amount);
      const begun = {
        at: Date.parse(cancel.createdAt),
        order: 2,
        text: say('Cancel of {amount} asked for', { amount }),
        note: cancel.decidedAt === null ? note : '',
      };
      if (cancel.decidedAt === null) return [begun];
      const text = say('Cancel of {amount} decided', { amount });
      return [begun, { at: Date.parse(cancel.decidedAt), order: 4, text, note }];
    }),
    ...chargebacks.map(({ happenedAt, installmentNumber, amount, state }) => ({
      at: happenedAt,
      order: 2,
      text: say('Chargeback of installment {number}', { number: installmentNumber }),
      note: html`${amount === null ? '' : money(amount)} ${state === 'waiting' ? badge('wait', say('Waits to be applied')) : ''}`,
    })),
  ];
}

/** What came to the bank, by its day. */
function settled({ receivables }: PaymentFound, { say, money }: Wording): Happening[] {
  return receivables.flatMap((one) => {
    const receipt = receiptOf(one);
    if (receipt === null) return [];
    const { installmentNumber: number } = one;
    const text =
      receipt.net === null
        ? say('Installment {number} came to the bank', { number })
        : say('Installment {number} came to the bank, {amount}', { number, amount: money(receipt.net) });
    const isEarly = (receipt.anticipation ?? 0) > 0;
    const note = isEarly && badge('plain', say('Paid earlier'));
    return [{ at: startOfSaoPauloDay(receipt.on), order: 9, text, note, onDay: receipt.on }];
  });
}

/** Sent in real time, also where the clock of the merchant has gone on: never before what it is about. */
function sent({ payment, movements, deliveries }: PaymentFound, { wording, merchantId }: Visit): Happening[] {
  const { say, count } = wording;
  const soldAt = movements[0]?.moment ?? Date.parse(payment.transactionDate);
  return deliveries.map((one) => {
    const path = deliveryPath(merchantId, one.deliveryId);
    const failure =
      one.state !== 'delivered' &&
      (one.lastFailure === null ? one.lastStatus : failureText(one.lastFailure, wording));
    return {
      at: Math.max(one.createdAt, soldAt),
      shownAt: one.createdAt,
      order: 5,
      text: link(path, one.kind === 'callback' ? say('Callback sent') : say('Notification sent')),
      note: html`${stateBadge(DELIVERY_STATES, STATUS_WORDS[one.state], wording)} ${say('Tries: {count}', { count: count(one.tries) })} ${failure} ${one.url ?? ''}`,
    };
  });
}
