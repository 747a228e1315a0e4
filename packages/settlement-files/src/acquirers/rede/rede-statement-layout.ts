import { type CodeTable, recordLayout } from '../../records/fixed-width.ts';

/**
 * The answers of Rede's statement API about a day, as lines: deposits, the installments that each pays, and
 * what was kept from it. Rede has no such file; `parcela reconcile fetch` writes it.
 */

/** Deposit states of the API. Brackets give the kind of the installments. */
export const DEPOSIT_STATUS: CodeTable = {
  PAID: 'paid (`payout`)',
  PENDING: 'not yet paid (`schedule`)',
  REJECTED: 'refused by the bank (`schedule`)',
  SUSPENDED: 'suspended (`pledge`)',
};

export const DEPOSIT_TYPES: CodeTable = {
  CREDIT: 'sales by credit card',
  DEBIT: 'sales by debit card',
  ANTICIPATION: 'paid early: its paid installments are `anticipation`, their fee what is neither fee nor net',
};

export const STATEMENT_BRANDS: CodeTable = {
  '1': 'Mastercard',
  '2': 'Visa',
  '7': 'Hipercard',
  '13': 'Amex',
  '14': 'Elo',
};

export const STATEMENT_HEADER = recordLayout(
  'RS0',
  'Header',
  'The head of the file. The first line. The file counts as made on its day: a day that is asked for again gives the same bytes.',
  [
    ['recordType', 1, 3, '= RS0', 'Record'],
    ['version', 4, 6, '= 001', 'Version of these lines'],
    ['establishment', 7, 15, 'digits', "The merchant's number (PV)"],
    ['day', 16, 23, 'day YYYYMMDD', 'Day of the deposits'],
  ],
);

export const STATEMENT_DEPOSIT = recordLayout(
  'RS1',
  'Deposit',
  'One payment to the bank. Its RS2 and RS3 stand behind it.',
  [
    ['recordType', 1, 3, '= RS1', 'Record'],
    ['establishment', 4, 12, 'digits', 'Establishment (PV) that is paid'],
    ['deposit', 13, 52, 'text', "Rede's name of the deposit (`paymentId`)"],
    ['status', 53, 64, 'code status', 'Status'],
    ['type', 65, 76, 'code type', 'Type'],
    ['brand', 77, 79, 'digits?', 'Brand'],
    ['net', 80, 94, 'sign cents', 'Amount at the bank'],
    ['installmentCount', 95, 103, 'count', 'How many RS2 it has'],
    ['debitCount', 104, 112, 'count', 'How many RS3 it has'],
  ],
  { status: DEPOSIT_STATUS, type: DEPOSIT_TYPES, brand: STATEMENT_BRANDS },
);

export const STATEMENT_INSTALLMENT = recordLayout(
  'RS2',
  'Installment of a deposit',
  'The kind is that of the status of its deposit, `unknown` where status or type is another one.',
  [
    ['recordType', 1, 3, '= RS2', 'Record'],
    ['nsu', 4, 15, 'digits?', 'NSU of the sale'],
    ['soldOn', 16, 23, 'day YYYYMMDD', 'Day of the sale'],
    ['installmentNumber', 24, 26, 'count', 'Which installment'],
    ['installmentCount', 27, 29, 'count', 'Of how many'],
    ['gross', 30, 44, 'cents', 'Gross amount of the installment'],
    ['fee', 45, 59, 'cents', 'Fee'],
    ['net', 60, 74, 'cents', 'Amount that is paid'],
    ['batch', 75, 83, 'digits?', 'Batch (RV)'],
    ['tid', 84, 103, 'text?', 'TID of the sale'],
    ['orderReference', 104, 133, 'text?', 'Order number of the sale'],
  ],
);

export const STATEMENT_DEBIT = recordLayout(
  'RS3',
  'Kept from a deposit',
  'An `adjustment` that is taken: the API names no sale. The EEFI names it.',
  [
    ['recordType', 1, 3, '= RS3', 'Record'],
    ['debitType', 4, 8, 'digits', "Rede's number of the reason"],
    ['amount', 9, 23, 'cents', 'Amount that was kept'],
    ['description', 24, 63, 'text?', 'The reason in words'],
  ],
);

export const STATEMENT_TRAILER = recordLayout('RS9', 'Trailer', 'The last line.', [
  ['recordType', 1, 3, '= RS9', 'Record'],
  ['depositCount', 4, 12, 'count', 'How many RS1'],
  ['recordCount', 13, 21, 'count', 'All lines, with this one'],
  ['net', 22, 36, 'sign cents', 'Sum of the deposits'],
]);

export const STATEMENT_RECORDS = [
  STATEMENT_HEADER,
  STATEMENT_DEPOSIT,
  STATEMENT_INSTALLMENT,
  STATEMENT_DEBIT,
  STATEMENT_TRAILER,
];
