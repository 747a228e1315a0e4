import { type CodeTable, recordLayout } from '../../records/fixed-width.ts';
import {
  EEFI_BANK_DEBIT,
  EEFI_BANK_DEBIT_TWIN,
  EEFI_NET_ADJUSTMENT,
  EEFI_NET_ADJUSTMENT_TWIN,
  EEFI_ORDER_TWIN,
  EEFI_PENDING_DEBIT,
  EEFI_SETTLED_DEBIT,
  EEFI_UNSCHEDULED,
  EEFI_UNSCHEDULED_TWIN,
} from './rede-debits-layout.ts';
import { REDE_BRANDS, REDE_NAMES } from './rede-eevc-layout.ts';

/** Rede EEFI, the money: credits of batches (RV), anticipations, adjustments, and totals. */

export const EEFI_CREDIT_STATUS: CodeTable = {
  '00': 'in order (`payout`)',
  '01': 'to be issued (`schedule`)',
  '02': 'under way to the bank (`payout`)',
  '03': 'waits for the bank (`schedule`)',
  '04': 'waits for the head office (`schedule`)',
  '05': 'waits for the branch (`schedule`)',
  '06': 'settled (`payout`)',
  '07': 'under way on tape (`payout`)',
  '08': 'settled by itself (`payout`)',
  '09': 'settled for a seizure or retention (`pledge`)',
  '11': 'suspended (`pledge`)',
  '12': 'seized (`pledge`)',
  '13': 'held (`pledge`)',
};

const TRANSACTION_TYPES: CodeTable = {
  '1': 'at once',
  '2': 'in installments',
  '3': 'IATA',
  '4': 'in dollars',
  '5': 'CDC',
  '6': 'predated',
  '7': 'Trishop',
  '8': 'Construcard',
};

export const EEFI_HEADER = recordLayout(
  '030',
  'Header of the file',
  'The head of the file. The first line.',
  [
    ['recordType', 1, 3, '= 030', 'Record'],
    ['madeOn', 4, 11, 'day DDMMYYYY', 'Day on which the file was made'],
    ['acquirer', 12, 19, 'hint acquirer?', 'Acquirer'],
    ['title', 20, 53, 'text', '`Extrato de Movimentacao Financeira`'],
    ['tradeName', 54, 75, 'text?', "The merchant's trade name"],
    ['sequence', 76, 81, 'count', "The acquirer's number of the file; 000001 in one that was made anew"],
    ['establishment', 82, 90, 'digits', "The merchant's number (PV), of the group or head office"],
    [
      'processing',
      91,
      105,
      'text',
      '`DIARIO`, or a word that begins with `REPROCESS` in one that was made anew',
    ],
    [
      'version',
      106,
      125,
      'text',
      'Version, for example `V4.00 - 05/2023 EEFI`; the file is known by its last word',
    ],
  ],
  { acquirer: REDE_NAMES },
);

export const EEFI_BRANCH = recordLayout('032', 'Header of a head office', 'Counted.', [
  ['recordType', 1, 3, '= 032', 'Record'],
  ['establishment', 4, 12, 'digits', 'Head office (PV)'],
  ['tradeName', 13, 34, 'text?', 'Trade name'],
]);

export const EEFI_CREDIT = recordLayout(
  '034',
  'Credit of a batch',
  'What is paid for a batch, or for an installment of it: the kind is that of `status`, `unknown` where it has another one. It has a `batch` and no sale of its own. Its 035 stand behind it.',
  [
    ['recordType', 1, 3, '= 034', 'Record'],
    ['establishment', 4, 12, 'digits', 'Establishment (PV) that is paid'],
    ['document', 13, 23, 'digits', 'Number of the credit order'],
    ['creditDay', 24, 31, 'day DDMMYYYY', 'When it is at the bank'],
    ['net', 32, 46, 'cents', 'Amount that is paid'],
    ['direction', 47, 47, '= C', 'Credit'],
    ['bank', 48, 50, 'document?', 'Bank'],
    ['agency', 51, 56, 'document?', 'Agency'],
    ['account', 57, 67, 'document?', 'Account'],
    ['movementDay', 68, 75, 'day DDMMYYYY', 'Day on which the order was issued'],
    ['batch', 76, 84, 'digits', 'Batch (RV)'],
    ['batchDay', 85, 92, 'day DDMMYYYY', 'Day of the batch'],
    ['brand', 93, 93, 'hint brand?', 'Brand'],
    ['transactionType', 94, 94, 'hint transactionType?', 'Kind of sales'],
    ['gross', 95, 109, 'cents', 'Gross amount of the batch, or of its installment'],
    ['fee', 110, 124, 'cents', 'Fee'],
    [
      'installment',
      125,
      129,
      'text?',
      '`03/12`: the third of twelve; blanks or `00/00` where there is but one',
    ],
    ['status', 130, 131, 'code status', 'Status of the credit'],
    ['originalEstablishment', 132, 140, 'digits?', 'Establishment (PV) of the batch'],
  ],
  { brand: REDE_BRANDS, transactionType: TRANSACTION_TYPES, status: EEFI_CREDIT_STATUS },
);

