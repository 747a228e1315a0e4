import { type Field, recordLayout } from '../records/fixed-width.ts';
import type { Movements } from './bank.ts';
import type { BoletoNumber } from './boleto-number.ts';

/** CNAB 240 by FEBRABAN, return file of collection (cobrança): lots of segment pairs T and U. */

export const FILE_HEADER = recordLayout('0', 'Header of the file', 'The first line.', [
  ['bank', 1, 3, 'text', 'Code of the bank'],
  ['lot', 4, 7, '= 0000', 'Lot: none'],
  ['recordType', 8, 8, '= 0', 'Record'],
  ['reserved', 9, 17, 'any', 'Blanks'],
  ['company', 18, 72, 'document?', 'The company: its document, agreement, branch and account'],
  ['companyName', 73, 102, 'any', 'Name of the company'],
  ['bankName', 103, 132, 'text?', 'Name of the bank'],
  ['reservedToo', 133, 142, 'any', 'Blanks'],
  [
    'direction',
    143,
    143,
    'code direction',
    '2: a return file; at Caixa 7 too, one of the same day (retorno on-line)',
  ],
  ['madeOn', 144, 151, 'day DDMMYYYY', 'Day on which it was made'],
  ['madeAt', 152, 157, 'time?', 'Time'],
  ['sequence', 158, 163, 'count?', "The bank's number of the file"],
  ['version', 164, 166, 'text?', 'Version of the layout; it differs from bank to bank'],
  ['rest', 167, 240, 'any', "The bank's own"],
]);

export const LOT_HEADER = recordLayout('1', 'Header of a lot', 'Begins a lot.', [
  ['bank', 1, 3, 'text', 'Code of the bank'],
  ['lot', 4, 7, 'count', "Number of the lot, from 1, or the bank's own"],
  ['recordType', 8, 8, '= 1', 'Record'],
  ['operation', 9, 9, '= T', 'T: return'],
  ['service', 10, 11, '= 01', '01: collection (cobrança)'],
  ['rest', 12, 240, 'any', 'The company, and messages'],
]);

export const TITLE = recordLayout('3T', 'Segment T', 'Which boleto, and what became of it.', [
  ['bank', 1, 3, 'text', 'Code of the bank'],
  ['lot', 4, 7, 'count', 'Number of the lot'],
  ['recordType', 8, 8, '= 3', 'Record'],
  ['number', 9, 13, 'count', 'Number of the record in its lot, from 1'],
  ['segment', 14, 14, '= T', 'Segment'],
  ['reserved', 15, 15, 'any', 'A blank'],
  ['movement', 16, 17, 'code movement', 'What became of it: see the movements'],
  ['account', 18, 37, 'document?', 'Branch and account'],
  [
    'bankNumber',
    38,
    57,
    'text?',
    "The bank's number of the boleto; at some banks its portfolio or installment is in it",
  ],
  ['portfolio', 58, 58, 'any', 'Portfolio'],
  ['documentNumber', 59, 73, 'text?', "The merchant's number of it"],
  ['dueOn', 74, 81, 'day DDMMYYYY?', 'Due day'],
  ['value', 82, 96, 'cents?', 'Its value'],
  ['receivedBy', 97, 105, 'any', 'Bank and branch that were paid'],
  ['companyUse', 106, 130, 'text?', 'What the company wrote when it registered it: our number'],
  ['currency', 131, 132, 'any', 'Currency'],
  ['payerDocument', 133, 148, 'document?', "The payer's CPF or CNPJ"],
  ['payerName', 149, 188, 'any', 'The payer; it is not kept'],
  ['contract', 189, 198, 'any', 'Contract of a credit'],
  ['fee', 199, 213, 'cents?', 'What the bank keeps for it'],
  ['reasons', 214, 223, 'text?', 'Up to five reasons of two digits'],
  ['rest', 224, 240, 'any', "The bank's own"],
]);

const SHORT_NUMBER: readonly Field[] = [
  ['documentNumber', 59, 69, 'text?', "The merchant's number of it"],
  ['own', 70, 73, 'any', "Caixa's own"],
];

export const TITLE_OF_CAIXA = recordLayout(
  '3T',
  'Segment T of Caixa',
  'As the other T, with a shorter number of the merchant.',
  TITLE.fields.flatMap((field): readonly Field[] => (field[0] === 'documentNumber' ? SHORT_NUMBER : [field])),
) as unknown as typeof TITLE;

