import { documentText } from '../../values/document-number.ts';
import { buyerCells, buyerLink } from '../parts/buyer-parts.ts';
import { momentCell, reaisCell } from '../parts/csv-screens.ts';
import type { Html } from '../parts/html.ts';
import { type Column, cardText, link, moment, table } from '../parts/page-parts.ts';
import { boletoPath, paymentPath } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { isPaying, METHOD_WORDS, paymentBadges } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { buyerOfPayment } from './buyers-view.ts';
import type { ShownPayment, WholePayment } from './payment-screens.ts';

export function paymentTable(items: readonly ShownPayment[], visit: Visit): Html {
  return table(visit.wording.say('Payments'), items, paymentColumns(visit));
}

const cardOf = (one: ShownPayment) => (one.method === 'card' ? one : null);
const pixOf = (one: ShownPayment) => (one.method === 'pix' ? one : null);
const billOf = (one: ShownPayment) => (one.method === 'card' ? null : one);

/** Of the list and of its CSV, which shows a card, an NSU and a moment otherwise and elsewhere. */
export function paymentColumns(visit: Visit): readonly Column<ShownPayment>[] {
  const { wording, merchantId } = visit;
  const { say, money } = wording;
  const cells = buyerCells(visit);
  return [
    { title: say('Payment'), csv: ({ paymentId }) => paymentId },
    {
      title: say('Reference'),
      cell: (one) => link(pathOfPayment(merchantId, one), shownReference(one, wording)),
      csv: ({ referenceTransaction }) => referenceTransaction,
    },
    { title: say('Billing'), csv: ({ billingId }) => billingId },
    {
      title: say('Customer'),
      cell: (one) => buyerLink(buyerOfPayment(one), one.paymentId, visit),
    },
    { title: say('Sold at'), csv: ({ transactionMoment }) => momentCell(transactionMoment) },
    { title: say('Sold'), cell: ({ transactionMoment }) => moment(wording, transactionMoment) },
    {
      title: say('Method'),
      cell: (one) => (one.method === 'card' ? cardText(one.card) : say(METHOD_WORDS[one.method])),
      csv: ({ method }) => method,
    },
    {
      title: say('Status'),
      cell: (one) => paymentBadges(one, wording),
      csv: ({ statusDescription }) => statusDescription,
    },
    { title: say('Return code'), csv: (one) => cardOf(one)?.returnCode },
    { title: say('Description'), csv: (one) => cardOf(one)?.description },
    { title: say('Brand'), csv: (one) => cardOf(one)?.card.brand },
    { title: say('Card'), csv: (one) => cardNumberOf(one) },
    { title: say('Authorization code'), csv: ({ authorizationCode }) => authorizationCode },
    { title: 'NSU', csv: ({ nsu }) => nsu },
    {
      title: say('Amount'),
      isNumber: true,
      cell: ({ value }) => money(value),
      csv: ({ value }) => reaisCell(value),
    },
    { title: say('Paid amount'), csv: (one) => paidCell(one) },
    { title: say('Given back'), csv: ({ canceledAmount }) => reaisCell(canceledAmount) },
    { title: say('Being given back'), csv: ({ cancelingAmount }) => reaisCell(cancelingAmount) },
    {
      title: say('Installments'),
      isNumber: true,
      cell: (one) => cardOf(one)?.installments.length || '–',
      csv: (one) => cardOf(one)?.installments.length,
    },
    { title: 'NSU', cell: ({ nsu }) => nsu ?? '–' },
    { title: say('Anti-fraud'), csv: (one) => cardOf(one)?.antifraud },
    { title: say('Reasons of anti-fraud'), csv: (one) => cardOf(one)?.antifraudReasons.join(' ') },
    { title: 'txid', csv: (one) => pixOf(one)?.txid },
    { title: 'endToEndId', csv: (one) => pixOf(one)?.payments.find(isPaying)?.endToEndId },
    { title: say('Due'), csv: (one) => billOf(one)?.dueDate },
    { title: say('Customer'), csv: (one) => buyerOfPayment(one)?.name },
    { title: say('Document'), csv: (one) => cells.document(buyerOfPayment(one)?.document) },
    { title: 'E-mail', csv: (one) => cells.email(buyerOfPayment(one)?.email) },
  ];
}

function paidCell(one: ShownPayment): string | null {
  const paid = billOf(one)?.paidAmount ?? null;
  return paid === null ? null : reaisCell(paid);
}

function cardNumberOf(one: ShownPayment): string | undefined {
  const { card } = cardOf(one) ?? {};
  return card && `${card.firstSix}******${card.lastFour}`;
}

/** A boleto has its own page. */
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
