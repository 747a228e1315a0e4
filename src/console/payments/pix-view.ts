import { buyerOf } from '../../transactions/customers/buyer.ts';
import { startOfSaoPauloDay } from '../../values/instant.ts';
import type { PaymentDelivery } from '../../webhooks/history/messages-of-payments.sql.ts';
import { actsSection, type ShownAct } from '../history/history-screens.ts';
import { buyerFacts, linkFacts } from '../parts/buyer-parts.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  actionForm,
  copyable,
  facts,
  link,
  moment,
  pageAddress,
  section,
  table,
} from '../parts/page-parts.ts';
import { billingPath, pathOf, RECEIPT } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import {
  badge,
  DEVOLUTION_STATES,
  payingOf,
  paymentBadges,
  RECEIVED_WORDS,
  stateBadge,
} from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { giveBackForm } from './give-back-screens.ts';
import { CANCEL, RESOLVE_PIX } from './payment-actions.ts';
import { splitTable } from './payment-list-view.ts';
import { MOST_DELIVERIES } from './payment-story.ts';
import { type Happening, sent, timeline } from './payment-timeline-view.ts';
import type { ShownPix } from './shown-payment.ts';

export type PixFound = {
  readonly pix: ShownPix;
  readonly deliveries: readonly PaymentDelivery[];
  readonly acts: readonly ShownAct[];
};

export function pixPage({ pix, deliveries, acts }: PixFound, visit: Visit): Html {
  const { wording, merchantId } = visit;
  const { say, money } = wording;
  const receipt = pathOf(RECEIPT, { merchantId, paymentId: pix.paymentId });
  const cancels = pix.cancels ?? [];
  return html`<p class="headline"><strong>${money(pix.value)}</strong> ${paymentBadges(pix, wording)}</p>
<p class="lead">${pixBecame(pix, wording)}</p>
${pixFacts(pix, visit)}
<p class="unprinted">${link(receipt, say('Receipt to print'))}</p>
${takeAwayForm(pix, visit)}
${section(say('What became of it'), pixTimeline(pix, deliveries, visit))}
${pix.payments.length > 0 && section(say('Payments received'), received(pix, visit))}
${cancels.length > 0 && section(say('Devolutions'), devolutions(cancels, visit))}
${pix.split !== undefined && section(say('Split'), splitTable(pix.split, visit))}
${actsSection(acts, visit)}`;
}

function pixBecame(pix: ShownPix, wording: Wording): string {
  const { say, money } = wording;
  const sentences = {
    Processando: say('The bank was asked, and its answer is being found: nothing has to be done.'),
    Aguardando: say('It waits for its payer.'),
    Paga: say('It is paid.'),
    Cancelada:
      pix.paidAmount === null
        ? say('It was taken away from the bank: nobody can pay it any more.')
        : say('All that paid it was given back.'),
    Expirada: say('Nobody paid it in time.'),
    Negada: say('The bank makes no such charge.'),
  } as const satisfies Record<ShownPix['statusDescription'], string>;
  const back = pix.isPartlyReturned
    ? ` ${say('{amount} of it were given back.', {
        amount: money(payingOf(pix)?.canceledAmount ?? 0),
      })}`
    : '';
  return sentences[pix.statusDescription] + back;
}

function pixFacts(pix: ShownPix, visit: Visit): Html {
  const { wording, merchantId } = visit;
  const { say, money, day } = wording;
  const { payer, dueDate, billingId, pixEmv } = pix;
  return html`${facts([
    [say('Method'), 'Pix'],
    [say('Reference'), pix.referenceTransaction ?? '–'],
    [say('Sold at'), moment(wording, pix.transactionMoment)],
    [say('Due'), dueDate === null ? '–' : day(dueDate)],
    [say('Can be paid until'), moment(wording, pix.expiresAt)],
    [say('Paid amount'), pix.paidAmount === null ? '–' : money(pix.paidAmount)],
    [say('Fee'), pix.fee === null ? '–' : money(pix.fee)],
    [say('After the fee'), pix.netAmount === null ? '–' : money(pix.netAmount)],
    [say('Returned'), money(pix.canceledAmount)],
    [say('Being returned'), money(pix.cancelingAmount)],
    ...buyerFacts(say('Payer'), buyerOf(payer), pix.paymentId, visit),
    [say('Description'), pix.description ?? '–'],
    ...(billingId === null
      ? []
      : ([[say('Billing'), link(billingPath(merchantId, billingId), billingId)]] as const)),
    ...linkFacts(pix.linkId, visit),
    [say('Bank'), pix.bank],
    ['NSU', pix.nsu ?? '–'],
    ['txid', html`<code>${pix.txid}</code>`],
    ...(pixEmv === null ? [] : ([[say('Text of the QR code'), copyable(pixEmv)]] as const)),
    ...(pix.statusDescription === 'Aguardando'
      ? ([[say('Address of the page'), pageAddress(pix.url, visit)]] as const)
      : []),
    [say('Payment id'), html`<code>${pix.paymentId}</code>`],
  ])}`;
}

