import { recordLayout } from '../../records/fixed-width.ts';
import { CIELO_BRANDS, headerOf, SETTLEMENTS } from './cielo-layout.ts';

/** Cielo 15, negotiations of receivables, of the electronic statement v15. */

export const CIELO_15_HEADER = headerOf('15');

export const CIELO_NEGOTIATION = recordLayout(
  'A',
  'Negotiation',
  'A negotiation, before its B and C. Its sums are checked against its B.',
  [
    ['recordType', 1, 1, '= A', 'Record'],
    ['negotiatedOn', 2, 7, 'day YYMMDD', 'Day of the negotiation'],
    ['paymentDay', 8, 13, 'day YYMMDD?', 'Day on which it is paid'],
    ['holder', 14, 27, 'document?', 'CNPJ or CPF'],
    ['days', 28, 30, 'digits?', 'Days that it is early, on average'],
    ['nominalRate', 31, 35, 'digits?', 'Nominal rate, in thousandths of a percent'],
    ['gross', 36, 49, 'sign cents', 'Gross amount of its units'],
    ['net', 50, 63, 'sign cents', 'Net amount of its units'],
    ['negotiation', 64, 83, 'digits', 'Number of the negotiation at the registry'],
    ['paymentForm', 84, 86, 'text?', 'How it is paid'],
    ['effectiveRate', 87, 91, 'digits?', 'Effective rate, in thousandths of a percent'],
    ['reserved', 92, 250, 'any', 'Blanks'],
  ],
);

export const CIELO_NEGOTIATED_UNIT = recordLayout(
  'B',
  'Receivable unit (UR) of a negotiation',
  'A `notice`: a unit that was negotiated, paid on the `paymentDay` of its A, whose number is its `document`. `discount` is its `anticipationFee`.',
  [
    ['recordType', 1, 1, '= B', 'Record'],
    ['negotiatedOn', 2, 7, 'day YYMMDD', 'Day of the negotiation'],
    ['dueDay', 8, 13, 'day YYMMDD', 'Day on which it was due at first'],
    ['holder', 14, 27, 'document?', 'CNPJ or CPF'],
    ['brand', 28, 30, 'hint brand?', 'Brand'],
    ['settlement', 31, 33, 'hint settlement?', 'Kind of settlement'],
    ['gross', 34, 47, 'sign cents', 'Gross amount'],
    ['net', 48, 61, 'sign cents', 'Net amount'],
    ['effectiveRate', 62, 66, 'digits?', 'Effective rate, in thousandths of a percent'],
    ['institution', 67, 116, 'text?', 'With whom it was negotiated'],
    ['establishment', 117, 126, 'digits', "The merchant's number"],
    ['discount', 127, 140, 'sign cents', 'What it costs; negative'],
    ['reserved', 141, 250, 'any', 'Blanks'],
  ],
  { brand: CIELO_BRANDS, settlement: SETTLEMENTS },
);

export const CIELO_NEGOTIATION_ACCOUNT = recordLayout(
  'C',
  'Account that a negotiation is paid into',
  'Belongs to the A before it. Its amount is not checked: the papers do not say whether debts are taken off it.',
  [
    ['recordType', 1, 1, '= C', 'Record'],
    ['bank', 2, 5, 'document?', 'Bank'],
    ['agency', 6, 10, 'document?', 'Agency'],
    ['account', 11, 30, 'document?', 'Account'],
    ['deposited', 31, 44, 'sign cents', 'Amount'],
    ['reserved', 45, 250, 'any', 'Blanks'],
  ],
);

export const CIELO_15_TRAILER = recordLayout('9', 'Trailer of the file', 'The last line, and is checked.', [
  ['recordType', 1, 1, '= 9', 'Record'],
  [
    'recordCount',
    2,
    12,
    'count',
    'Lines between header and trailer; with these two only where `negotiated` is the sum of `net` of A, and not 0',
  ],
  [
    'net',
    13,
    30,
    'sign cents',
    'Not checked, nor the sums behind it but the last: the papers do not say of what',
  ],
  ['entryCount', 31, 41, 'count', 'Not checked'],
  ['gross', 42, 59, 'sign cents', 'Not checked'],
  ['ceded', 60, 77, 'sign cents?', 'Not checked'],
  ['pledged', 78, 95, 'sign cents?', 'Not checked'],
  ['negotiated', 96, 113, 'later text?', 'Sum of `net` of A, or 0; since v15.15'],
  ['reserved', 114, 250, 'any', 'Blanks'],
]);

export const CIELO_15_RECORDS = [
  CIELO_15_HEADER,
  CIELO_NEGOTIATION,
  CIELO_NEGOTIATED_UNIT,
  CIELO_NEGOTIATION_ACCOUNT,
  CIELO_15_TRAILER,
];
