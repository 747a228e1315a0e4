import { type CsvColumn, decimals, momentCell } from '../parts/csv-cells.ts';

/** An installment as the exports of reconciliation write it. */
type ExportedInstallment = {
  readonly transactionDate: string;
  readonly cardNumber: string;
  readonly cardType: string;
  readonly cardName: string;
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
};

/** Decimals of a percentage. */
const OF_PERCENT = 4;

export const RECEIVABLE_COLUMNS: readonly CsvColumn<ExportedInstallment>[] = [
  ['Sold at', ({ transactionDate }) => momentCell(transactionDate)],
  ['Reference', ({ transactionReference }) => transactionReference],
  ['Payment', ({ transactionPaymentIdWeb }) => transactionPaymentIdWeb],
  ['Card', ({ cardNumber }) => cardNumber],
  ['Brand', ({ cardName }) => cardName],
  ['Product', ({ cardType }) => cardType],
  ['Authorization code', ({ codAuth }) => codAuth],
  ['NSU', ({ nsu }) => nsu],
  ['Installment', ({ installmentNumber }) => installmentNumber],
  ['Installments', ({ installmentsCount }) => installmentsCount],
  ['Amount of the installment', ({ installmentValue }) => decimals(installmentValue)],
  ['Amount of the sale', ({ transactionTotalValue }) => decimals(transactionTotalValue)],
  ['State of the installment', ({ installmentStatus }) => installmentStatus],
  ['Fee', ({ discountMdrValue }) => decimals(discountMdrValue)],
  ['Fee (%)', ({ discountMdrTax }) => decimals(discountMdrTax, OF_PERCENT)],
  ['Anticipation', ({ discountAntecipationValue }) => decimals(discountAntecipationValue)],
  ['Anticipation (%)', ({ discountAntecipationTax }) => decimals(discountAntecipationTax, OF_PERCENT)],
  ['Received', ({ receivedValue }) => decimals(receivedValue)],
  ['Expected on', ({ receivedDateForecast }) => receivedDateForecast],
  ['Received on', ({ receivedDateEffective }) => receivedDateEffective],
  ['Kind of receipt', ({ receivedType }) => receivedType],
  ['State of the receipt', ({ receivedStatus }) => receivedStatus],
];
