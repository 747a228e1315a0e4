import type { Cents } from '../../values/cents.ts';
import { type CsvColumn, momentCell, reaisCell } from '../parts/csv-cells.ts';

/** A payment as a stream of the list writes it; what it has not, is not there. */
type StreamedPayment = {
  readonly paymentId: string;
  readonly referenceTransaction: string | null;
  readonly billingId: string | null;
  readonly statusDescription: string;
  readonly returnCode?: string;
  readonly description?: string;
  readonly transactionDate: string;
  readonly authorizationCode: string | null;
  readonly nsu: string | null;
  readonly card: { readonly brand: string; readonly firstSix: string; readonly lastFour: string };
  readonly value: Cents;
  readonly canceledAmount: Cents;
  readonly cancelingAmount: Cents;
  readonly installments: readonly unknown[];
  readonly antifraud: string | null;
  readonly antifraudReasons: readonly string[];
};

export const PAYMENT_COLUMNS: readonly CsvColumn<StreamedPayment>[] = [
  ['Payment', ({ paymentId }) => paymentId],
  ['Reference', ({ referenceTransaction }) => referenceTransaction],
  ['Billing', ({ billingId }) => billingId],
  ['Sold at', ({ transactionDate }) => momentCell(transactionDate)],
  ['Status', ({ statusDescription }) => statusDescription],
  ['Return code', ({ returnCode }) => returnCode],
  ['Description', ({ description }) => description],
  ['Brand', ({ card }) => card.brand],
  ['Card', ({ card }) => `${card.firstSix}******${card.lastFour}`],
  ['Authorization code', ({ authorizationCode }) => authorizationCode],
  ['NSU', ({ nsu }) => nsu],
  ['Amount', ({ value }) => reaisCell(value)],
  ['Given back', ({ canceledAmount }) => reaisCell(canceledAmount)],
  ['Being given back', ({ cancelingAmount }) => reaisCell(cancelingAmount)],
  ['Installments', ({ installments }) => installments.length],
  ['Anti-fraud', ({ antifraud }) => antifraud],
  ['Reasons of anti-fraud', ({ antifraudReasons }) => antifraudReasons.join(' ')],
];
