import { type CodeTable, recordLayout } from '../../records/fixed-width.ts';

/** Cielo 03, "captura e previsão", and 04, "liquidação e pagamento", of the electronic statement v15; 09. */

export const CIELO_BRANDS: CodeTable = {
  '001': 'Visa',
  '002': 'Mastercard',
  '003': 'American Express',
  '006': 'Sorocred',
  '007': 'Elo',
  '009': 'Diners',
  '011': 'Agiplan',
  '015': 'Banescard',
  '023': 'Cabal',
  '029': 'Credsystem',
  '035': 'Esplanada',
  '040': 'Hipercard',
  '060': 'JCB',
  '064': 'Credz',
  '072': 'Hiper',
  '075': 'Ourocard',
  '888': 'Pix',
};

/** Brackets give the reader's kind. Without brackets it is `unknown`. */
export const CIELO_ENTRY_TYPES: CodeTable = {
  '01': 'debit sale (`payout`, `anticipation` or `sale`, by `paymentStatus` of its D)',
  '02': 'credit sale (as 01)',
  '03': 'sale in installments (as 01)',
  '04': 'debit adjustment (`adjustment`)',
  '05': 'credit adjustment (`adjustment`)',
  '06': 'cancellation of a sale (`cancel`)',
  '07': 'cancellation taken back (`cancelReversal`)',
  '08': 'dispute of the cardholder (`chargeback`)',
  '09': 'dispute taken back (`chargebackReversal`)',
  '10': 'rent of a terminal (`adjustment`)',
  '11': 'ceded in a negotiation (`pledge`)',
  '13': 'debit of receivables given as security (`pledge`)',
  '14': 'credit of receivables given as security (`pledge`)',
  '15': 'debit that balances the agenda (`adjustment`)',
  '16': 'credit that balances the agenda (`adjustment`)',
  '17': 'credit given back of what was ceded (`pledge`)',
  '18': 'debit given back of what was ceded (`pledge`)',
  '19': 'credit given back of a security (`pledge`)',
  '20': 'debit given back of a security (`pledge`)',
  '23': 'seized by order of a court (`pledge`)',
  '26': 'given back of what was seized (`pledge`)',
  '27': 'debit for a cancellation or dispute in a canceled negotiation (`adjustment`)',
  '28': 'credit for the same (`adjustment`)',
  '35': 'debit that balances a security (`pledge`)',
  '36': 'credit that balances a security (`pledge`)',
  '37': 'debit that balances a seizure (`pledge`)',
  '38': 'credit that balances a seizure (`pledge`)',
  '39': 'debit that balances a cession (`pledge`)',
  '40': 'credit that balances a cession (`pledge`)',
  '42': 'voucher sale (as 01)',
  '49': 'debit of receivables that were anticipated (ARV, since v15.15; `adjustment`)',
  '50': 'credit of an anticipation (as 49)',
  '51': 'credit of an anticipation taken back (as 49)',
  '52': 'debit of an anticipation taken back (as 49)',
  '53': 'debit for a cancellation in an anticipation (as 49)',
  '54': 'credit for a cancellation in an anticipation (as 49)',
};

/**
 * The reader uses the first word. Payments of the file's own day are "sent to the bank". For 0A the manual
 * says both paid and suspended.
 */
export const CIELO_PAYMENT_STATUS: CodeTable = {
  '00': 'scheduled',
  '0P': 'scheduled',
  '03': 'sent to the bank',
  '45': 'sent to the bank',
  '54': 'sent to the bank',
  '0O': 'sent to the bank',
  '04': 'paid',
  '05': 'paid',
  '10': 'paid',
  '11': 'paid',
  '31': 'paid',
  '32': 'paid',
  '98': 'paid',
  '99': 'paid',
  '0B': 'paid',
  '0C': 'paid',
  '0M': 'paid',
  '0N': 'paid',
  '0W': 'paid',
  '0Z': 'paid',
  '06': 'rejected by the bank',
  '0R': 'rejected by the bank',
  '07': 'sent to the bank again',
  '0X': 'sent to the bank again',
  '0Y': 'sent to the bank again',
  '46': 'debited from the account',
  '47': 'debited from the account',
  '02': 'blocked',
  '08': 'suspended',
  '15': 'suspended',
  '37': 'suspended',
  '38': 'suspended',
  '53': 'suspended',
  '42': 'debit pending',
  '48': 'debit pending',
  '58': 'anticipated: paid in a negotiation',
};

