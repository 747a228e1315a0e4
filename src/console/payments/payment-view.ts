import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, badge, facts, link, moment, section, type Tone, table } from '../parts/page-parts.ts';
import { mayUse, type Visit, withQuery } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';
import { billingPath } from '../recurrence/recurrence-paths.ts';
import type { ListedPayment, PaymentFound, WholePayment } from './payment-screens.ts';
import { CANCEL_STATES, MESSAGE_STATES, MOVEMENT_WORDS, PAYMENT_STATES } from './payment-words.ts';

type Words = Readonly<Record<string, { readonly tone: Tone; readonly text: string }>>;

function stateBadge(words: Words, state: string, { say }: Wording): Html {
  const { tone, text } = words[state] ?? { tone: 'plain' as const, text: state };
  return badge(tone, say(text));
}

const addressOf = (merchantId: string, paymentId: string) =>
  `/console/merchants/${encodeURIComponent(merchantId)}/payments/${encodeURIComponent(paymentId)}`;

export function paymentTable(items: readonly ListedPayment[], { wording, merchantId }: Visit): Html {
  const { say, money } = wording;
  const rows = items.map((one) => [
    link(addressOf(merchantId, one.paymentId), one.referenceTransaction ?? one.paymentId),
    moment(wording, one.transactionDate),
    stateBadge(PAYMENT_STATES, one.statusDescription, wording),
    money(one.value),
    one.installments.length || '–',
    cardText(one.card),
    one.nsu ?? '–',
  ]);
  return table(
    say('Payments'),
    [
      { title: say('Reference') },
      { title: say('Sold') },
      { title: say('Status') },
      { title: say('Amount'), isNumber: true },
      { title: say('Installments'), isNumber: true },
      { title: say('Card') },
      { title: 'NSU' },
    ],
    rows,
  );
}

function cardText({ brand, lastFour }: ListedPayment['card']): string {
  return `${brand} •••• ${lastFour}`;
}

export function paymentPage({ payment, movements, messages }: PaymentFound, visit: Visit): Html {
  const { say } = visit.wording;
  const receipt = `${addressOf(visit.merchantId, payment.paymentId)}/receipt`;
  return html`${summary(payment, visit)}
<p>${link(receipt, say('Receipt to print'))}</p>
${cancelForm(payment, visit)}
${section(say('What became of it'), timeline({ payment, movements, messages }, visit))}
${payment.installments.length > 0 && section(say('Installments'), installments(payment, visit))}
${payment.cancels.length > 0 && section(say('Cancels'), cancels(payment, visit))}
${payment.split !== undefined && section(say('Split'), split(payment, visit))}`;
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
  return html`<p class="headline"><strong>${money(payment.value)}</strong> ${stateBadge(PAYMENT_STATES, payment.statusDescription, wording)}</p>
${facts([
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
  ...(payment.billingId === null
    ? []
    : ([[say('Billing'), link(billingPath(merchantId, payment.billingId), payment.billingId)]] as const)),
  [say('Anti-fraud'), antiFraudText(payment, wording)],
  [say('Payment id'), html`<code>${payment.paymentId}</code>`],
])}`;
}

function antiFraudText({ antifraud, antifraudReasons }: WholePayment, { say }: Wording): string {
  const verdict = antifraud === null ? '–' : say(antifraud === 'accept' ? 'Accepted' : 'To be reviewed');
  return antifraudReasons.length === 0 ? verdict : `${verdict} (${antifraudReasons.join(', ')})`;
}

