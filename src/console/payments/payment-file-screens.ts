import { LIST_PAYMENTS } from '../../payments/list/contract.ts';
import { LIST_DAYS } from '../../reconciliation/days/endpoints.ts';
import type { InstallmentMoney } from '../../reconciliation/receivables/receivables.sql.ts';
import { instant, saoPauloDay } from '../../values/instant.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { buyerCells } from '../parts/buyer-parts.ts';
import { dayCell, type FileCell, fileScreens, momentCell, reaisCell } from '../parts/file-screens.ts';
import { brandText, type Column } from '../parts/page-parts.ts';
import { PAYMENT_FILES } from '../parts/paths.ts';
import type { Screen, Visit } from '../parts/screen.ts';
import { METHOD_WORDS, PAYMENT_STATES, payingOf } from '../parts/states.ts';
import { buyerOfPayment, withBuyersOfFile } from './buyers-view.ts';
import { periodOf, wantedOf } from './payment-screens.ts';
import type { ShownPayment } from './shown-payment.ts';

/**
 * What a payment brings, in cents. `net`: its amount less fees and refunds. `received`: what arrived of it,
 * less fees. Null: unknown.
 */
type Brought = {
  readonly fee: number | null;
  readonly net: number | null;
  readonly received: number | null;
};

/** `brought` absent: nothing is expected of the payment, or it is not known yet. */
type WrittenPayment = ShownPayment & { readonly brought?: Brought | undefined };

function broughtByCard(installments: readonly InstallmentMoney[]): Brought {
  const sum = (of: (one: InstallmentMoney) => number | null) =>
    installments.reduce<number | null>((all, one) => {
      const part = of(one);
      return all === null || part === null ? null : all + part;
    }, 0);
  return {
    fee: sum(({ fee }) => fee),
    net: sum(({ net }) => net),
    received: sum(({ hasCome, received }) => (hasCome ? received : 0)),
  };
}

/** What a boleto or Pix brings, once it is paid. The operator takes no fee for boletos. */
function broughtByBill(one: Exclude<ShownPayment, { readonly method: 'card' }>): Brought | undefined {
  const { paidAmount } = one;
  if (paidAmount === null) return undefined;
  if (one.method === 'boleto') return { fee: 0, net: paidAmount, received: paidAmount };
  const { fee, netAmount } = one;
  const returned = payingOf(one)?.canceledAmount ?? 0;
  return { fee, net: netAmount === null ? null : netAmount - returned, received: netAmount };
}

const cardOf = (one: ShownPayment) => (one.method === 'card' ? one : null);
const pixOf = (one: ShownPayment) => (one.method === 'pix' ? one : null);
const billOf = (one: ShownPayment) => (one.method === 'card' ? null : one);

function paymentFileColumns(visit: Visit): readonly Column<WrittenPayment>[] {
  const { say } = visit.wording;
  const cells = buyerCells(visit);
  const verdictOf = (one: ShownPayment): FileCell => {
    const verdict = cardOf(one)?.antifraud ?? null;
    return verdict === null ? null : say(verdict === 'accept' ? 'Accepted' : 'To be reviewed');
  };
  return [
    { title: say('Sold at'), file: ({ transactionMoment }) => momentCell(transactionMoment) },
    { title: say('Reference'), file: ({ referenceTransaction }) => referenceTransaction },
    { title: say('Customer'), file: (one) => buyerOfPayment(one)?.name },
    { title: say('Document'), file: (one) => cells.document(buyerOfPayment(one)?.document) },
    { title: 'E-mail', file: (one) => cells.email(buyerOfPayment(one)?.email) },
    { title: say('Method'), file: ({ method }) => say(METHOD_WORDS[method]) },
    { title: say('Status'), file: ({ statusDescription }) => say(PAYMENT_STATES[statusDescription].text) },
    { title: say('Amount'), file: ({ value }) => reaisCell(value) },
    { title: say('Paid amount'), file: (one) => reaisCell(billOf(one)?.paidAmount) },
    { title: say('Given back'), file: ({ canceledAmount }) => reaisCell(canceledAmount) },
    { title: say('Being given back'), file: ({ cancelingAmount }) => reaisCell(cancelingAmount) },
    { title: say('Fees'), file: (one) => reaisCell(one.brought?.fee) },
    { title: say('Net'), file: (one) => reaisCell(one.brought?.net) },
    { title: say('Received'), file: (one) => reaisCell(one.brought?.received) },
    { title: say('Installments'), file: (one) => cardOf(one)?.installments.length },
    { title: say('Brand'), file: (one) => brandOf(one) },
    { title: say('Card'), file: (one) => cardNumberOf(one) },
    { title: 'NSU', file: ({ nsu }) => nsu },
    { title: say('Authorization code'), file: ({ authorizationCode }) => authorizationCode },
    { title: say('Return code'), file: (one) => cardOf(one)?.returnCode },
    { title: say('Description'), file: (one) => cardOf(one)?.description },
    { title: say('Anti-fraud'), file: verdictOf },
    { title: say('Reasons of anti-fraud'), file: (one) => cardOf(one)?.antifraudReasons.join(' ') },
    { title: say('Due'), file: (one) => dayCell(billOf(one)?.dueDate) },
    { title: 'txid', file: (one) => pixOf(one)?.txid },
    { title: 'endToEndId', file: (one) => (one.method === 'pix' ? payingOf(one)?.endToEndId : null) },
    { title: say('Billing'), file: ({ billingId }) => billingId },
    { title: say('Payment'), file: ({ paymentId }) => paymentId },
  ];
}

function brandOf(one: ShownPayment): FileCell {
  const { card } = cardOf(one) ?? {};
  return card && brandText(card.brand);
}

function cardNumberOf(one: ShownPayment): FileCell {
  const { card } = cardOf(one) ?? {};
  return card && `${card.firstSix}******${card.lastFour}`;
}

export const PAYMENT_FILE_SCREENS: readonly Screen<MerchantPageTools>[] = fileScreens<
  WrittenPayment,
  MerchantPageTools
>({
  paths: PAYMENT_FILES,
  titles: { csv: 'CSV of payments', xlsx: 'XLSX of payments' },
  contract: () => LIST_PAYMENTS,
  query: wantedOf,
  /** The file is refused while receivables have not followed the latest sales: it would have former fees. */
  before(visit) {
    const [accountNumber] = visit.accountNumbers;
    const day = saoPauloDay(instant(visit.now));
    if (accountNumber === undefined) return null;
    return visit.ask(LIST_DAYS, { query: { accountNumber, from: day, to: day } });
  },
  name(visit) {
    const { from, to } = periodOf(visit);
    return ['payments', visit.merchantId, from, to];
  },
  columns: paymentFileColumns,
  async fill(payments, visit, tools) {
    const named = await withBuyersOfFile(payments, visit, tools);
    const ids = payments.flatMap((one) => (one.method === 'card' ? [one.paymentId] : []));
    const money = await tools.findMoneyOfFile(visit.merchantId, ids);
    const byPayment = Map.groupBy(money, ({ transactionId }) => transactionId);
    return named.map((one) => {
      if (one.method !== 'card') return { ...one, brought: broughtByBill(one) };
      const installments = byPayment.get(one.paymentId);
      return { ...one, brought: installments && broughtByCard(installments) };
    });
  },
});