export const SETTLEMENTS: CodeTable = {
  '000': 'not known',
  '001': 'debit',
  '002': 'credit',
  '004': 'voucher',
};

export function headerOf<const S extends string>(statement: S) {
  return recordLayout('0', 'Header of the file', 'The head of the file. The first line.', [
    ['recordType', 1, 1, '= 0', 'Record'],
    ['establishment', 2, 11, 'digits', "The merchant's number, of the head office"],
    ['madeOn', 12, 19, 'day YYYYMMDD', 'Day on which the file was made'],
    ['from', 20, 27, 'day YYYYMMDD', 'First day of the movement'],
    ['to', 28, 35, 'day YYYYMMDD', 'Last day of the movement'],
    ['sequence', 36, 42, 'count', "The acquirer's number of the file; 9999999 in one that was made anew"],
    ['acquirer', 43, 47, '= CIELO', 'Acquirer'],
    ['statement', 48, 49, `= ${statement}`, 'Which statement'],
    ['transmission', 50, 50, 'text?', 'How it is sent'],
    ['mailbox', 51, 70, 'text?', 'Mailbox'],
    ['version', 71, 73, 'text', 'Version of the layout, `015` or three digits that begin with 15'],
    ['reserved', 74, 250, 'any', 'Blanks'],
  ]);
}

export const CIELO_HEADER = headerOf('04');
export const CIELO_03_HEADER = headerOf('03');

export const CIELO_UNIT = recordLayout(
  'D',
  'Receivable unit (UR)',
  'The unit that entries are paid under, and when; stands before them. Its sums and its count are checked. A sale under a status `paid` or `sent` is a `payout`, under `anticipated` an `anticipation`, under any other that is known a `sale` that is still to be paid. Whatever stands under a status that is not known is `unknown`.',
  [
    ['recordType', 1, 1, '= D', 'Record'],
    ['establishment', 2, 11, 'digits', "The merchant's number"],
    ['holder', 12, 25, 'document?', 'CNPJ or CPF of the holder'],
    ['movementHolder', 26, 39, 'document?', 'CNPJ or CPF of the holder of the movement'],
    ['receiver', 40, 53, 'document?', 'CNPJ or CPF of the one who is paid'],
    ['brand', 54, 56, 'hint brand?', 'Brand'],
    ['settlement', 57, 59, 'hint settlement?', 'Kind of settlement'],
    ['paymentEstablishment', 60, 69, 'digits?', 'Head office that is paid'],
    ['paymentStatus', 70, 71, 'code status', 'Status of the payment'],
    ['gross', 72, 85, 'sign cents', 'Gross amount: sum of its entries'],
    ['fee', 86, 99, 'sign cents?', 'Fee; negative'],
    ['net', 100, 113, 'sign cents', 'Net amount: sum of its entries'],
    ['bank', 114, 117, 'document?', 'Bank'],
    ['agency', 118, 122, 'document?', 'Agency'],
    ['account', 123, 142, 'document?', 'Account'],
    ['accountDigit', 143, 143, 'document?', 'Its check digit'],
    ['entryCount', 144, 149, 'count', 'Number of its entries (E)'],
    ['entryType', 150, 151, 'code entryType', 'Type of its entries'],
    ['unit', 152, 251, 'text', 'UR key; with `entryType` what its entries name'],
    ['reserved', 252, 267, 'any', 'Blanks'],
    ['paymentDay', 268, 275, 'day DDMMYYYY?', 'Day of payment'],
    ['sentDay', 276, 283, 'day DDMMYYYY?', 'Day on which it was sent to the bank'],
    ['dueDay', 284, 291, 'day DDMMYYYY?', 'Day on which it was due at first'],
    ['payingEstablishment', 292, 301, 'digits?', 'Establishment of the payment'],
    ['pendingMark', 302, 302, 'text?', 'Mark of a pending entry'],
    ['resentMark', 303, 303, 'text?', 'Mark of a payment sent again'],
    ['pledgeMark', 304, 304, 'text?', 'Mark of a negotiation or security'],
    ['negotiator', 305, 318, 'document?', 'CNPJ or CPF of the one it was negotiated with'],
    ['openBalanceMark', 319, 319, 'text?', 'Mark of an open balance'],
    ['reservedToo', 320, 400, 'any', 'Blanks'],
  ],
  {
    brand: CIELO_BRANDS,
    settlement: SETTLEMENTS,
    status: CIELO_PAYMENT_STATUS,
    entryType: CIELO_ENTRY_TYPES,
  },
);