/** Santander has no check digit of the branch, so the next fields are four or five positions earlier. */
export const TITLE_OF_SANTANDER = recordLayout('3T', 'Segment T of Santander', 'As the other T.', [
  ['bank', 1, 3, 'text', 'Code of the bank'],
  ['lot', 4, 7, 'count', 'Number of the lot'],
  ['recordType', 8, 8, '= 3', 'Record'],
  ['number', 9, 13, 'count', 'Number of the record in its lot, from 1'],
  ['segment', 14, 14, '= T', 'Segment'],
  ['reserved', 15, 15, 'any', 'A blank'],
  ['movement', 16, 17, 'code movement', 'What became of it: see the movements'],
  ['account', 18, 40, 'document?', 'Branch and account'],
  ['bankNumber', 41, 53, 'text?', "The bank's number of the boleto"],
  ['portfolio', 54, 54, 'any', 'Portfolio'],
  ['documentNumber', 55, 69, 'text?', "The merchant's number of it"],
  ['dueOn', 70, 77, 'day DDMMYYYY?', 'Due day'],
  ['value', 78, 92, 'cents?', 'Its value'],
  ['receivedBy', 93, 100, 'any', 'Bank and branch that were paid'],
  ['companyUse', 101, 125, 'text?', 'What the company wrote when it registered it: our number'],
  ['currency', 126, 127, 'any', 'Currency'],
  ['payerDocument', 128, 143, 'document?', "The payer's CPF or CNPJ"],
  ['payerName', 144, 183, 'any', 'The payer; it is not kept'],
  ['contract', 184, 193, 'any', 'Account that is credited'],
  ['fee', 194, 208, 'cents?', 'What the bank keeps for it'],
  ['reasons', 209, 218, 'text?', 'Up to five reasons of two digits'],
  ['rest', 219, 240, 'any', 'Blanks'],
]);

export const AMOUNTS = recordLayout('3U', 'Segment U', 'Follows its segment T: amounts and days.', [
  ['bank', 1, 3, 'text', 'Code of the bank'],
  ['lot', 4, 7, 'count', 'Number of the lot'],
  ['recordType', 8, 8, '= 3', 'Record'],
  ['number', 9, 13, 'count', 'Number of the record in its lot'],
  ['segment', 14, 14, '= U', 'Segment'],
  ['reserved', 15, 15, 'any', 'A blank'],
  ['movement', 16, 17, 'code movement', 'As in its segment T'],
  ['surcharge', 18, 32, 'cents?', 'Interest, fine and other charges'],
  ['discount', 33, 47, 'cents?', 'Discount'],
  ['rebate', 48, 62, 'cents?', 'Rebate'],
  ['tax', 63, 77, 'cents?', 'Tax (IOF)'],
  ['paid', 78, 92, 'cents?', 'What the payer paid'],
  ['credited', 93, 107, 'cents?', 'What is credited'],
  ['otherCosts', 108, 122, 'cents?', 'Other costs'],
  ['otherCredits', 123, 137, 'cents?', 'Other credits'],
  ['happenedOn', 138, 145, 'day DDMMYYYY?', 'Day of the movement: of a payment the day on which it was paid'],
  ['creditedOn', 146, 153, 'day DDMMYYYY?', 'When the money is in the account'],
  ['rest', 154, 240, 'any', "The bank's own"],
]);

export const LOT_TRAILER = recordLayout('5', 'Trailer of a lot', 'Ends a lot.', [
  ['bank', 1, 3, 'text', 'Code of the bank'],
  ['lot', 4, 7, 'count', 'Number of the lot'],
  ['recordType', 8, 8, '= 5', 'Record'],
  ['reserved', 9, 17, 'any', 'Blanks'],
  [
    'records',
    18,
    23,
    'count',
    'Records of the lot, header and trailer among them; some banks count otherwise',
  ],
  ['titles', 24, 29, 'text?', 'Boletos of simple collection; at BTG those that were paid, and compared'],
  ['titlesValue', 30, 46, 'text?', 'An amount of theirs; not compared'],
  [
    'rest',
    47,
    240,
    'any',
    'Totals of other portfolios, which banks fill in ways of their own; they are not compared',
  ],
]);

export const FILE_TRAILER = recordLayout('9', 'Trailer of the file', 'The last line.', [
  ['bank', 1, 3, 'text', 'Code of the bank'],
  ['lot', 4, 7, 'count', "9999: none; the bank's own number where it numbers lots"],
  ['recordType', 8, 8, '= 9', 'Record'],
  ['reserved', 9, 17, 'any', 'Blanks'],
  ['lots', 18, 23, 'count', 'Lots of the file'],
  [
    'records',
    24,
    29,
    'count',
    'Records of the file, header and trailer among them; without these two is taken too',
  ],
  ['rest', 30, 240, 'any', 'Blanks'],
]);

export const CNAB240_RECORDS = [
  FILE_HEADER,
  LOT_HEADER,
  TITLE,
  TITLE_OF_CAIXA,
  TITLE_OF_SANTANDER,
  AMOUNTS,
  LOT_TRAILER,
  FILE_TRAILER,
] as const;

/**
 * `lots`: numbered from 1 in a file, or by the bank. `counts`: what a lot's trailer counts. `payments`: paid
 * titles, if the bank does not count records. `hasFilesOfDay`: payments of the day come in files of their
 * own. `hasDocumentAgain`: in place of the company's own number T has the ten digits of the document's once
 * more, with an installment behind them.
 */
export type Cnab240Dialect = {
  readonly title: typeof TITLE | typeof TITLE_OF_SANTANDER;
  readonly number: BoletoNumber;
  readonly movements: Movements;
  readonly lots: 'numbered' | 'own';
  readonly counts: 'records' | 'details' | 'payments';
  readonly hasFilesOfDay?: true;
  readonly hasDocumentAgain?: true;
};

/** The end of the last field that matters: blanks after it may be missing. */
export const LEAST_LENGTHS: Readonly<Record<string, number>> = {
  '0': 151,
  '1': 11,
  '3T': 208,
  '3U': 145,
  '5': 23,
  '9': 29,
};

export const CNAB240_LENGTH = 240;