/**
 * A Pix that waits for its payer is taken away from the bank. What is left of a payment that arrived is given
 * back.
 */
function takeAwayForm(pix: ShownPix, visit: Visit): Shown {
  const { say } = visit.wording;
  const values = { paymentId: pix.paymentId };
  if (pix.statusDescription === 'Aguardando')
    return actionForm(
      visit,
      { ...CANCEL, title: 'Take away' },
      {
        values,
        about: say('The bank takes it away: it cannot be paid any more.'),
        isGrave: true,
      },
    );
  return giveBackForm(pix, visit);
}

function received({ paymentId, payments }: ShownPix, visit: Visit): Html {
  const { wording } = visit;
  const { say, money } = wording;
  const open = payments.flatMap(({ exceptionId, state }) =>
    exceptionId === null || state !== 'open' ? [] : [exceptionId],
  );
  const list = table(say('Payments received'), payments, [
    { title: say('Paid on'), cell: (one) => moment(wording, one.paidAt) },
    { title: 'endToEndId', cell: (one) => html`<code>${one.endToEndId}</code>` },
    { title: say('Amount'), isNumber: true, cell: (one) => money(one.amount) },
    { title: say('Returned'), isNumber: true, cell: (one) => money(one.canceledAmount) },
    { title: say('Kind'), cell: (one) => say(RECEIVED_WORDS[one.kind]) },
    {
      title: say('State'),
      cell: (one) =>
        one.exceptionId === null
          ? '–'
          : one.state === 'open'
            ? badge('bad', say('To be resolved'))
            : badge('good', say('Resolved by a person')),
    },
  ]);
  return html`${list}${open.slice(0, 1).map((exceptionId) =>
    actionForm(visit, RESOLVE_PIX, {
      values: { paymentId, exceptionId },
      about: say(
        'Its payer paid what was not expected: give the money back, or agree with him on it, and say here what became of it.',
      ),
    }),
  )}`;
}

type Devolutions = NonNullable<ShownPix['cancels']>;

function devolutions(cancels: Devolutions, { wording }: Visit): Html {
  const { say, money } = wording;
  return table(say('Devolutions'), cancels, [
    { title: say('Asked for'), cell: (one) => moment(wording, one.createdAt) },
    { title: 'endToEndId', cell: (one) => html`<code>${one.endToEndId}</code>` },
    { title: say('Amount'), isNumber: true, cell: (one) => money(one.amount) },
    { title: say('Status'), cell: (one) => stateBadge(DEVOLUTION_STATES, one.status, wording) },
    { title: say('Decided'), cell: (one) => moment(wording, one.decidedAt) },
  ]);
}

function pixTimeline(pix: ShownPix, deliveries: readonly PaymentDelivery[], visit: Visit): Html {
  const { wording } = visit;
  const { say, money, day } = wording;
  const soldAt = Date.parse(pix.transactionMoment);
  const due: Happening[] =
    pix.dueDate === null
      ? []
      : [
          {
            at: startOfSaoPauloDay(pix.dueDate as Parameters<typeof startOfSaoPauloDay>[0]),
            order: 1,
            text: say('Due on {day}', { day: day(pix.dueDate) }),
            onDay: pix.dueDate,
          },
        ];
  const happened: Happening[] = [
    { at: soldAt, order: 0, text: say('Asked for, {amount}', { amount: money(pix.value) }) },
    ...due,
    ...pix.payments.map((one) => ({
      at: Date.parse(one.paidAt),
      order: 2,
      text: say('A Pix of {amount} arrived', { amount: money(one.amount) }),
      note: one.kind === 'expected' ? '' : badge('bad', say(RECEIVED_WORDS[one.kind])),
    })),
    ...(pix.cancels ?? []).flatMap((one) => givenBack(one, wording)),
    ...(pix.statusDescription === 'Expirada'
      ? [{ at: Date.parse(pix.expiresAt), order: 3, text: say('Its time was over') }]
      : []),
    ...sent(deliveries, soldAt, visit),
  ];
  return timeline(happened, deliveries.length >= MOST_DELIVERIES, wording);
}

function givenBack(one: Devolutions[number], wording: Wording): Happening[] {
  const { say, money } = wording;
  const amount = money(one.amount);
  const begun = {
    at: Date.parse(one.createdAt),
    order: 3,
    text: say('Devolution of {amount} asked for', { amount }),
  };
  if (one.decidedAt === null) return [begun];
  const note = stateBadge(DEVOLUTION_STATES, one.status, wording);
  const text = say('Devolution of {amount} decided', { amount });
  return [begun, { at: Date.parse(one.decidedAt), order: 4, text, note }];
}
