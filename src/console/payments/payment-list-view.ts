import { documentText } from '../../values/document-number.ts';
import { buyerLink } from '../parts/buyer-parts.ts';
import type { Html } from '../parts/html.ts';
import { type Column, cardText, link, moment, table } from '../parts/page-parts.ts';
import { boletoPath, paymentPath } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { METHOD_WORDS, paymentBadges } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { buyerOfPayment } from './buyers-view.ts';
import type { ShownPayment, WholePayment } from './shown-payment.ts';

export function paymentTable(items: readonly ShownPayment[], visit: Visit): Html {
  return table(visit.wording.say('Payments'), items, paymentColumns(visit));
}

function paymentColumns(visit: Visit): readonly Column<ShownPayment>[] {
  const { wording, merchantId } = visit;
  const { say, money } = wording;
  return [
    {
      title: say('Reference'),
      cell: (one) => link(pathOfPayment(merchantId, one), shownReference(one, wording)),
    },
    {
      title: say('Customer'),
      cell: (one) => buyerLink(buyerOfPayment(one), one.paymentId, visit),
    },
    { title: say('Sold at'), cell: ({ transactionMoment }) => moment(wording, transactionMoment) },
    {
      title: say('Method'),
      cell: (one) => (one.method === 'card' ? cardText(one.card) : say(METHOD_WORDS[one.method])),
    },
    { title: say('Status'), cell: (one) => paymentBadges(one, wording) },
    { title: say('Amount'), isNumber: true, cell: ({ value }) => money(value) },
    {
      title: say('Installments'),
      isNumber: true,
      cell: (one) => (one.method === 'card' && one.installments.length) || '–',
    },
    { title: 'NSU', cell: ({ nsu }) => nsu ?? '–' },
  ];
}

/** A boleto has a page of its own. Other payments share one. */
export function pathOfPayment(
  merchantId: string,
  { method, paymentId }: Pick<ShownPayment, 'method' | 'paymentId'>,
): string {
  return method === 'boleto' ? boletoPath(merchantId, paymentId) : paymentPath(merchantId, paymentId);
}

/** The reference of a billing's charge is the billing's id, which says nothing to people. */
function shownReference(
  { paymentId, referenceTransaction, billingId }: ShownPayment,
  { say }: Wording,
): string {
  if (billingId !== null) return say('Billing …{end}', { end: billingId.slice(-6) });
  return referenceTransaction ?? paymentId;
}

type Shared = Pick<
  NonNullable<WholePayment['split']>[number],
  'documentNumberBeneficiary' | 'percent' | 'type' | 'amount' | 'canceledAmount'
>;

const SPLIT_WORDS = {
  bruto: 'of the amount',
  liquido: 'of the amount less the fee',
} as const satisfies Record<Shared['type'], string>;

export function splitTable(entries: readonly Shared[], { wording }: Visit): Html {
  const { say, money, percent } = wording;
  return table(say('Split'), entries, [
    { title: say('Beneficiary'), cell: (one) => documentText(one.documentNumberBeneficiary) },
    {
      title: say('Percent'),
      isNumber: true,
      cell: (one) => `${percent(one.percent / 100)} ${say(SPLIT_WORDS[one.type])}`,
    },
    { title: say('Amount'), isNumber: true, cell: (one) => money(one.amount) },
    { title: say('Given back'), isNumber: true, cell: (one) => money(one.canceledAmount) },
  ]);
}