export const EEFI_ANTICIPATION = recordLayout(
  '036',
  'Anticipation of a batch',
  'An `anticipation`, with a `batch` and no sale of its own; its fee is `originalNet` less `net`, and what is its gross amount `originalNet` and `fee`.',
  [
    ['recordType', 1, 3, '= 036', 'Record'],
    ['establishment', 4, 12, 'digits', 'Establishment (PV) that is paid'],
    ['document', 13, 23, 'digits', 'Number of the credit order'],
    ['creditDay', 24, 31, 'day DDMMYYYY', 'When it is at the bank'],
    ['net', 32, 46, 'cents', 'Amount that is paid'],
    ['direction', 47, 47, '= C', 'Credit'],
    ['bank', 48, 50, 'document?', 'Bank'],
    ['agency', 51, 56, 'document?', 'Agency'],
    ['account', 57, 67, 'document?', 'Account'],
    ['batch', 68, 76, 'digits', 'Batch (RV)'],
    ['batchDay', 77, 84, 'day DDMMYYYY', 'Day of the batch'],
    ['originalNet', 85, 99, 'cents', 'What would have been paid on its own day'],
    ['originalDay', 100, 107, 'day DDMMYYYY', 'That day'],
    ['installment', 108, 112, 'text?', 'As of 034'],
    [
      'batchGross',
      113,
      127,
      'cents',
      'Gross amount; not taken: in a real file more than that of the installment',
    ],
    ['fee', 128, 142, 'cents', 'Fee of the sales, without that of the anticipation'],
    ['originalEstablishment', 143, 151, 'digits?', 'Establishment (PV) of the batch'],
    ['brand', 152, 152, 'hint brand?', 'Brand'],
  ],
  { brand: REDE_BRANDS },
);

export const EEFI_CREDIT_ADJUSTMENT = recordLayout(
  '043',
  'Credit adjustment',
  'A `chargebackReversal` for reason 52, an `adjustment` for any other one of the table below 035, else `unknown`; positive. The reason is that of `reason`, or where that is zeros of `longReason`.',
  [
    ['recordType', 1, 3, '= 043', 'Record'],
    ['establishment', 4, 12, 'digits', 'Establishment (PV) that is credited'],
    ['creditBatch', 13, 21, 'digits?', 'Batch made for the credit; not one of sales'],
    ['document', 22, 32, 'digits', 'Number of the credit order'],
    ['madeOn', 33, 40, 'day DDMMYYYY', 'Day on which the order was issued'],
    ['creditDay', 41, 48, 'day DDMMYYYY', 'When it is at the bank'],
    ['net', 49, 63, 'cents', 'Amount'],
    ['direction', 64, 64, '= C', 'Credit'],
    ['bank', 65, 67, 'document?', 'Bank'],
    ['agency', 68, 73, 'document?', 'Agency'],
    ['account', 74, 84, 'document?', 'Account'],
    ['reason', 85, 86, 'text?', 'Number of the reason; zeros since August 2023'],
    ['description', 87, 114, 'text?', 'Words of the reason'],
    ['brand', 115, 115, 'hint brand?', 'Brand'],
    ['longReason', 116, 119, 'later text?', 'Number of the reason, since V4.00'],
  ],
  { brand: REDE_BRANDS },
);

