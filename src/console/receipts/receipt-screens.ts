import type { Merchant } from '../../merchants/merchant.ts';
import { GET_PAYMENT } from '../../payments/status/contract.ts';
import { type Buyer, buyerOf } from '../../transactions/customers/buyer.ts';
import { documentText } from '../../values/document-number.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { shownDocument } from '../parts/buyer-parts.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { cardText, facts, moment, section, table } from '../parts/page-parts.ts';

import { RECEIPT } from '../parts/paths.ts';
import { OF_MERCHANT, type Screen, screen, type Visit } from '../parts/screen.ts';
import { PAYMENT_STATES, payingOf, paymentBadges, stateBadge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { withBuyers } from '../payments/buyers-view.ts';
import type { ShownPix, WholePayment } from '../payments/shown-payment.ts';

type Receipted = WholePayment | ShownPix;
type Found = { readonly payment: Receipted; readonly merchant: Merchant };

/** A sheet of A4 for the buyer. Print shows nothing else. */
export const RECEIPT_SCREENS: readonly Screen<MerchantPageTools>[] = [
  screen<MerchantPageTools, Found>({
    path: RECEIPT,
    ...OF_MERCHANT,
    title: 'Receipt',
    async read(visit, tools) {
      const {
        ask,
        merchantId,
        parameters: { paymentId = '' },
      } = visit;
      const asked = await ask(GET_PAYMENT, { parameters: { paymentId } });
      const merchant = await tools.findMerchant(merchantId);
      if (!asked.ok || merchant === null) return 'notFound';
      if (asked.body.method !== 'card')
        return asked.body.method === 'boleto' ? 'notFound' : { payment: asked.body, merchant };
      const [payment = asked.body] = await withBuyers([asked.body], visit, tools);
      return { payment, merchant };
    },
    view: receipt,
  }),
];

function receipt({ payment, merchant }: Found, { wording }: Visit): Html {
  const { say, money } = wording;
  const installments = payment.method === 'card' ? payment.installments : [];
  return html`<p class="headline"><strong>${money(payment.value)}</strong> ${paymentBadges(payment, wording)}</p>
${facts([
  [say('Merchant'), merchant.legalName],
  ['CNPJ', documentText(merchant.cnpj)],
  [say('Sold at'), moment(wording, payment.transactionMoment)],
  [say('Reference'), payment.referenceTransaction ?? '–'],
  ...methodFacts(payment, wording),
  ['NSU', payment.nsu ?? '–'],
  [say(payment.method === 'pix' ? 'Returned' : 'Given back'), money(payment.canceledAmount)],
  [say('Payment id'), html`<code>${payment.paymentId}</code>`],
])}
${
  installments.length > 0 &&
  section(
    say('Installments'),
    table(say('Installments'), installments, [
      { title: say('Number'), isNumber: true, cell: (one) => one.installmentNumber },
      { title: say('Amount'), isNumber: true, cell: (one) => money(one.amount) },
      { title: say('Given back'), isNumber: true, cell: (one) => money(one.canceledAmount) },
      { title: say('Status'), cell: (one) => stateBadge(PAYMENT_STATES, one.status, wording) },
    ]),
  )
}`;
}

function methodFacts(payment: Receipted, { say, money }: Wording): readonly (readonly [string, Shown])[] {
  if (payment.method === 'card')
    return [
      ...named(say('Customer'), payment.buyer ?? null, say('Document')),
      [say('Card'), cardText(payment.card)],
      [say('Authorization code'), payment.authorizationCode ?? '–'],
    ];
  const { payer, paidAmount } = payment;
  const paid = payingOf(payment);
  return [
    [say('Method'), 'Pix'],
    ...named(say('Payer'), buyerOf(payer), say('Document')),
    [say('Paid amount'), paidAmount === null ? '–' : money(paidAmount)],
    ['endToEndId', paid === undefined ? '–' : html`<code>${paid.endToEndId}</code>`],
  ];
}

function named(title: string, buyer: Buyer | null, ofDocument: string) {
  return [
    [title, buyer?.name ?? '–'],
    [ofDocument, shownDocument(buyer?.document ?? null)],
  ] as const;
}
