import { receiptOf } from '../../reconciliation/receivables/receivable.ts';
import { instant, saoPauloDay, startOfSaoPauloDay } from '../../values/instant.ts';
import { STATUS_WORDS } from '../../webhooks/history/contract.ts';
import type { PaymentDelivery } from '../../webhooks/history/messages-of-payments.sql.ts';
import { failureText } from '../notifications/delivery-words.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { link, moment, realMoment } from '../parts/page-parts.ts';
import { deliveryPath } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { badge, CANCEL_STATES, DELIVERY_STATES, stateBadge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { MOST_DELIVERIES, MOST_MOVEMENTS, MOVEMENT_WORDS } from './payment-story.ts';
import type { PaymentFound, WholePayment } from './shown-payment.ts';

export const NOT_CHARGED = {
  notConnected: 'The request did not reach it, so nothing was charged there',
  requestRefused: 'It refused the request by a code that proves that nothing was charged',
} as const satisfies Record<NonNullable<NonNullable<WholePayment['attempts']>[number]['notCharged']>, string>;

/**
 * One thing on a timeline. Of things at the same moment, the one with the lower order comes first. `onDay`:
 * the day, if the hour is not known.
 */
export type Happening = {
  readonly at: number;
  /** Milliseconds of real time, for what does not go by the merchant's clock. */
  readonly realAt?: number;
  readonly order: number;
  readonly text: Shown;
  readonly note?: Shown;
  readonly onDay?: string;
  /**
   * Things in a row with the same `key` become one row. `text`: its text in English, with `{count}` for how
   * many they are.
   */
  readonly alike?: { readonly key: string; readonly text: string; readonly badge?: Shown };
};

const CUT =
  'Perhaps not all of it is here: at most {movements} movements and {deliveries} notifications are shown.';

export function paymentTimeline(found: PaymentFound, visit: Visit): Html {
  const { wording } = visit;
  const soldAt = found.movements[0]?.moment ?? Date.parse(found.payment.transactionMoment);
  const happened = [
    ...asked(found, wording),
    ...moved(found, wording),
    ...givenBack(found, wording),
    ...settled(found, wording),
    ...sent(found.deliveries, soldAt, visit),
  ];
  const isCut = found.movements.length >= MOST_MOVEMENTS || found.deliveries.length >= MOST_DELIVERIES;
  return timeline(happened, isCut, wording);
}

const MOVEMENTS_WORDS = {
  Autorizacao: 'Installments authorized: {count}',
  Pagamento: 'Installments paid: {count}',
  Cancelamento: 'Installments canceled: {count}',
  Bloqueio: 'Installments blocked: {count}',
  Desbloqueio: 'Installments unblocked: {count}',
} as const satisfies Record<keyof typeof MOVEMENT_WORDS, string>;
const SENT_WORDS = {
  callback: 'Callbacks sent: {count}',
  notification: 'Notifications sent: {count}',
} as const;

/** So many alike things in a row, such as installments of a sale, become one row that opens. */
const LEAST_FOLDED = 4;

/** `isCut`: there may be more than was read. */
export function timeline(happened: readonly Happening[], isCut: boolean, wording: Wording): Html {
  const inOrder = happened.toSorted((one, other) => one.at - other.at || one.order - other.order);
  const groups: Happening[][] = [];
  for (const one of inOrder) {
    const last = groups.at(-1);
    if (one.alike !== undefined && last?.[0]?.alike?.key === one.alike.key) last.push(one);
    else groups.push([one]);
  }
  return html`${isCut && html`<p class="note">${wording.say(CUT, { movements: wording.count(MOST_MOVEMENTS), deliveries: wording.count(MOST_DELIVERIES) })}</p>`}<ol class="timeline">${groups.map(
    (group) => {
      const [first] = group;
      const rows = group.map((one) => happeningRow(one, wording));
      if (first?.alike === undefined || group.length < LEAST_FOLDED) return rows;
      const text = wording.say(first.alike.text, { count: wording.count(group.length) });
      return html`<li>${timeOf(first, wording)} <details><summary>${text}</summary><ol class="timeline">${rows}</ol></details> ${first.alike.badge}</li>\n`;
    },
  )}</ol>`;
}

function happeningRow(one: Happening, wording: Wording): Html {
  return html`<li>${timeOf(one, wording)} <span>${one.text}</span> ${one.note ?? ''}</li>\n`;
}

function timeOf({ at, realAt, onDay }: Happening, wording: Wording): Shown {
  if (onDay !== undefined) return html`<time datetime="${onDay}">${wording.day(onDay)}</time>`;
  return realAt === undefined ? moment(wording, at) : realMoment(wording, realAt);
}

/** The request stands before the acquirer's answer, though both are shown at one moment. */
function asked({ payment }: PaymentFound, wording: Wording): Happening[] {
  const { say, money } = wording;
  const at = Date.parse(payment.transactionMoment);
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
  const own = payment.attempts?.find(({ paymentId }) => paymentId === payment.paymentId);
  if (own !== undefined && own.notCharged !== null) return say(NOT_CHARGED[own.notCharged]);
  if (payment.authorizationCode === null) return say('The acquirer was asked; its answer is awaited');
  return say('The issuer approved, code {code}', { code: payment.authorizationCode });
}

/** A pre-authorized payment has movements only from its capture on. */
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
      text: Object.hasOwn(MOVEMENT_WORDS, type)
        ? say(MOVEMENT_WORDS[type], { number: installmentNumber })
        : type,
      ...(Object.hasOwn(MOVEMENTS_WORDS, type) && {
        alike: { key: `${type} ${at}`, text: MOVEMENTS_WORDS[type] },
      }),
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

/**
 * Notifications are sent in real time. If the merchant's clock was moved, they are sorted behind the sale.
 * Failed ones are not folded: each gives its reason.
 */
export function sent(
  deliveries: readonly PaymentDelivery[],
  soldAt: number,
  { wording, merchantId }: Visit,
): Happening[] {
  const { say, count } = wording;
  return deliveries.map((one) => {
    const path = deliveryPath(merchantId, one.deliveryId);
    const failure =
      one.state !== 'delivered' &&
      (one.lastFailure === null ? one.lastStatus : failureText(one.lastFailure, wording));
    return {
      at: Math.max(one.createdAt, soldAt),
      realAt: one.createdAt,
      order: 5,
      text: link(path, one.kind === 'callback' ? say('Callback sent') : say('Notification sent')),
      ...(one.state === 'delivered' && {
        alike: {
          key: `${one.kind} ${saoPauloDay(instant(one.createdAt))}`,
          text: SENT_WORDS[one.kind === 'callback' ? 'callback' : 'notification'],
          badge: stateBadge(DELIVERY_STATES, STATUS_WORDS[one.state], wording),
        },
      }),
      note: html`${stateBadge(DELIVERY_STATES, STATUS_WORDS[one.state], wording)} ${say('Tries: {count}', { count: count(one.tries) })} ${failure} ${one.url ?? ''}`,
    };
  });
}