export const CIELO_ENTRY = recordLayout(
  'E',
  'Entry',
  "An entry: its kind is that of `entryType`, its bank day the `paymentDay` of its D, else that D's `dueDay`. What an anticipation costs is what `net` lacks of `gross` and `fee`.",
  [
    ['recordType', 1, 1, '= E', 'Record'],
    ['establishment', 2, 11, 'digits', "The merchant's number"],
    ['brand', 12, 14, 'hint brand?', 'Brand'],
    ['settlement', 15, 17, 'hint settlement?', 'Kind of settlement'],
    ['installmentNumber', 18, 19, 'count', 'Number of the installment; 00 where the sale has but one'],
    ['installmentCount', 20, 21, 'count', 'Number of installments; 00 or 01 where the sale has but one'],
    ['authorizationCode', 22, 27, 'text?', 'Authorization code'],
    ['entryType', 28, 29, 'code entryType', 'What it is'],
    ['unit', 30, 129, 'text', 'UR key of its D'],
    ['receivedCode', 130, 151, 'text?', 'Code of the transaction as received'],
    ['reason', 152, 155, 'text?', 'Code of the reason of an adjustment'],
    ['paymentForm', 156, 158, 'text?', 'Product, for example 040 Visa credit, 043 Visa in installments'],
    ['marks', 159, 163, 'any', 'Marks of the acquirer; blanks or letters'],
    ['rejectedMark', 164, 164, 'text?', 'S: the sale is rejected'],
    ['lateMark', 165, 165, 'any', 'S: the sale came late'],
    ['cardFirstSix', 166, 171, 'text?', 'First six digits of the card'],
    ['cardLastFour', 172, 175, 'text?', 'Last four digits of the card'],
    ['nsu', 176, 181, 'digits?', 'NSU: the last six digits of ours'],
    ['invoice', 182, 191, 'text?', 'Invoice'],
    ['tid', 192, 211, 'text?', 'TID, from the left'],
    [
      'orderReference',
      212,
      231,
      'text?',
      'Order number, from the left: the last 20 characters of a longer one',
    ],
    ['rate', 232, 236, 'digits?', 'MDR in thousandths of a percent: 02500 is 2.5%'],
    ['automaticRate', 237, 241, 'digits?', 'Rate of automatic anticipation, the same way'],
    ['saleRate', 242, 246, 'digits?', 'Rate of the sale, the same way'],
    ['saleGross', 247, 260, 'sign cents', 'Gross amount of the whole sale'],
    ['gross', 261, 274, 'sign cents', 'Gross amount of the installment; negative where it is taken'],
    ['net', 275, 288, 'sign cents', 'Net amount of the installment; negative where it is taken'],
    ['fee', 289, 302, 'sign cents', 'Fee of the installment; negative where it is kept from the merchant'],
    ['reserved', 303, 470, 'any', 'Blanks'],
    ['soldTime', 471, 476, 'time?', 'Time of the sale'],
    ['cardGroup', 477, 478, 'text?', 'Group of the card'],
    ['receiver', 479, 492, 'document?', 'CNPJ or CPF of the one who is paid'],
    ['authorizationBrand', 493, 495, 'text?', 'Brand of the authorization'],
    ['saleCode', 496, 510, 'text?', "The acquirer's own code of the sale"],
    ['reservedToo', 511, 540, 'any', 'Blanks'],
    ['channel', 541, 543, 'text?', 'Channel; 007 for e-commerce'],
    ['terminal', 544, 551, 'text?', 'Terminal'],
    ['reservedThree', 552, 560, 'any', 'Blanks'],
    ['pricing', 561, 565, 'text?', 'Model of pricing'],
    ['soldOn', 566, 573, 'day DDMMYYYY?', 'Day of the authorization of the sale'],
    ['capturedOn', 574, 581, 'day DDMMYYYY?', 'Day of its capture'],
    ['enteredOn', 582, 589, 'day DDMMYYYY?', 'Day of the entry'],
    ['originallyOn', 590, 597, 'day DDMMYYYY?', 'Day of the entry at first'],
    ['batchNumber', 598, 604, 'text?', 'Number of the batch'],
    ['processedCode', 605, 626, 'any', 'Code of the transaction that an adjustment is of'],
    ['rejection', 627, 629, 'text?', 'Code of the reason of a rejection'],
    ['dueDay', 630, 637, 'day DDMMYYYY?', 'Day on which it was due at first'],
    ['paymentEstablishment', 638, 647, 'digits?', 'Head office that is paid'],
    ['cardType', 648, 649, 'text?', 'Type of the card'],
    ['cardOrigin', 650, 650, 'text?', 'Origin of the card'],
    ['reservedFive', 651, 682, 'any', 'Blanks'],
    ['arn', 683, 705, 'text?', 'Acquirer reference number'],
    ['reservedSix', 706, 706, 'any', 'Blank'],
    ['captureType', 707, 708, 'text?', 'How the card was read; since v15.14, blanks before'],
    ['reservedSeven', 709, 760, 'any', 'Blanks'],
  ],
  { brand: CIELO_BRANDS, settlement: SETTLEMENTS, entryType: CIELO_ENTRY_TYPES },
);

