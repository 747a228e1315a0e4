import { recordLayout } from '../records/fixed-width.ts';

/** CNAB 240 by FEBRABAN, return file of collection (cobrança): lots of segment pairs T and U. */

export const CNAB_FILE_HEADER = recordLayout('0', 'Header of the file', 'The first line.', [
  ['bank', 1, 3, 'text', 'Code of the bank'],
  ['lot', 4, 7, '= 0000', 'Lot: none'],
  ['recordType', 8, 8, '= 0', 'Record'],
  ['reserved', 9, 17, 'any', 'Blanks'],
  ['company', 18, 72, 'document?', 'The company: its document, agreement, branch and account'],
  ['companyName', 73, 102, 'any', 'Name of the company'],
  ['bankName', 103, 132, 'text?', 'Name of the bank'],
  ['reservedToo', 133, 142, 'any', 'Blanks'],
  ['direction', 143, 143, '= 2', '2: a return file; 1 would be one that is sent to the bank'],
  ['madeOn', 144, 151, 'day DDMMYYYY', 'Day on which it was made'],
  ['madeAt', 152, 157, 'time?', 'Time'],
  ['sequence', 158, 163, 'count?', "The bank's number of the file"],
  ['version', 164, 166, 'text?', 'Version of the layout; it differs from bank to bank'],
  ['rest', 167, 240, 'any', "The bank's own"],
]);

export const CNAB_LOT_HEADER = recordLayout('1', 'Header of a lot', 'Begins a lot.', [
  ['bank', 1, 3, 'text', 'Code of the bank'],
  ['lot', 4, 7, 'count', 'Number of the lot, from 1'],
  ['recordType', 8, 8, '= 1', 'Record'],
  ['operation', 9, 9, '= T', 'T: return'],
  ['service', 10, 11, '= 01', '01: collection (cobrança)'],
  ['rest', 12, 240, 'any', 'The company, and messages'],
]);

export const CNAB_TITLE = recordLayout('3T', 'Segment T', 'Which boleto, and what became of it.', [
  ['bank', 1, 3, 'text', 'Code of the bank'],
  ['lot', 4, 7, 'count', 'Number of the lot'],
  ['recordType', 8, 8, '= 3', 'Record'],
  ['number', 9, 13, 'count', 'Number of the record in its lot, from 1'],
  ['segment', 14, 14, '= T', 'Segment'],
  ['reserved', 15, 15, 'any', 'A blank'],
  ['movement', 16, 17, 'code movement', 'What became of it: see the movements'],
  ['account', 18, 37, 'document?', 'Branch and account'],
  ['bankNumber', 38, 57, 'text?', "The bank's number of the boleto"],
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

export const CNAB_AMOUNTS = recordLayout('3U', 'Segment U', 'Follows its segment T: amounts and days.', [
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

export const CNAB_LOT_TRAILER = recordLayout('5', 'Trailer of a lot', 'Ends a lot.', [
  ['bank', 1, 3, 'text', 'Code of the bank'],
  ['lot', 4, 7, 'count', 'Number of the lot'],
  ['recordType', 8, 8, '= 5', 'Record'],
  ['reserved', 9, 17, 'any', 'Blanks'],
  ['records', 18, 23, 'count', 'Records of the lot, header and trailer among them'],
  [
    'rest',
    24,
    240,
    'any',
    'Totals of portfolios, which banks fill in ways of their own; they are not compared',
  ],
]);

export const CNAB_FILE_TRAILER = recordLayout('9', 'Trailer of the file', 'The last line.', [
  ['bank', 1, 3, 'text', 'Code of the bank'],
  ['lot', 4, 7, '= 9999', 'Lot: none'],
  ['recordType', 8, 8, '= 9', 'Record'],
  ['reserved', 9, 17, 'any', 'Blanks'],
  ['lots', 18, 23, 'count', 'Lots of the file'],
  ['records', 24, 29, 'count', 'Records of the file, header and trailer among them'],
  ['rest', 30, 240, 'any', 'Blanks'],
]);

export const CNAB_RECORDS = [
  CNAB_FILE_HEADER,
  CNAB_LOT_HEADER,
  CNAB_TITLE,
  CNAB_AMOUNTS,
  CNAB_LOT_TRAILER,
  CNAB_FILE_TRAILER,
] as const;

/** `none`: the movement is counted and changes nothing. */
export type MovementUse = 'paid' | 'writtenOff' | 'none';

type Movements = Readonly<Record<string, { readonly use: MovementUse; readonly meaning: string }>>;

export const CNAB_MOVEMENTS: Movements = {
  '02': { use: 'none', meaning: 'registered' },
  '03': { use: 'none', meaning: 'registration refused' },
  '06': { use: 'paid', meaning: 'paid' },
  '09': { use: 'writtenOff', meaning: 'written off' },
};

/** Banks that use FEBRABAN's movements. Others have a table of their own. */
export const FEBRABAN_BANKS: readonly string[] = ['001', '033', '041', '237', '748', '756'];

/** FEBRABAN's other movements. Those that move money in an unclear way are left out. */
export const FEBRABAN_MOVEMENTS: Movements = {
  '11': { use: 'none', meaning: 'open' },
  '12': { use: 'none', meaning: 'rebate granted' },
  '13': { use: 'none', meaning: 'rebate canceled' },
  '14': { use: 'none', meaning: 'due day changed' },
  '17': { use: 'paid', meaning: 'paid after it was written off' },
  '19': { use: 'none', meaning: 'protest ordered' },
  '20': { use: 'none', meaning: 'protest stopped' },
  '23': { use: 'none', meaning: 'sent to the notary' },
  '24': { use: 'none', meaning: 'taken back from the notary' },
  '26': { use: 'none', meaning: 'instruction refused' },
  '27': { use: 'none', meaning: 'other data changed' },
  '28': { use: 'none', meaning: 'debit of fees' },
  '30': { use: 'none', meaning: 'change of data refused' },
  '51': { use: 'none', meaning: 'recognized by the payer (DDA)' },
  '52': { use: 'none', meaning: 'not recognized by the payer (DDA)' },
};

/** Write-off reasons that mean the boleto expired. With any other reason it was canceled. */
export const CNAB_TIME_IS_OVER = ['12', '13'];
