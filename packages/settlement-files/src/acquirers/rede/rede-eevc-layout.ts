import { type CodeTable, recordLayout } from '../../records/fixed-width.ts';

/** Rede EEVC, credit sales: a batch (RV), its sales, what e-commerce adds to them, its installments. */

export const REDE_BRANDS: CodeTable = {
  '0': 'other',
  '1': 'Mastercard',
  '2': 'Diners',
  '3': 'Visa',
  '4': 'Cabal',
  '5': 'Hipercard',
  '6': 'Sorocred',
  '7': 'CUP',
  '8': 'Credsystem',
  '9': 'Sicredi',
  A: 'Avista',
  B: 'Banescard',
  E: 'Elo',
  J: 'JCB',
  X: 'American Express',
  Z: 'Credz',
};

export const REDE_NAMES: CodeTable = {
  Rede: 'Rede',
  REDE: 'Rede',
  Redecard: 'Rede, before 2013',
  REDECARD: 'the same',
};

export const REDE_RULES = [
  'The header is the first line, the trailer the last. Whatever stands behind the last field of a record is free, up to 1,024 positions.',
  'A count of more digits than its field has is written, and compared, by its last digits.',
];

export const EEVC_HEADER = recordLayout(
  '002',
  'Header of the file',
  'The head of the file. The first line.',
  [
    ['recordType', 1, 3, '= 002', 'Record'],
    ['madeOn', 4, 11, 'day DDMMYYYY', 'Day on which the file was made'],
    ['acquirer', 12, 19, 'hint acquirer?', 'Acquirer'],
    ['title', 20, 49, 'text', '`Extrato Eletronico de Vendas`'],
    ['tradeName', 50, 71, 'text?', "The merchant's trade name"],
    ['sequence', 72, 77, 'count', "The acquirer's number of the file; 000001 in one that was made anew"],
    ['establishment', 78, 86, 'digits', "The merchant's number (PV), of the group or head office"],
    [
      'processing',
      87,
      101,
      'text',
      '`DIARIO`, or a word that begins with `REPROCESS` in one that was made anew',
    ],
    [
      'version',
      102,
      121,
      'text',
      'Version, for example `V3.00 - 05/2023 EEVC`; the file is known by its last word',
    ],
  ],
  { acquirer: REDE_NAMES },
);

export const EEVC_BRANCH = recordLayout('004', 'Header of a head office', 'Counted.', [
  ['recordType', 1, 3, '= 004', 'Record'],
  ['establishment', 4, 12, 'digits', 'Head office (PV)'],
  ['tradeName', 13, 34, 'text?', 'Trade name'],
]);

const BATCH_USE = 'Begins a batch (RV). Its sums and its count are checked against its sales.';

export const EEVC_BATCH = recordLayout(
  '006',
  'Batch of sales paid at once',
  BATCH_USE,
  [
    ['recordType', 1, 3, '= 006', 'Record'],
    ['establishment', 4, 12, 'digits', 'Establishment (PV)'],
    ['batch', 13, 21, 'digits', 'Number of the batch (RV)'],
    ['bank', 22, 24, 'document?', 'Bank'],
    ['agency', 25, 29, 'document?', 'Agency'],
    ['account', 30, 40, 'document?', 'Account'],
    ['batchDay', 41, 48, 'day DDMMYYYY', 'Day of the batch'],
    ['saleCount', 49, 53, 'count', 'Sales accepted'],
    ['gross', 54, 68, 'cents', 'Gross amount of its sales; with or without the rejected ones'],
    ['tips', 69, 83, 'cents?', 'Tips; in 016 boarding fees'],
    ['rejected', 84, 98, 'cents?', 'Gross amount of the rejected sales'],
    ['fee', 99, 113, 'cents', 'Fee of the accepted sales'],
    ['net', 114, 128, 'cents', 'Net amount of the accepted sales'],
    ['creditDay', 129, 136, 'day DDMMYYYY?', 'When it is paid; in 010 and 016 its first installment'],
    ['brand', 137, 137, 'hint brand?', 'Brand'],
  ],
  { brand: REDE_BRANDS },
);

