import { columnLayout } from '../../records/columns.ts';
import type { CodeTable } from '../../records/fixed-width.ts';
import { REDE_BRANDS, REDE_NAMES } from './rede-eevc-layout.ts';

/** Rede EEVD, debit sales: batches (RV) and their sales. Between commas. */

const EEVD_BRANDS: CodeTable = {
  ...REDE_BRANDS,
  '1': 'Maestro',
  '3': 'Visa Electron',
  H: 'Hiper',
};

export const EEVD_HEADER = columnLayout(
  '00',
  'Header of the file',
  'The head of the file, of its day of movement. The first line.',
  [
    ['recordType', 2, '= 00', 'Record'],
    ['establishment', 9, 'digits', "The merchant's number (PV), of the group or head office"],
    ['madeOn', 8, 'day DDMMYYYY', 'Day on which the file was made'],
    ['movementDay', 8, 'day DDMMYYYY', 'Day of the movement'],
    ['title', 39, 'text', '`Movimentacao diaria - Cartoes de Debito`'],
    ['acquirer', 8, 'hint acquirer?', 'Acquirer'],
    ['tradeName', 26, 'text?', "The merchant's trade name"],
    ['sequence', 6, 'count', "The acquirer's number of the file; 000001 in one that was made anew"],
    ['processing', 15, 'text', '`DIARIO`, or a word that begins with `REPROCESS` in one that was made anew'],
    [
      'version',
      20,
      'text',
      'Version, for example `V2.00 - 05/2023 EEVD`; the file is known by its last word',
    ],
  ],
  { acquirer: REDE_NAMES },
);

export const EEVD_BATCH = columnLayout(
  '01',
  'Batch of sales',
  'A batch (RV). Its sums and its count are checked against its sales, wherever they stand.',
  [
    ['recordType', 2, '= 01', 'Record'],
    ['establishment', 9, 'digits', 'Establishment (PV)'],
    ['creditDay', 8, 'day DDMMYYYY?', 'When it is paid; zeros if its sales are dated ahead'],
    ['batchDay', 8, 'day DDMMYYYY', 'Day of the batch'],
    ['batch', 9, 'digits', 'Number of the batch (RV)'],
    ['saleCount', 6, 'count', 'Number of its sales'],
    ['gross', 15, 'cents', 'Gross amount of its sales'],
    ['fee', 15, 'cents', 'Fee of its sales'],
    ['net', 15, 'cents', 'Net amount of its sales'],
    ['batchType', 1, 'hint batchType?', 'Whether its sales are dated ahead'],
    ['bank', 3, 'document?', 'Bank'],
    ['agency', 6, 'document?', 'Agency'],
    ['account', 11, 'document?', 'Account'],
    ['brand', 1, 'hint brand?', 'Brand'],
  ],
  { batchType: { D: 'debit at once', P: 'dated ahead' }, brand: EEVD_BRANDS },
);

export const EEVD_SALE = columnLayout(
  '05',
  'Sale',
  'A `notice`; one whose status is not 01 says it in its `description`.',
  [
    ['recordType', 2, '= 05', 'Record'],
    ['establishment', 9, 'digits', 'Establishment (PV)'],
    ['batch', 9, 'digits', 'Batch (RV) that it is in'],
    ['soldOn', 8, 'day DDMMYYYY', 'Day of the sale'],
    ['gross', 15, 'cents', 'Gross amount'],
    ['fee', 15, 'cents', 'Fee'],
    ['net', 15, 'cents', 'Net amount'],
    ['card', 19, 'card?', 'Card; masked'],
    ['transactionType', 1, 'text?', 'Product, for example V debit at once, P dated ahead'],
    ['nsu', 12, 'digits?', 'NSU'],
    ['creditDay', 8, 'day DDMMYYYY?', 'When it is paid; without it, when its batch before it is'],
    ['status', 2, 'code status', '01 where it was accepted'],
    ['soldTime', 6, 'time?', 'Time of the sale'],
    ['terminal', 8, 'text?', 'Terminal'],
    ['capture', 2, 'text?', 'How the card was read; 5 for e-commerce'],
    ['reserved', 5, 'any', 'Zeros'],
    ['purchase', 15, 'cents?', 'Amount of the purchase, where cash was given with it'],
    ['withdrawal', 15, 'cents?', 'Amount of that cash'],
    ['brand', 1, 'hint brand?', 'Brand'],
    ['authorizationCode', 12, 'later text?', 'Authorization code, since V2.00'],
    ['serviceCode', 12, 'later text?', 'Code of a service, since V2.00'],
  ],
  { status: { '01': 'accepted' }, brand: EEVD_BRANDS },
);

const LATER = 'The same of batches that are dated ahead';
const TOTAL_USE =
  'Checked: all of these together have the sums of all batches, which may leave out those that are dated ahead.';

export const EEVD_BRANCH_TOTAL = columnLayout('02', 'Total of an establishment', TOTAL_USE, [
  ['recordType', 2, '= 02', 'Record'],
  ['establishment', 9, 'digits', 'Head office (PV)'],
  ['batchCount', 3, 'count', 'Number of batches'],
  ['saleCount', 6, 'count', 'Number of sales'],
  ['gross', 15, 'cents', 'Gross amounts'],
  ['fee', 15, 'cents', 'Fees'],
  ['net', 15, 'cents', 'Net amounts'],
  ['laterGross', 15, 'cents', LATER],
  ['laterFee', 15, 'cents', LATER],
  ['laterNet', 15, 'cents', LATER],
]);

export const EEVD_TRAILER = columnLayout('04', 'Trailer of the file', 'The last line, and is checked.', [
  ['recordType', 2, '= 04', 'Record'],
  ['establishment', 9, 'digits', "The merchant's number (PV), of the group or head office"],
  ['batchCount', 6, 'count', 'Number of batches'],
  ['saleCount', 6, 'count', 'Number of sales'],
  ['gross', 15, 'cents', 'Gross amounts of all batches'],
  ['fee', 15, 'cents', 'Fees of all batches'],
  ['net', 15, 'cents', 'Net amounts of all batches'],
  ['laterGross', 15, 'cents', LATER],
  ['laterFee', 15, 'cents', LATER],
  ['laterNet', 15, 'cents', LATER],
  ['recordCount', 6, 'count', 'All lines of the file, header and trailer with them'],
]);

export const EEVD_RECORDS = [EEVD_HEADER, EEVD_BATCH, EEVD_SALE, EEVD_BRANCH_TOTAL, EEVD_TRAILER];

export const EEVD_ALIKE = { '03': { as: '02', title: 'Total of a head office' } };

/** Of 08, 09, 11 and 17 the papers do not say whether the EEFI has the same money. */
export const EEVD_LEFT_OUT: CodeTable = {
  '08': 'sale dated ahead that was canceled or charged back before its day',
  '09': 'sale dated ahead that was settled',
  '11': 'debit that is taken off a batch',
  '13': 'what e-commerce adds to a sale',
  '17': 'what e-commerce adds to 11',
  '18': 'batch that was negotiated',
  '19': 'interchange plus',
  '20': 'recharge of a telephone',
};
