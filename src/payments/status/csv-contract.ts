import type { Language } from '../../platform/http/sentence.ts';
import { linesOf, type RowFormat } from '../../platform/row-format.ts';
import { CSV_TYPE, type CsvCell, csvLine } from '../../values/csv.ts';
import type { FoundPayment } from '../payment.ts';
import { PAYMENT_EXAMPLE, type WithoutShares, writeSharedFields } from './contract.ts';

type Shown = Readonly<Record<string, unknown>> & {
  readonly card: Readonly<Record<string, CsvCell>>;
  readonly installments: readonly unknown[];
  readonly antifraudReasons: readonly string[];
};

const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8';

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

/** How payments are written as CSV, a page of them or all. */
export function csvOfPayments(language: Language): RowFormat<FoundPayment<WithoutShares>> {
  const line = (found: FoundPayment<WithoutShares>) => writeLine(writeSharedFields(found, language) as Shown);
  return { type: CSV_TYPE, head: HEAD, line };
}

/** A JSON object a line, as a list shows it but for its split. */
export function ndjsonOfPayments(language: Language): RowFormat<FoundPayment<WithoutShares>> {
  const line = (found: FoundPayment<WithoutShares>) =>
    `${JSON.stringify(writeSharedFields(found, language))}\n`;
  return { type: NDJSON_TYPE, head: '', line };
}

/** A page of payments as CSV. */
export function writeCsv(payments: readonly FoundPayment<WithoutShares>[], language: Language): string {
  return HEAD + linesOf(payments, csvOfPayments(language).line);
}

export const NDJSON_EXAMPLE = `${JSON.stringify(PAYMENT_EXAMPLE)}\n`;
export const CSV_EXAMPLE = HEAD + writeLine(PAYMENT_EXAMPLE);