export const EEFI_CREDIT_TOTAL = recordLayout('037', 'Total of credits', 'Not checked, and left out.', [
  ['recordType', 1, 3, '= 037', 'Record'],
  ['establishment', 4, 12, 'digits', 'Establishment (PV)'],
  ['blanks', 13, 19, 'any', 'Blanks'],
  ['creditDay', 20, 27, 'day DDMMYYYY?', 'Day of the credits'],
  ['total', 28, 42, 'cents', 'Their total'],
  ['blank', 43, 43, 'any', 'Blank'],
  ['bank', 44, 46, 'document?', 'Bank'],
  ['agency', 47, 52, 'document?', 'Agency'],
  ['account', 53, 63, 'document?', 'Account'],
  ['madeOn', 64, 71, 'day DDMMYYYY?', 'Day of the file'],
  ['anticipationDay', 72, 79, 'day DDMMYYYY?', 'Day of the anticipations'],
  ['anticipated', 80, 94, 'cents', 'Their total'],
]);

export const EEFI_BRANCH_TOTAL = recordLayout(
  '050',
  'Total of a head office',
  'Checked: sums of what stands between its 032 and it.',
  [
    ['recordType', 1, 3, '= 050', 'Record'],
    ['establishment', 4, 12, 'digits', 'Head office (PV)'],
    ['creditCount', 13, 18, 'count', 'Number of 034'],
    ['credits', 19, 33, 'cents', 'Sum of `net` of 034'],
    ['anticipationCount', 34, 39, 'count', 'Number of 036'],
    ['anticipated', 40, 54, 'cents', 'Sum of `net` of 036'],
    ['creditAdjustmentCount', 55, 58, 'count', 'Number of 043'],
    ['creditAdjustments', 59, 73, 'cents', 'Sum of `net` of 043'],
    ['debitAdjustmentCount', 74, 79, 'count', 'Number of 038'],
    ['debitAdjustments', 80, 94, 'cents', 'Sum of `amount` of 038'],
  ],
);

export const EEFI_TRAILER = recordLayout('052', 'Trailer of the file', 'The last line, and is checked.', [
  ['recordType', 1, 3, '= 052', 'Record'],
  ['branchCount', 4, 7, 'count', 'Head offices (032)'],
  ['recordCount', 8, 13, 'count', 'All lines of the file, header and trailer with them'],
  ['establishment', 14, 22, 'digits', 'Group (PV)'],
  ['creditCount', 23, 26, 'count', 'Number of 034'],
  ['credits', 27, 41, 'cents', 'Sum of `net` of 034'],
  ['anticipationCount', 42, 47, 'count', 'Number of 036'],
  ['anticipated', 48, 62, 'cents', 'Sum of `net` of 036'],
  ['creditAdjustmentCount', 63, 66, 'count', 'Number of 043'],
  ['creditAdjustments', 67, 81, 'cents', 'Sum of `net` of 043'],
  ['debitAdjustmentCount', 82, 85, 'count', 'Number of 038'],
  ['debitAdjustments', 86, 100, 'cents', 'Sum of `amount` of 038'],
]);

/** Accepted and counted, but not used. */
export const EEFI_LEFT_OUT: CodeTable = {
  '040': 'Serasa queries',
  '041': 'AVS queries',
  '042': 'SecureCode queries',
  '046': 'negotiation (since V4)',
  '047': 'negotiation (since V4)',
  '048': 'negotiation (since V4)',
  '063': 'Pix canceled (since V4)',
  '064': 'suspended payment (since V4)',
  '066': 'technical reserve (since V4)',
  '069': 'installments taken off the schedule (since V4)',
};

export const EEFI_RECORDS = [
  EEFI_HEADER,
  EEFI_BRANCH,
  EEFI_CREDIT,
  EEFI_NET_ADJUSTMENT,
  EEFI_NET_ADJUSTMENT_TWIN,
  EEFI_ANTICIPATION,
  EEFI_CREDIT_TOTAL,
  EEFI_BANK_DEBIT,
  EEFI_BANK_DEBIT_TWIN,
  EEFI_CREDIT_ADJUSTMENT,
  EEFI_PENDING_DEBIT,
  EEFI_ORDER_TWIN,
  EEFI_SETTLED_DEBIT,
  EEFI_UNSCHEDULED,
  EEFI_UNSCHEDULED_TWIN,
  EEFI_BRANCH_TOTAL,
  EEFI_TRAILER,
];