export const EEVC_SALE = recordLayout(
  '008',
  'Sale paid at once',
  'A `sale` of one installment, when its status is 000; one that was rejected, with any other number, is counted and left out; with anything else it is counted as rejected, and `unknown`.',
  [
    ['recordType', 1, 3, '= 008', 'Record'],
    ['establishment', 4, 12, 'digits', 'Establishment (PV)'],
    ['batch', 13, 21, 'digits', 'Batch (RV) that it is in'],
    ['soldOn', 22, 29, 'day DDMMYYYY', 'Day of the sale'],
    ['zeros', 30, 37, 'any', 'Zeros'],
    ['gross', 38, 52, 'cents', 'Gross amount'],
    ['tip', 53, 67, 'cents?', 'Tip'],
    ['card', 68, 83, 'card?', 'Card; masked'],
    ['status', 84, 86, 'code status', '000 where it was accepted, else the number of the reason why not'],
    ['nsu', 87, 98, 'digits?', 'NSU'],
    ['offlineReference', 99, 111, 'text?', 'Reference of an offline sale'],
    ['fee', 112, 126, 'cents', 'Fee'],
    ['authorizationCode', 127, 132, 'text?', 'Authorization code'],
    ['soldTime', 133, 138, 'time?', 'Time of the sale'],
    ['tickets', 139, 202, 'any', 'Air tickets, four of 16'],
    ['capture', 203, 203, 'text?', 'How the card was read; 5 for e-commerce'],
    ['net', 204, 218, 'cents', 'Net amount'],
    ['terminal', 219, 226, 'text?', 'Terminal'],
    ['country', 227, 229, 'text?', 'Country of the card'],
    ['brand', 230, 230, 'hint brand?', 'Brand'],
  ],
  { brand: REDE_BRANDS, status: { '000': 'accepted' } },
);

export const EEVC_SALE_IN_INSTALLMENTS = recordLayout(
  '012',
  'Sale in installments',
  'A `sale` of all its installments (`installmentNumber` null); else as 008.',
  [
    ['recordType', 1, 3, '= 012', 'Record'],
    ['establishment', 4, 12, 'digits', 'Establishment (PV)'],
    ['batch', 13, 21, 'digits', 'Batch (RV) that it is in'],
    ['soldOn', 22, 29, 'day DDMMYYYY', 'Day of the sale'],
    ['zeros', 30, 37, 'any', 'Zeros'],
    ['gross', 38, 52, 'cents', 'Gross amount of the whole sale'],
    ['tip', 53, 67, 'cents?', 'Tip; in 018 boarding fee'],
    ['card', 68, 83, 'card?', 'Card; masked'],
    ['status', 84, 86, 'code status', '000 where it was accepted, else the number of the reason why not'],
    ['installmentCount', 87, 88, 'count', 'Number of installments'],
    ['nsu', 89, 100, 'digits?', 'NSU'],
    ['offlineReference', 101, 113, 'text?', 'Reference of an offline sale'],
    ['fee', 114, 128, 'cents', 'Fee of the whole sale'],
    ['authorizationCode', 129, 134, 'text?', 'Authorization code'],
    ['soldTime', 135, 140, 'time?', 'Time of the sale'],
    ['tickets', 141, 204, 'any', 'Air tickets, four of 16'],
    ['capture', 205, 205, 'text?', 'How the card was read; 5 for e-commerce'],
    ['net', 206, 220, 'cents', 'Net amount of the whole sale'],
    ['firstNet', 221, 235, 'cents?', 'Net amount of the first installment'],
    ['otherNet', 236, 250, 'cents?', 'Net amount of each other installment'],
    ['terminal', 251, 258, 'text?', 'Terminal'],
    ['country', 259, 261, 'text?', 'Country of the card'],
    ['brand', 262, 262, 'hint brand?', 'Brand'],
  ],
  { brand: REDE_BRANDS, status: { '000': 'accepted' } },
);

export const EEVC_ECOMMERCE = recordLayout(
  '034',
  'What e-commerce adds to a sale of 008',
  'Gives the sale of the same batch, NSU and authorization code its TID and order number, wherever it stands in the batch. Without such a sale it is one itself, without fee and net amount.',
  [
    ['recordType', 1, 3, '= 034', 'Record'],
    ['establishment', 4, 12, 'digits', 'Establishment (PV)'],
    ['batch', 13, 21, 'digits', 'Batch (RV)'],
    ['soldOn', 22, 29, 'day DDMMYYYY', 'Day of the sale'],
    ['gross', 30, 44, 'cents', 'Gross amount of the sale'],
    ['card', 45, 60, 'card?', 'Card; masked'],
    ['nsu', 61, 72, 'digits', 'NSU'],
    ['authorizationCode', 73, 78, 'text?', 'Authorization code'],
    ['tid', 79, 98, 'text?', 'TID, from the left'],
    ['orderReference', 99, 128, 'text?', 'Order number, from the left'],
  ],
);

