import { receiptOf } from '../../reconciliation/receivables/receivable.ts';
import { actsSection } from '../history/history-screens.ts';
import { buyerFacts } from '../parts/buyer-parts.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { cardText, facts, link, moment, section, table } from '../parts/page-parts.ts';
import { billingPath, pathOf, paymentPath, RECEIPT, withQuery } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { CANCEL_STATES, PAYMENT_STATES, paymentBadges, stateBadge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { captureForm } from './capture-actions.ts';
import { giveBackForm } from './give-back-screens.ts';
import { splitTable } from './payment-list-view.ts';
import { paymentBecame } from './payment-story.ts';
import { NOT_CHARGED, paymentTimeline } from './payment-timeline-view.ts';
import type { PaymentFound, WholePayment } from './shown-payment.ts';

export function paymentPage(found: PaymentFound, visit: Visit): Html {
  const { payment, receivables, chargebacks } = found;
  const { say } = visit.wording;
  const receipt = pathOf(RECEIPT, { merchantId: visit.merchantId, paymentId: payment.paymentId });
  return html`${headline(payment, visit)}
<p class="lead">${paymentBecame(payment, receivables, chargebacks, visit.wording)}</p>
${summary(payment, visit)}
<p class="unprinted">${link(receipt, say('Receipt to print'))}</p>
${captureForm(payment, visit)}${giveBackForm(payment, visit)}${visit.happenings?.toPayment(payment, visit)}
${payment.attempts !== undefined && section(say('Acquirers that were asked'), attempts(payment.attempts, visit))}
${section(say('What became of it'), paymentTimeline(found, visit))}
${payment.installments.length > 0 && section(say('Installments'), installments(found, visit))}
${payment.cancels.length > 0 && section(say('Refunds'), cancels(payment, visit))}
${payment.split !== undefined && section(say('Split'), split(payment, visit))}
${actsSection(found.acts, visit)}`;
}

function headline(payment: WholePayment, { wording }: Visit): Html {
  return html`<p class="headline"><strong>${wording.money(payment.value)}</strong> ${paymentBadges(payment, wording)}</p>`;
}

function summary(payment: WholePayment, visit: Visit): Html {
  const { wording, merchantId } = visit;
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
    [say('Sold at'), moment(wording, payment.transactionMoment)],
    ...declined,
    ...buyerFacts(say('Customer'), payment.buyer, payment.paymentId, visit),
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
  return table(say('Refunds'), payment.cancels, [
    { title: say('Asked for'), cell: (one) => moment(wording, one.createdAt) },
    { title: say('Amount'), isNumber: true, cell: (one) => money(one.amount) },
    { title: say('Status'), cell: (one) => stateBadge(CANCEL_STATES, one.status, wording) },
    { title: say('Decided'), cell: (one) => moment(wording, one.decidedAt) },
  ]);
}

function split(payment: WholePayment, visit: Visit): Html {
  const { splitPage = 1, splitPages = 1 } = payment;
  const next = withQuery(visit.path, { splitPage: splitPage + 1 });
  return html`${splitTable(payment.split ?? [], visit)}${
    splitPage < splitPages && html`<p>${link(next, visit.wording.say('More beneficiaries'))}</p>`
  }`;
}
