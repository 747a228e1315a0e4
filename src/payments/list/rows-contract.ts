import type { Language } from '../../platform/http/sentence.ts';
import { linesOf, type RowFormat } from '../../platform/row-format.ts';
import type { Pix } from '../../transactions/methods/pix/pix.ts';
import { writePixPayment } from '../../transactions/methods/pix/pix-contract.ts';
import { CSV_TYPE, type CsvCell, csvLine } from '../../values/csv.ts';
import type { ListedPayment } from '../payment.ts';
import { writeBoletoPayment } from '../status/boleto-contract.ts';
import { PAYMENT_EXAMPLE, type WithoutShares, writeCardFields } from '../status/contract.ts';

/** `pages`: the address of the pages for payers. `feeOf`: the fee of a Pix. */
export type RowReader = {
  readonly language: Language;
  readonly pages: string;
  readonly feeOf: (pix: Pix) => number;
};

type Listed = ListedPayment<WithoutShares>;

/** A row as in a list, without the split. */
function writeRow(listed: Listed, reader: RowReader): object {
  switch (listed.method) {
    case 'card':
      return writeCardFields(listed, reader.language);
    case 'pix':
      return writeListedPix(listed.pix, reader);
    case 'boleto':
      return writeBoletoPayment(listed.boleto);
  }
}

export function writeListedPix(pix: Pix, { pages, feeOf }: RowReader): object {
  return writePixPayment(pix, null, { pages, feePortion: feeOf(pix) });
}

type Shown = Readonly<Record<string, unknown>>;

const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8';

/**
 * In this order; a payment is one line, with any number of installments. Fields that a method lacks are
 * empty.
 */
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
  'acquirer',
  'brand',
  'firstSix',
  'lastFour',
  'value',
  'canceledAmount',
  'cancelingAmount',
  'installments',
  'antifraud',
  'antifraudReasons',
  'method',
  'bank',
  'txid',
  'endToEndId',
  'dueDate',
  'paidAmount',
  'fee',
  'netAmount',
] as const;

const csvLineOf = (cells: Shown) => csvLine(COLUMNS.map((name) => cells[name] as CsvCell));

/** The card's fields separately; of installments only the number. */
function cardLine(shown: Shown): string {
  const { card, installments, antifraudReasons } = shown as {
    readonly card: Readonly<Record<string, CsvCell>>;
    readonly installments: readonly unknown[];
    readonly antifraudReasons: readonly string[];
  };
  const reasons = antifraudReasons.join(' ');
  return csvLineOf({ ...shown, ...card, installments: installments.length, antifraudReasons: reasons });
}

/** `description` of a Pix is the text shown to its payer; of a card, why it was declined. */
function writeLine(listed: Listed, reader: RowReader): string {
  const shown = writeRow(listed, reader) as Shown;
  switch (listed.method) {
    case 'card':
      return cardLine(shown);
    case 'pix': {
      const endToEndId = listed.pix.payment?.endToEndId ?? null;
      return csvLineOf({ ...shown, description: null, endToEndId });
    }
    case 'boleto':
      return csvLineOf(shown);
  }
}

const HEAD = csvLine(COLUMNS);

export function csvOfPayments(reader: RowReader): RowFormat<Listed> {
  return { type: CSV_TYPE, head: HEAD, line: (listed) => writeLine(listed, reader) };
}

/** A JSON object a line, as in a list without the split. */
export function ndjsonOfPayments(reader: RowReader): RowFormat<Listed> {
  const line = (listed: Listed) => `${JSON.stringify(writeRow(listed, reader))}\n`;
  return { type: NDJSON_TYPE, head: '', line };
}

export function writeCsv(payments: readonly Listed[], reader: RowReader): string {
  return HEAD + linesOf(payments, csvOfPayments(reader).line);
}

export const NDJSON_EXAMPLE = `${JSON.stringify(PAYMENT_EXAMPLE)}\n`;
export const CSV_EXAMPLE = HEAD + cardLine(PAYMENT_EXAMPLE);
