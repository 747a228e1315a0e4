import { receiptOf } from '../../reconciliation/receivables/receivable.ts';
import { documentText } from '../../values/document-number.ts';
import { startOfSaoPauloDay } from '../../values/instant.ts';
import { STATUS_WORDS } from '../../webhooks/history/contract.ts';
import { happenToPayment } from '../homologation/happening.ts';
import { failureText } from '../notifications/delivery-words.ts';
import { momentCell, reaisCell } from '../parts/csv-screens.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  actionForm,
  type Column,
  cardText,
  facts,
  link,
  moment,
  section,
  table,
} from '../parts/page-parts.ts';
import { billingPath, deliveryPath, pathOf, paymentPath, RECEIPT, withQuery } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { badge, CANCEL_STATES, DELIVERY_STATES, PAYMENT_STATES, stateBadge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { CANCEL } from './payment-actions.ts';
import type { PaymentFound, ShownPayment, WholePayment } from './payment-screens.ts';
import { MOST_DELIVERIES, MOST_MOVEMENTS, MOVEMENT_WORDS, paymentBecame } from './payment-story.ts';

export function paymentTable(items: readonly ShownPayment[], visit: Visit): Html {
  return table(visit.wording.say('Payments'), items, paymentColumns(visit));
}

/** Of the list and of its CSV, which shows a card, an NSU and a moment otherwise and elsewhere. */
export function paymentColumns({ wording, merchantId }: Visit): readonly Column<ShownPayment>[] {
  const { say, money } = wording;
  return [
    { title: say('Payment'), csv: ({ paymentId }) => paymentId },
    {
      title: say('Reference'),
      cell: (one) => link(paymentPath(merchantId, one.paymentId), shownReference(one, wording)),
      csv: ({ referenceTransaction }) => referenceTransaction,
    },
    { title: say('Billing'), csv: ({ billingId }) => billingId },
    { title: say('Sold at'), csv: ({ transactionDate }) => momentCell(transactionDate) },
    { title: say('Sold'), cell: ({ transactionDate }) => moment(wording, transactionDate) },
    {
      title: say('Status'),
      cell: ({ statusDescription }) => stateBadge(PAYMENT_STATES, statusDescription, wording),
      csv: ({ statusDescription }) => statusDescription,
    },
    { title: say('Return code'), csv: ({ returnCode }) => returnCode },
    { title: say('Description'), csv: ({ description }) => description },
    { title: say('Brand'), csv: ({ card }) => card.brand },
    { title: say('Card'), csv: ({ card }) => `${card.firstSix}******${card.lastFour}` },
    { title: say('Authorization code'), csv: ({ authorizationCode }) => authorizationCode },
    { title: 'NSU', csv: ({ nsu }) => nsu },
    {
      title: say('Amount'),
      isNumber: true,
      cell: ({ value }) => money(value),
      csv: ({ value }) => reaisCell(value),
    },
    { title: say('Given back'), csv: ({ canceledAmount }) => reaisCell(canceledAmount) },
    { title: say('Being given back'), csv: ({ cancelingAmount }) => reaisCell(cancelingAmount) },
    {
      title: say('Installments'),
      isNumber: true,
      cell: ({ installments: { length } }) => length || '–',
      csv: ({ installments: { length } }) => length,
    },
    { title: say('Card'), cell: ({ card }) => cardText(card) },
    { title: 'NSU', cell: ({ nsu }) => nsu ?? '–' },
    { title: say('Anti-fraud'), csv: ({ antifraud }) => antifraud },
    { title: say('Reasons of anti-fraud'), csv: ({ antifraudReasons }) => antifraudReasons.join(' ') },
  ];
}

/** The reference of a billing's charge is the billing's id, which says nothing to people. */
function shownReference(
  { paymentId, referenceTransaction, billingId }: ShownPayment,
  { say }: Wording,
): string {
  if (billingId !== null) return say('Billing …{end}', { end: billingId.slice(-6) });
  return referenceTransaction ?? paymentId;
}

export function paymentPage(found: PaymentFound, visit: Visit): Html {
  const { payment, receivables, chargebacks } = found;
  const { say } = visit.wording;
  const receipt = pathOf(RECEIPT, { merchantId: visit.merchantId, paymentId: payment.paymentId });
  return html`${headline(payment, visit)}
<p class="lead">${paymentBecame(payment, receivables, chargebacks, visit.wording)}</p>
${summary(payment, visit)}
<p class="unprinted">${link(receipt, say('Receipt to print'))}</p>
${cancelForm(payment, visit)}${happenToPayment(payment, visit)}
${payment.attempts !== undefined && section(say('Acquirers that were asked'), attempts(payment.attempts, visit))}
${section(say('What became of it'), paymentTimeline(found, visit))}
${payment.installments.length > 0 && section(say('Installments'), installments(found, visit))}
${payment.cancels.length > 0 && section(say('Cancels'), cancels(payment, visit))}
${payment.split !== undefined && section(say('Split'), split(payment, visit))}`;
}

function headline({ value, statusDescription }: WholePayment, { wording }: Visit): Html {
  const state = stateBadge(PAYMENT_STATES, statusDescription, wording);
  return html`<p class="headline"><strong>${wording.money(value)}</strong> ${state}</p>`;
}

function summary(payment: WholePayment, { wording, merchantId }: Visit): Html {
  const { say, money } = wording;
  const { description, returnCode, retryable } = payment;
  const declined: [string, Shown][] =
    returnCode === undefined
      ? []
      : [
          [say('Declined with'), `${returnCode} ${description ?? ''}`],
          [say('Another try'), retryable === true ? say('May succeed') : say('Is of no use')],
        ];
  return html`${facts([
    [say('Reference'), payment.referenceTransaction ?? '–'],
    [say('Sold'), moment(wording, payment.transactionDate)],
    ...declined,
    [say('Card'), `${cardText(payment.card)} (${payment.card.firstSix})`],
    ['NSU', payment.nsu ?? '–'],
    [say('Authorization code'), payment.authorizationCode ?? '–'],
    [say('Given back'), money(payment.canceledAmount)],
    ...(payment.cancelingAmount > 0
      ? ([[say('Being given back'), money(payment.cancelingAmount)]] as const)
      : []),
    ...(payment.authorizedAmount === undefined
      ? []
      : ([[say('Preauthorized'), money(payment.authorizedAmount)]] as const)),
    ...(payment.captureUntil === undefined
      ? []
      : ([[say('To be captured until'), moment(wording, payment.captureUntil)]] as const)),
    ...(payment.threeDSecure === undefined
      ? []
      : ([['3-D Secure', authenticationText(payment.threeDSecure, wording)]] as const)),
    ...(payment.billingId === null
      ? []
      : ([[say('Billing'), link(billingPath(merchantId, payment.billingId), payment.billingId)]] as const)),
    [say('Anti-fraud'), antiFraudText(payment, wording)],
    [say('Payment id'), html`<code>${payment.paymentId}</code>`],
  ])}`;
}

const AUTHENTICATED = {
  authenticated: 'The holder was authenticated',
  attempted: 'Authentication was attempted',
  notAuthenticated: 'The holder was not authenticated',
} as const;

function authenticationText(shown: WholePayment['threeDSecure'] & object, { say }: Wording): string {
  const { eci, version, result } = shown;
  return `${say(AUTHENTICATED[result])} (ECI ${eci}, ${version})`;
}

function antiFraudText({ antifraud, antifraudReasons }: WholePayment, { say }: Wording): Shown {
  const verdict = antifraud === null ? '–' : say(antifraud === 'accept' ? 'Accepted' : 'To be reviewed');
  return antifraudReasons.length === 0
    ? verdict
    : html`${verdict} <code>${antifraudReasons.join(', ')}</code>`;
}

function cancelForm(payment: WholePayment, visit: Visit): Shown {
  const left = payment.value - payment.canceledAmount - payment.cancelingAmount;
  const isOver = ['Negada', 'Desfeita', 'Cancelada', 'Processando'].includes(payment.statusDescription);
  if (isOver || left <= 0) return '';
  const { say, money } = visit.wording;
  return actionForm(visit, CANCEL, {
    values: { paymentId: payment.paymentId },
    about: say('Up to {left} go back to the card. A part comes off the last installments first.', {
      left: money(left),
    }),
    fields: [
      {
        name: 'amount',
        label: say('Amount in reais'),
        hint: say('Empty: all that is left.'),
        mostCharacters: 14,
      },
    ],
    isGrave: true,
  });
}

function installments({ payment, receivables }: PaymentFound, { wording }: Visit): Html {
  const { say, money, day } = wording;
  const rows = payment.installments.map((one) => {
    const owed = receivables.find(({ installmentNumber }) => installmentNumber === one.installmentNumber);
    return { one, owed, receipt: owed === undefined ? null : receiptOf(owed) };
  });
  return table(say('Installments'), rows, [
    { title: say('Number'), isNumber: true, cell: ({ one }) => one.installmentNumber },
    { title: say('Amount'), isNumber: true, cell: ({ one }) => money(one.amount) },
    { title: say('Given back'), isNumber: true, cell: ({ one }) => money(one.canceledAmount) },
    { title: say('Status'), cell: ({ one }) => stateBadge(PAYMENT_STATES, one.status, wording) },
    {
      title: say('Fee'),
      isNumber: true,
      cell: ({ owed, receipt }) => (owed === undefined ? '–' : money(receipt?.fee ?? owed.expected.fee)),
    },
    {
      title: say('To come'),
      isNumber: true,
      cell: ({ owed, receipt }) =>
        owed === undefined || receipt !== null || owed.state === 'canceled'
          ? '–'
          : html`${money(owed.expected.net)} <small>${day(owed.expected.on)}</small>`,
    },
    {
      title: say('Came'),
      isNumber: true,
      cell: ({ receipt }) =>
        receipt === null
          ? '–'
          : html`${receipt.net === null ? '' : money(receipt.net)} <small>${day(receipt.on)}</small>`,
    },
  ]);
}

const NOT_CHARGED = {
  notConnected: 'The request did not reach it, so nothing was charged there',
  requestRefused: 'It refused the request by a code that proves that nothing was charged',
} as const satisfies Record<NonNullable<Attempts[number]['notCharged']>, string>;

type Attempts = NonNullable<WholePayment['attempts']>;

function attempts(list: Attempts, { wording, merchantId }: Visit): Html {
  const { say } = wording;
  return table(say('Acquirers that were asked'), list, [
    { title: say('Acquirer'), cell: ({ acquirer }) => acquirer },
    { title: say('Payment'), cell: ({ paymentId: id }) => link(paymentPath(merchantId, id), id) },
    {
      title: say('Came to'),
      cell: ({ notCharged }) =>
        notCharged === null ? say('Asked; see the status of this payment') : say(NOT_CHARGED[notCharged]),
    },
  ]);
}

function cancels(payment: WholePayment, { wording }: Visit): Html {
  const { say, money } = wording;
  return table(say('Cancels'), payment.cancels, [
    { title: say('Asked for'), cell: (one) => moment(wording, one.createdAt) },
    { title: say('Amount'), isNumber: true, cell: (one) => money(one.amount) },
    { title: say('Status'), cell: (one) => stateBadge(CANCEL_STATES, one.status, wording) },
    { title: say('Decided'), cell: (one) => moment(wording, one.decidedAt) },
  ]);
}

const SPLIT_WORDS = {
  bruto: 'of the amount',
  liquido: 'of the amount less the fee',
} as const satisfies Record<NonNullable<WholePayment['split']>[number]['type'], string>;

function split(payment: WholePayment, { wording, path }: Visit): Html {
  const { say, money, percent } = wording;
  const { splitPage = 1, splitPages = 1 } = payment;
  const list = table(say('Split'), payment.split ?? [], [
    { title: say('Beneficiary'), cell: (one) => documentText(one.documentNumberBeneficiary) },
    {
      title: say('Percent'),
      isNumber: true,
      cell: (one) => `${percent(one.percent / 100)} ${say(SPLIT_WORDS[one.type])}`,
    },
    { title: say('Amount'), isNumber: true, cell: (one) => money(one.amount) },
    { title: say('Given back'), isNumber: true, cell: (one) => money(one.canceledAmount) },
  ]);
  return html`${list}${
    splitPage < splitPages &&
    html`<p>${link(withQuery(path, { splitPage: splitPage + 1 }), say('More beneficiaries'))}</p>`
  }`;
}

/** At the same moment, the lower order comes first. `onDay`: the hour is not known. */
type Happening = {
  readonly at: number;
  /** The moment to show if the event has another clock. */
  readonly shownAt?: number;
  readonly order: number;
  readonly text: Shown;
  readonly note?: Shown;
  readonly onDay?: string;
};

const CUT =
  'Perhaps not all of it is here: at most {movements} movements and {deliveries} notifications are shown.';

function paymentTimeline(found: PaymentFound, visit: Visit): Html {
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

/** The intent comes before the acquirer's answer. */
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
  const own = payment.attempts?.find(({ paymentId }) => paymentId === payment.paymentId);
  if (own !== undefined && own.notCharged !== null) return say(NOT_CHARGED[own.notCharged]);
  if (payment.authorizationCode === null) return say('The acquirer was asked; its answer is awaited');
  return say('The issuer approved, code {code}', { code: payment.authorizationCode });
}

/** An authorized payment has movements from its capture on. */
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

/** Sent in real time. If the merchant's clock was moved, it is sorted after its event. */
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
