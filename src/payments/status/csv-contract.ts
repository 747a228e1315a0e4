import type { Language } from '../../platform/http/sentence.ts';
import type { ListedTransaction } from '../../transactions/transaction.ts';
import { type CsvCell, csvLine } from '../../values/csv.ts';
import type { FoundPayment } from '../payment.ts';
import { PAYMENT_EXAMPLE, writeListedPayment } from './contract.ts';

type Shown = Readonly<Record<string, unknown>> & {
  readonly card: Readonly<Record<string, CsvCell>>;
  readonly installments: readonly unknown[];
  readonly antifraudReasons: readonly string[];
};

/** Fields of a payment in a list, in this order; a payment is one line, however many installments it has. */
const COLUMNS = [
  'paymentId',
  'referenceTransaction',
  'billingId',
  'statusDescription',
  'returnCode',
  'description',
  'retryable',
  'transactionDate',
  'authorizationCode',
  'nsu',
  'brand',
  'firstSix',
  'lastFour',
  'value',
  'canceledAmount',
  'cancelingAmount',
  'installments',
  'antifraud',
  'antifraudReasons',
] as const;

/** As lists show them: of the card each field by itself, of installments their number. */
function writeLine(shown: Shown): string {
  const { card, installments, antifraudReasons } = shown;
  const cells: Readonly<Record<string, unknown>> = {
    ...shown,
    ...card,
    installments: installments.length,
    antifraudReasons: antifraudReasons.join(' '),
  };
  return csvLine(COLUMNS.map((name) => cells[name] as CsvCell));
}

const HEAD = csvLine(COLUMNS);

/** A page of payments as CSV. */
export function writeCsv(payments: readonly FoundPayment<ListedTransaction>[], language: Language): string {
  return HEAD + payments.map((found) => writeLine(writeListedPayment(found, language) as Shown)).join('');
}

export const CSV_EXAMPLE = HEAD + writeLine(PAYMENT_EXAMPLE);
