import { EXPORT_BY_PAYMENT, EXPORT_BY_SALE } from '../../reconciliation/exports/endpoints.ts';
import type { InstallmentMoney } from '../../reconciliation/receivables/receivables.sql.ts';
import type { Buyer } from '../../transactions/customers/buyer.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { isUuid } from '../../values/ids.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { buyerCells } from '../parts/buyer-parts.ts';
import {
  amountCell,
  dayCell,
  fileScreens,
  momentCell,
  portionCell,
  reaisCell,
} from '../parts/file-screens.ts';
import { accountOf, brandText, type Column } from '../parts/page-parts.ts';
import { RECEIVABLE_FILES } from '../parts/paths.ts';
import type { Screen, Visit } from '../parts/screen.ts';
import { periodOf, USUAL_DAYS } from './days-screens.ts';

type ExportedInstallment = {
  readonly transactionDate: string;
  readonly cardNumber: string;
  readonly cardType: string;
  readonly cardName: CardBrand;
  readonly codAuth: string | null;
  readonly nsu: string | null;
  readonly installmentNumber: number;
  readonly installmentsCount: number;
  readonly installmentValue: number;
  readonly transactionTotalValue: number;
  readonly installmentStatus: string;
  readonly discountMdrValue: number;
  readonly discountMdrTax: number;
  readonly discountAntecipationValue: number;
  readonly discountAntecipationTax: number;
  readonly receivedValue: number | null;
  readonly receivedDateForecast: string;
  readonly receivedDateEffective: string | null;
  readonly receivedType: string;
  readonly receivedStatus: string;
  readonly transactionReference: string | null;
  readonly transactionPaymentIdWeb: string;
  readonly buyer?: Buyer | undefined;
  readonly money?: InstallmentMoney | undefined;
};

function receivableColumns(visit: Visit): readonly Column<ExportedInstallment>[] {
  const { say } = visit.wording;
  const cells = buyerCells(visit);
  return [
    { title: say('Sold at'), file: ({ transactionDate }) => momentCell(transactionDate) },
    { title: say('Reference'), file: ({ transactionReference }) => transactionReference },
    { title: say('Payment'), file: ({ transactionPaymentIdWeb }) => transactionPaymentIdWeb },
    { title: say('Customer'), file: ({ buyer }) => buyer?.name },
    { title: say('Document'), file: ({ buyer }) => cells.document(buyer?.document) },
    { title: 'E-mail', file: ({ buyer }) => cells.email(buyer?.email) },
    { title: say('Card'), file: ({ cardNumber }) => cardNumber },
    { title: say('Brand'), file: ({ cardName }) => brandText(cardName) },
    { title: say('Product'), file: ({ cardType }) => cardType },
    { title: say('Authorization code'), file: ({ codAuth }) => codAuth },
    { title: say('NSU'), file: ({ nsu }) => nsu },
    { title: say('Installment'), file: ({ installmentNumber }) => installmentNumber },
    { title: say('Installments'), file: ({ installmentsCount }) => installmentsCount },
    { title: say('Amount of the installment'), file: ({ installmentValue }) => amountCell(installmentValue) },
    {
      title: say('Amount of the sale'),
      file: ({ transactionTotalValue }) => amountCell(transactionTotalValue),
    },
    { title: say('State of the installment'), file: ({ installmentStatus }) => installmentStatus },
    { title: say('Given back'), file: ({ money }) => reaisCell(money?.canceled) },
    { title: say('Fee'), file: ({ discountMdrValue }) => amountCell(discountMdrValue) },
    { title: say('Fee (%)'), file: ({ discountMdrTax }) => portionCell(discountMdrTax) },
    {
      title: say('Anticipation'),
      file: ({ discountAntecipationValue }) => amountCell(discountAntecipationValue),
    },
    {
      title: say('Anticipation (%)'),
      file: ({ discountAntecipationTax }) => portionCell(discountAntecipationTax),
    },
    { title: say('Net'), file: ({ money }) => reaisCell(money?.net) },
    { title: say('Received'), file: ({ receivedValue }) => amountCell(receivedValue) },
    { title: say('Expected on'), file: ({ receivedDateForecast }) => dayCell(receivedDateForecast) },
    { title: say('Received on'), file: ({ receivedDateEffective }) => dayCell(receivedDateEffective) },
    { title: say('Kind of receipt'), file: ({ receivedType }) => receivedType },
    { title: say('State of the receipt'), file: ({ receivedStatus }) => receivedStatus },
  ];
}

const isByPayment = ({ query }: Visit) => query.by === 'payment';

export const RECEIVABLE_FILE_SCREENS: readonly Screen<MerchantPageTools>[] = fileScreens<
  ExportedInstallment,
  MerchantPageTools
>({
  paths: RECEIVABLE_FILES,
  titles: { csv: 'CSV of reconciliation', xlsx: 'XLSX of reconciliation' },
  contract: (visit) => (isByPayment(visit) ? EXPORT_BY_PAYMENT : EXPORT_BY_SALE),
  query(visit) {
    const { from: startDate, to: endDate } = periodOf(visit, USUAL_DAYS);
    return { accountNumber: accountOf(visit), startDate, endDate };
  },
  name(visit) {
    const { from, to } = periodOf(visit, USUAL_DAYS);
    return [isByPayment(visit) ? 'received' : 'sold', accountOf(visit), from, to];
  },
  columns: receivableColumns,
  async fill(rows, { merchantId }, { findBuyersOfFile, findMoneyOfFile }) {
    const payments = new Map(
      rows.map(({ transactionPaymentIdWeb: paymentId, transactionReference: reference }) => [
        paymentId,
        { paymentId, billingId: reference !== null && isUuid(reference) ? reference : null },
      ]),
    );
    const buyers = await findBuyersOfFile(merchantId, [...payments.values()]);
    const money = await findMoneyOfFile(merchantId, [...payments.keys()]);
    const keyOf = (id: string, number: number) => `${id} ${number}`;
    const byKey = new Map(money.map((one) => [keyOf(one.transactionId, one.installmentNumber), one]));
    return rows.map((row) => {
      const { transactionPaymentIdWeb: id, installmentNumber } = row;
      return { ...row, buyer: buyers.get(id), money: byKey.get(keyOf(id, installmentNumber)) };
    });
  },
});