export const EEVC_INSTALLMENT = recordLayout(
  '014',
  'Installment of a batch',
  'A `schedule`: what the batch pays for the installment, and when. One for each installment, behind its sales.',
  [
    ['recordType', 1, 3, '= 014', 'Record'],
    ['establishment', 4, 12, 'digits', 'Establishment (PV)'],
    ['batch', 13, 21, 'digits', 'Batch (RV)'],
    ['batchDay', 22, 29, 'day DDMMYYYY', 'Day of the batch'],
    ['blanks', 30, 37, 'any', 'Blanks'],
    ['installmentNumber', 38, 39, 'count', 'Number of the installment, from 1'],
    ['gross', 40, 54, 'cents', 'Gross amount'],
    ['fee', 55, 69, 'cents', 'Fee'],
    ['net', 70, 84, 'cents', 'Net amount'],
    ['creditDay', 85, 92, 'day DDMMYYYY', 'When it is paid'],
  ],
);

export const EEVC_BRANCH_TOTAL = recordLayout(
  '026',
  'Total of a head office',
  'Checked: sums of its batches.',
  [
    ['recordType', 1, 3, '= 026', 'Record'],
    ['establishment', 4, 12, 'digits', 'Head office (PV)'],
    ['gross', 13, 27, 'cents', 'Gross amounts of its batches'],
    ['rejectedCount', 28, 33, 'count', 'Sales rejected'],
    ['rejected', 34, 48, 'cents', 'Their gross amount'],
    ['atOnce', 49, 63, 'cents', 'Gross amounts of 006; not checked'],
    ['inInstallments', 64, 78, 'cents', 'Gross amounts of 010; not checked'],
    ['iata', 79, 93, 'cents', 'Gross amounts of 016; not checked'],
    ['dollar', 94, 108, 'cents', 'Gross amounts of 022; not checked'],
    ['fee', 109, 123, 'cents', 'Fees of its batches'],
    ['net', 124, 138, 'cents', 'Net amounts of its batches'],
    ['tips', 139, 153, 'cents', 'Tips; not checked'],
    ['boarding', 154, 168, 'cents', 'Boarding fees; not checked'],
    ['acceptedCount', 169, 174, 'count', 'Sales accepted'],
  ],
);

export const EEVC_TRAILER = recordLayout('028', 'Trailer of the file', 'The last line, and is checked.', [
  ['recordType', 1, 3, '= 028', 'Record'],
  ['branchCount', 4, 7, 'count', 'Head offices (004)'],
  ['recordCount', 8, 13, 'count', 'All lines of the file, header and trailer with them'],
  ['establishment', 14, 22, 'digits', 'Group (PV)'],
  ['gross', 23, 37, 'cents', 'Gross amounts of all batches'],
  ['rejectedCount', 38, 43, 'count', 'Sales rejected'],
  ['rejected', 44, 58, 'cents', 'Their gross amount'],
  ['atOnce', 59, 73, 'cents', 'Gross amounts of 006; not checked'],
  ['inInstallments', 74, 88, 'cents', 'Gross amounts of 010; not checked'],
  ['iata', 89, 103, 'cents', 'Gross amounts of 016; not checked'],
  ['dollar', 104, 118, 'cents', 'Gross amounts of 022; not checked'],
  ['fee', 119, 133, 'cents', 'Fees of all batches'],
  ['net', 134, 148, 'cents', 'Net amounts of all batches'],
  ['tips', 149, 163, 'cents', 'Tips; not checked'],
  ['boarding', 164, 178, 'cents', 'Boarding fees; not checked'],
  ['acceptedCount', 179, 184, 'count', 'Sales accepted'],
]);

export const EEVC_RECORDS = [
  EEVC_HEADER,
  EEVC_BRANCH,
  EEVC_BATCH,
  EEVC_SALE,
  EEVC_SALE_IN_INSTALLMENTS,
  EEVC_ECOMMERCE,
  EEVC_INSTALLMENT,
  EEVC_BRANCH_TOTAL,
  EEVC_TRAILER,
];

export const EEVC_ALIKE: Readonly<Record<string, { readonly as: string; readonly title: string }>> = {
  '010': { as: '006', title: 'Batch of sales in installments' },
  '016': { as: '006', title: 'Batch of sales of an airline in installments (IATA)' },
  '022': { as: '006', title: 'Batch of sales in dollars; its sales (024) are left out' },
  '018': { as: '012', title: 'Sale of an airline in installments (IATA)' },
  '035': { as: '034', title: 'What e-commerce adds to a sale of 012' },
  '036': { as: '034', title: 'What e-commerce adds to a sale of 018' },
  '020': { as: '014', title: 'Installment of an IATA batch' },
};

export const EEVC_LEFT_OUT: CodeTable = {
  '005': 'request for documents of a sale',
  '011': 'credit adjustment, which EEFI 043 reports with its money',
  '017': 'AVS queries',
  '019': 'Serasa queries',
  '021': 'SecureCode queries',
  '024': 'sale in dollars',
  '029': 'interchange plus',
  '033': 'what e-commerce adds to 005',
  '040': 'recharge of a telephone',
};