const CIELO_PIX = recordLayout(
  '8',
  'Pix',
  'Left out, and counted: the 16 has it. Its amounts are not in the sums of the trailer.',
  [
    ['recordType', 1, 1, '= 8', 'Record'],
    ['establishment', 2, 11, 'digits', "The merchant's number"],
    ['rest', 12, 400, 'any', 'Not read'],
  ],
);

export const CIELO_TRAILER = recordLayout('9', 'Trailer of the file', 'The last line, and is checked.', [
  ['recordType', 1, 1, '= 9', 'Record'],
  [
    'recordCount',
    2,
    12,
    'count',
    'Lines between header and trailer; a file that counts these two with them is taken too',
  ],
  ['net', 13, 30, 'sign cents', 'Sum of `net` of all E'],
  ['entryCount', 31, 41, 'count', 'Number of E'],
  ['gross', 42, 59, 'sign cents', 'Sum of `gross` of all E'],
  ['ceded', 60, 77, 'sign cents?', 'Sum ceded; not checked, the papers do not say of which entries'],
  ['pledged', 78, 95, 'sign cents?', 'Sum pledged; not checked either'],
  ['reserved', 96, 250, 'any', 'Blanks'],
]);

const CIELO_RESERVE = recordLayout(
  'R',
  'Reserve',
  'Left out, and counted: what Cielo holds back of an agenda.',
  [
    ['recordType', 1, 1, '= R', 'Record'],
    ['establishment', 2, 11, 'digits', "The merchant's number"],
    ['rest', 12, 400, 'any', 'Not read'],
  ],
);

export const CIELO_RECORDS = [CIELO_HEADER, CIELO_UNIT, CIELO_ENTRY, CIELO_PIX, CIELO_TRAILER];

export const CIELO_03_RECORDS = [CIELO_03_HEADER, CIELO_ENTRY, CIELO_RESERVE, CIELO_TRAILER];

/** Of the statements that have no E. */
export function summedTrailer(record: string) {
  return recordLayout('9', 'Trailer of the file', 'The last line, and is checked.', [
    ['recordType', 1, 1, '= 9', 'Record'],
    [
      'recordCount',
      2,
      12,
      'count',
      'Lines between header and trailer; a file that counts these two with them is taken too',
    ],
    ['net', 13, 30, 'sign cents', `Sum of \`net\` of all ${record}`],
    ['entryCount', 31, 41, 'count', 'Number of E; not checked, there are none'],
    ['gross', 42, 59, 'sign cents', `Sum of \`gross\` of all ${record}`],
    ['ceded', 60, 77, 'sign cents?', 'Sum ceded; not checked'],
    ['pledged', 78, 95, 'sign cents?', 'Sum pledged; not checked'],
    ['reserved', 96, 250, 'any', 'Other sums, since v15.15'],
  ]);
}

export const CIELO_09_HEADER = headerOf('09');
export const CIELO_09_TRAILER = summedTrailer('D');
export const CIELO_09_RECORDS = [CIELO_09_HEADER, CIELO_UNIT, CIELO_09_TRAILER];
