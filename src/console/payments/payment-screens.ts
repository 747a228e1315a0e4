import { LIST_PAYMENTS } from '../../payments/list/contract.ts';
import { type CardPayment, GET_PAYMENT } from '../../payments/status/contract.ts';
import type { Receivable } from '../../reconciliation/receivables/receivable.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import { listScreen } from '../filters/list-screens.ts';
import { MAY_SEE_ACTS, type ShownAct } from '../history/history-screens.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { fileLinks } from '../parts/file-screens.ts';
import { type Html, html } from '../parts/html.ts';
import { boletoPath, PAYMENT, PAYMENT_FILES, PAYMENTS } from '../parts/paths.ts';
import { mayUse, OF_MERCHANT, type Screen, screen, type Visit } from '../parts/screen.ts';
import { methodChoices, PAYMENT_STATES, stateChoices } from '../parts/states.ts';
import { withBuyers } from './buyers-view.ts';
import { GIVE_BACK_SCREEN } from './give-back-screens.ts';
import { paymentTable } from './payment-list-view.ts';
import { paymentPage } from './payment-view.ts';
import { type PixFound, pixPage } from './pix-view.ts';
import type { PaymentFound, ShownPayment, ShownPix } from './shown-payment.ts';

const USUAL_DAYS = 7;
const REFRESH_SECONDS = 10;
/**
 * Statuses whose list may take long: the index by status leaves out payments that are being charged, and
 * approved ones without a later change.
 */
const NOT_INDEXED: readonly string[] = [
  'Processando',
  'Autorizada',
] satisfies (keyof typeof PAYMENT_STATES)[];

export function periodOf({ query, now }: Visit): { readonly from: string; readonly to: string } {
  const today = saoPauloDay(instant(now));
  const { dateRangeStartDate, dateRangeEndDate } = query;
  return { from: dateRangeStartDate ?? addDays(today, 1 - USUAL_DAYS), to: dateRangeEndDate ?? today };
}

const PARTLY_RETURNED = 'partlyReturned';

function filtersOf(visit: Visit) {
  const { from, to } = periodOf(visit);
  const { method, status, lastFour, referenceTransaction, orderBy } = visit.query;
  const days = { dateRangeStartDate: from, dateRangeEndDate: to };
  return { ...days, method, status, lastFour, referenceTransaction, orderBy };
}

export function wantedOf(visit: Visit) {
  const filters = filtersOf(visit);
  if (filters.status !== PARTLY_RETURNED) return filters;
  return { ...filters, status: undefined, isPartlyReturned: 'true' };
}

const PAYMENTS_SCREEN: Screen<MerchantPageTools> = listScreen<ShownPayment>({
  path: PAYMENTS,
  ...OF_MERCHANT,
  title: 'Payments',
  list: 'payments',
  refreshSeconds: REFRESH_SECONDS,
  contract: LIST_PAYMENTS,
  query: wantedOf,
  mayTakeLong: ({ query: { status = '', lastFour, referenceTransaction } }) =>
    NOT_INDEXED.includes(status) && lastFour === undefined && referenceTransaction === undefined,
  filters(visit) {
    const { say } = visit.wording;
    const { from, to } = periodOf(visit);
    return [
      { name: 'dateRangeStartDate', label: say('From'), type: 'date', value: from },
      { name: 'dateRangeEndDate', label: say('To'), type: 'date', value: to },
      {
        name: 'method',
        label: say('Method'),
        choices: methodChoices(visit.wording),
      },
      {
        name: 'status',
        label: say('Status'),
        choices: [
          ...stateChoices(PAYMENT_STATES, visit.wording),
          [PARTLY_RETURNED, say('Given back in part')],
        ],
      },
      { name: 'lastFour', label: say('Last four'), mostCharacters: 4 },
      { name: 'referenceTransaction', label: say('Reference'), mostCharacters: 50 },
    ];
  },
  empty: [
    'No payment in these days.',
    'Choose other days, or fewer filters. A payment appears here as soon as it is asked for.',
  ],
  fill: withBuyers,
  beside: filesPart,
  view: paymentTable,
});

/** Links to files of all payments that were found, even if they are more than the list shows. */
function filesPart(visit: Visit): Html {
  const { say } = visit.wording;
  return html`<p class="links">${fileLinks(PAYMENT_FILES, filtersOf(visit), say('All payments that were found'), visit)} <small>${say('A file may have ten years.')}</small></p>`;
}

const PAYMENT_SCREEN: Screen<MerchantPageTools> = screen<MerchantPageTools, PaymentFound | PixFound>({
  path: PAYMENT,
  ...OF_MERCHANT,
  title: 'Payment',
  refreshSeconds: REFRESH_SECONDS,
  async read(visit, tools) {
    const { paymentId = '' } = visit.parameters;
    const { splitPage } = visit.query;
    const asked = await visit.ask(GET_PAYMENT, { parameters: { paymentId }, query: { splitPage } });
    if (!asked.ok) return 'notFound';
    const { body } = asked;
    if (body.method === 'boleto') return { leadsTo: boletoPath(visit.merchantId, paymentId) };
    const acts = mayUse(MAY_SEE_ACTS, visit.user) ? await tools.listThingHistory(visit, paymentId) : [];
    if (body.method === 'pix') return findPix(body, visit, tools, acts);
    const { merchantId } = visit;
    const { paymentId: transactionId, nsu } = body;
    const [payment = body] = await withBuyers([body], visit, tools);
    if (nsu === null)
      return { payment, acts, movements: [], deliveries: [], receivables: [], chargebacks: [] };
    const [movements, deliveries, owed, chargebacks] = await Promise.all([
      tools.findMovements(merchantId, transactionId),
      tools.findDeliveries(merchantId, { nsu, transactionId }),
      tools.findReceivables(merchantId, transactionId),
      tools.findChargebacks(merchantId, transactionId),
    ]);
    // Receivables follow a refund a moment later. Until then they are not shown: their figures are old.
    const receivables = isOfNow(owed, body) ? owed : [];
    return { payment, acts, movements, deliveries, receivables, chargebacks };
  },
  view: (found, visit) => ('pix' in found ? pixPage(found, visit) : paymentPage(found, visit)),
});

function isOfNow(owed: readonly Receivable[], { installments }: CardPayment): boolean {
  const canceled = new Map(installments.map((one) => [one.installmentNumber, one.canceledAmount]));
  return owed.every((one) => canceled.get(one.installmentNumber) === one.canceled);
}

/** A Pix that is not paid has no NSU, by which its notifications could be found. */
async function findPix(
  pix: ShownPix,
  { merchantId }: Visit,
  tools: MerchantPageTools,
  acts: readonly ShownAct[],
): Promise<PixFound> {
  const { nsu, paymentId: transactionId } = pix;
  return {
    pix,
    acts,
    deliveries: nsu === null ? [] : await tools.findDeliveries(merchantId, { nsu, transactionId }),
  };
}

export const PAYMENT_SCREENS: readonly Screen<MerchantPageTools>[] = [
  PAYMENTS_SCREEN,
  PAYMENT_SCREEN,
  GIVE_BACK_SCREEN,
];