/** What is left to give back, and may be by this user. */
function cancelForm(payment: WholePayment, visit: Visit): Shown {
  const left = payment.value - payment.canceledAmount - payment.cancelingAmount;
  const isOver = ['Negada', 'Desfeita', 'Cancelada', 'Processando'].includes(payment.statusDescription);
  if (isOver || left <= 0 || !mayUse({ roles: ['finance', 'admin'], of: 'merchant' }, visit.user)) return '';
  const { say, money } = visit.wording;
  return actionForm(visit, {
    action: `${addressOf(visit.merchantId, payment.paymentId)}/cancel`,
    title: say('Give back'),
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

type Happening = { readonly at: number; readonly text: Shown; readonly note?: Shown };

/** Everything that is known of it, in the order in which it happened. */
function timeline({ payment, movements, messages }: PaymentFound, { wording }: Visit): Html {
  const { say, money } = wording;
  const soldAt = Date.parse(payment.transactionDate);
  const happened: Happening[] = [
    { at: soldAt, text: say('Asked for, {amount}', { amount: money(payment.value) }) },
    { at: soldAt, text: answerText(payment, wording) },
    ...movements.map(({ moment: at, type, installmentNumber }) => ({
      at,
      text: say(MOVEMENT_WORDS[type] ?? type, { number: installmentNumber }),
    })),
    ...payment.cancels.map((cancel) => ({
      at: Date.parse(cancel.createdAt),
      text: say('Cancel of {amount} asked for', { amount: money(cancel.amount) }),
      note: stateBadge(CANCEL_STATES, cancel.status, wording),
    })),
    ...messages.map((message) => ({
      at: message.createdAt,
      text: message.kind === 'callback' ? say('Callback sent') : say('Notification sent'),
      note: html`${stateBadge(MESSAGE_STATES, message.state, wording)} ${message.url ?? ''}`,
    })),
  ].toSorted((one, other) => one.at - other.at);
  return html`<ol class="timeline">${happened.map(
    ({ at, text, note }) => html`<li>${moment(wording, at)} <span>${text}</span> ${note ?? ''}</li>\n`,
  )}</ol>`;
}

function answerText(payment: WholePayment, { say }: Wording): string {
  if (payment.returnCode !== undefined)
    return say('The issuer declined: {why}', { why: payment.description ?? payment.returnCode });
  if (payment.authorizationCode === null) return say('The acquirer was asked; its answer is awaited');
  return say('The issuer approved, code {code}', { code: payment.authorizationCode });
}

function installments(payment: WholePayment, { wording }: Visit): Html {
  const { say, money } = wording;
  return table(
    say('Installments'),
    [
      { title: say('Number'), isNumber: true },
      { title: say('Amount'), isNumber: true },
      { title: say('Given back'), isNumber: true },
      { title: say('Status') },
    ],
    payment.installments.map((one) => [
      one.installmentNumber,
      money(one.amount),
      money(one.canceledAmount),
      stateBadge(PAYMENT_STATES, one.status, wording),
    ]),
  );
}

function cancels(payment: WholePayment, { wording }: Visit): Html {
  const { say, money } = wording;
  return table(
    say('Cancels'),
    [
      { title: say('Asked for') },
      { title: say('Amount'), isNumber: true },
      { title: say('Status') },
      { title: say('Decided') },
    ],
    payment.cancels.map((one) => [
      moment(wording, one.createdAt),
      money(one.amount),
      stateBadge(CANCEL_STATES, one.status, wording),
      moment(wording, one.decidedAt),
    ]),
  );
}

function split(payment: WholePayment, { wording, path }: Visit): Html {
  const { say, money } = wording;
  const { splitPage = 1, splitPages = 1 } = payment;
  const list = table(
    say('Split'),
    [
      { title: say('Beneficiary') },
      { title: say('Percent'), isNumber: true },
      { title: say('Amount'), isNumber: true },
      { title: say('Given back'), isNumber: true },
    ],
    (payment.split ?? []).map((one) => [
      one.documentNumberBeneficiary,
      `${one.percent}% ${one.type}`,
      money(one.amount),
      money(one.canceledAmount),
    ]),
  );
  return html`${list}${
    splitPage < splitPages &&
    html`<p>${link(withQuery(path, { splitPage: splitPage + 1 }), say('More beneficiaries'))}</p>`
  }`;
}
