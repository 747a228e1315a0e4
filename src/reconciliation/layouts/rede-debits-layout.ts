import { type CodeTable, recordLayout } from './fixed-width.ts';
import { REDE_BRANDS } from './rede-eevc-layout.ts';

/** The debits of Rede's EEFI, each with what e-commerce adds to it on the line behind it. */

/** Reasons (table III) that are about a sale; every other one is an `adjustment`. */
export const REDE_REASONS: CodeTable = {
  '8': 'CANCEL VENDAS HIPERC (`cancel`)',
  '16': 'ESTORNO CR.INDEV.CI (`cancel`)',
  '18': 'CANCEL.DE VENDAS (`cancel`)',
  '21': 'CANCELAMENTO MAESTRO (`cancel`)',
  '30': 'CANCEL DESP DOLAR (`cancel`)',
  '32': 'CANCEL VENDA DEBITO (`cancel`)',
  '36': 'DEVOLUCAO CV (`cancel`)',
  '9': 'CANCEL/CHBK MAESTRO (`chargeback`)',
  '10': 'CANCELAMENTOS POR DISPUTAS (`chargeback`)',
  '15': 'CBK CARTAO CHIP (`chargeback`)',
  '22': 'CONTESTACAO DE VENDA (`chargeback`)',
  '23': 'CONTESTACAO DE VENDA (`chargeback`)',
  '39': 'CONTEST VENDAS HIPER (`chargeback`)',
  '52': 'REVERSAO DEBITO CBK (`chargebackReversal`, of a credit)',
};

const DEBIT_USE = 'kind is that of `reason`; negative.';
const GROSS = 'Its gross amount is `requested`; where that is 0 or `extent` is `P`, it is `amount`.';

export const EEFI_NET_ADJUSTMENT = recordLayout(
  '035',
  'Adjustment kept from a credit',
  `Follows the 034, 036 or 043 from which it is kept. Way N: its ${DEBIT_USE} ${GROSS} The amount is added to what that credit pays, so that the two together are the money at the bank. Way D: left out, an earlier 049 reported it.`,
  [
    ['recordType', 1, 3, '= 035', 'Record'],
    ['establishment', 4, 12, 'digits', 'Establishment (PV) that is debited'],
    ['adjustedBatch', 13, 21, 'digits', 'Batch (RV) from whose credit it is kept'],
    ['adjustedOn', 22, 29, 'day DDMMYYYY', 'Day of the adjustment'],
    ['amount', 30, 44, 'cents', 'Amount that is kept'],
    ['direction', 45, 45, '= D', 'Debit'],
    ['reason', 46, 47, 'digits?', 'Number of the reason'],
    ['description', 48, 75, 'text?', 'Words of the reason'],
    ['card', 76, 91, 'card?', 'Card; masked'],
    ['soldOn', 92, 99, 'day DDMMYYYY?', 'Day of the sale'],
    ['batch', 100, 108, 'digits?', 'Batch (RV) of the sale'],
    ['letter', 109, 123, 'text?', 'Number of the letter that asked for the cancellation'],
    ['letterDay', 124, 131, 'day DDMMYYYY?', 'Its day'],
    ['month', 132, 137, 'text?', 'Month of a service'],
    ['originalEstablishment', 138, 146, 'digits?', 'Establishment (PV) of the sale'],
    ['batchDay', 147, 154, 'day DDMMYYYY?', 'Day of the batch of the sale'],
    ['saleGross', 155, 169, 'cents?', 'Gross amount of the sale'],
    ['way', 170, 170, 'code way', 'How it is kept'],
    ['creditDay', 171, 178, 'day DDMMYYYY?', 'Day of the credit from which it is kept'],
    ['newAmount', 179, 193, 'cents?', 'What is left of the installment'],
    ['oldAmount', 194, 208, 'cents?', 'What the installment was'],
    ['batchGross', 209, 223, 'cents?', 'Gross amount of the batch'],
    ['requested', 224, 238, 'cents?', 'Amount of the cancellation that was asked for'],
    ['nsu', 239, 250, 'digits?', 'NSU of the sale; reasons 16, 18 and 23'],
    ['authorizationCode', 251, 256, 'text?', 'Authorization code of the sale'],
    ['extent', 257, 257, 'text?', '`T` the whole of what was asked for, `P` a part'],
    ['document', 258, 268, 'digits?', 'Number of the debit order'],
    ['debitTotal', 269, 283, 'cents?', 'The whole of the debit'],
    ['pending', 284, 298, 'cents?', 'What is still to be debited'],
    ['batchBrand', 299, 299, 'hint brand?', 'Brand of the batch of the sale'],
    ['adjustedBrand', 300, 300, 'hint brand?', 'Brand of the batch from which it is kept'],
  ],
  {
    brand: REDE_BRANDS,
    reason: REDE_REASONS,
    way: { D: 'an installment is taken off the schedule', N: 'net of a credit' },
  },
);

export const EEFI_BANK_DEBIT = recordLayout(
  '038',
  'Debit at the bank',
  `Its ${DEBIT_USE} ${GROSS}`,
  [
    ['recordType', 1, 3, '= 038', 'Record'],
    ['establishment', 4, 12, 'digits', 'Establishment (PV) that is debited'],
    ['document', 13, 23, 'digits', 'Number of the debit order'],
    ['madeOn', 24, 31, 'day DDMMYYYY', 'Day on which the order was issued'],
    ['amount', 32, 46, 'cents', 'Amount'],
    ['direction', 47, 47, '= D', 'Debit'],
    ['bank', 48, 50, 'document?', 'Bank'],
    ['agency', 51, 56, 'document?', 'Agency'],
    ['account', 57, 67, 'document?', 'Account'],
    ['batch', 68, 76, 'digits?', 'Batch (RV) of the sale'],
    ['batchDay', 77, 84, 'day DDMMYYYY?', 'Its day'],
    ['originalCredit', 85, 99, 'cents?', 'Amount of the credit that it was'],
    ['reason', 100, 101, 'digits?', 'Number of the reason'],
    ['description', 102, 129, 'text?', 'Words of the reason'],
    ['card', 130, 145, 'card?', 'Card; masked'],
    ['letter', 146, 160, 'text?', 'Number of the letter that asked for the cancellation'],
    ['month', 161, 166, 'text?', 'Month of a service'],
    ['letterDay', 167, 174, 'day DDMMYYYY?', 'Day of the letter'],
    ['requested', 175, 189, 'cents?', 'Amount of the cancellation that was asked for'],
    ['process', 190, 204, 'text?', 'Number of the chargeback'],
    ['originalEstablishment', 205, 213, 'digits?', 'Establishment (PV) of the sale'],
    ['soldOn', 214, 221, 'day DDMMYYYY?', 'Day of the sale'],
    ['nsu', 222, 233, 'digits?', 'NSU of the sale; reasons 16, 18 and 23'],
    ['debitBatch', 234, 242, 'digits?', 'Batch made for the debit; not one of sales'],
    ['debitDay', 243, 250, 'day DDMMYYYY?', 'Day of the debit'],
    ['saleGross', 251, 265, 'cents?', 'Gross amount of the sale'],
    ['authorizationCode', 266, 271, 'text?', 'Authorization code of the sale'],
    ['extent', 272, 272, 'text?', '`T` the whole of what was asked for, `P` a part'],
    ['debitTotal', 273, 287, 'cents?', 'The whole of the debit'],
    ['pending', 288, 302, 'cents?', 'What is still to be debited'],
    ['brand', 303, 303, 'hint brand?', 'Brand of the batch of the sale'],
  ],
  { brand: REDE_BRANDS, reason: REDE_REASONS },
);

const ORDER_FIELDS = [
  ['establishment', 4, 12, 'digits', 'Establishment (PV) that is debited'],
  ['document', 13, 23, 'digits', 'Number of the debit order'],
  ['madeOn', 24, 31, 'day DDMMYYYY', 'Day of the order'],
  ['amount', 32, 46, 'cents', 'Amount of the order'],
  ['reason', 47, 48, 'digits?', 'Number of the reason'],
  ['description', 49, 76, 'text?', 'Words of the reason'],
  ['card', 77, 92, 'card?', 'Card; masked'],
  ['nsu', 93, 104, 'digits?', 'NSU of the sale; reasons 16, 18 and 23'],
  ['soldOn', 105, 112, 'day DDMMYYYY?', 'Day of the sale'],
  ['authorizationCode', 113, 118, 'text?', 'Authorization code of the sale'],
  ['saleGross', 119, 133, 'cents?', 'Gross amount of the sale'],
  ['batch', 134, 142, 'digits?', 'Batch (RV) of the sale'],
  ['batchDay', 143, 150, 'day DDMMYYYY?', 'Its day'],
  ['originalEstablishment', 151, 159, 'digits?', 'Establishment (PV) of the sale'],
  ['letter', 160, 174, 'text?', 'Number of the letter that asked for the cancellation'],
  ['letterDay', 175, 182, 'day DDMMYYYY?', 'Its day'],
  ['process', 183, 197, 'text?', 'Number of the chargeback'],
  ['month', 198, 203, 'text?', 'Month of a service'],
] as const;

export const EEFI_PENDING_DEBIT = recordLayout(
  '044',
  'Debit that waits',
  `Its ${DEBIT_USE} \`net\` is only what was paid of it until now, and a later 045 of the same \`document\` reports the rest.`,
  [
    ['recordType', 1, 3, '= 044', 'Record'],
    ...ORDER_FIELDS,
    ['paid', 204, 218, 'cents?', 'What was balanced or paid of it'],
    ['paidOn', 219, 226, 'day DDMMYYYY?', 'When'],
    ['pending', 227, 241, 'cents?', 'What is still to be debited'],
    ['retention', 242, 256, 'text?', 'Number of the retention'],
    ['means', 257, 258, 'text?', 'Code of the means'],
    ['meansDescription', 259, 286, 'text?', 'Words of the means'],
    ['brand', 287, 287, 'hint brand?', 'Brand'],
  ],
  { brand: REDE_BRANDS, reason: REDE_REASONS },
);

export const EEFI_SETTLED_DEBIT = recordLayout(
  '045',
  'Debit that was settled',
  `Its ${DEBIT_USE}`,
  [
    ['recordType', 1, 3, '= 045', 'Record'],
    ...ORDER_FIELDS,
    ['paid', 204, 218, 'cents', 'Amount settled'],
    ['paidOn', 219, 226, 'day DDMMYYYY', 'When'],
    ['retention', 227, 241, 'text?', 'Number of the retention'],
    ['means', 242, 243, 'text?', 'Code of the means'],
    ['meansDescription', 244, 271, 'text?', 'Words of the means'],
    ['brand', 272, 272, 'hint brand?', 'Brand'],
  ],
  { brand: REDE_BRANDS, reason: REDE_REASONS },
);

export const EEFI_UNSCHEDULED = recordLayout(
  '049',
  'Installment taken off the schedule',
  'A `cancel` or `chargeback` by `debitType`, of the installment; `gross` negative, `net` 0: no money is moved, the installment will be paid less. Without a 057 behind it its sale is the one that the list of the batch (EEVC) has under its NSU; until there is such a list it is an exception of its amount.',
  [
    ['recordType', 1, 3, '= 049', 'Record'],
    ['establishment', 4, 12, 'digits', 'Establishment (PV) of the sale'],
    ['batch', 13, 21, 'digits', 'Batch (RV) of the sale'],
    ['letter', 22, 36, 'text?', 'Number of the letter that asked for the cancellation'],
    ['creditDay', 37, 44, 'day DDMMYYYY', 'Day on which the installment would have been paid'],
    ['newAmount', 45, 59, 'cents', 'What is left of the installment of the batch'],
    ['oldAmount', 60, 74, 'cents', 'What it was'],
    ['amount', 75, 89, 'cents', 'What was taken off'],
    ['canceledOn', 90, 97, 'day DDMMYYYY', 'Day of the cancellation'],
    ['batchGross', 98, 112, 'cents?', 'Gross amount of the batch'],
    ['requested', 113, 127, 'cents?', 'Amount of the cancellation that was asked for'],
    ['card', 128, 143, 'card?', 'Card; masked'],
    ['soldOn', 144, 151, 'day DDMMYYYY?', 'Day of the sale'],
    ['nsu', 152, 163, 'digits?', 'NSU of the sale'],
    ['debitType', 164, 164, 'code debitType', 'Who asked for it'],
    ['installmentNumber', 165, 166, 'count?', 'Number of the installment; 00 where the sale has but one'],
    ['brand', 167, 167, 'hint brand?', 'Brand'],
  ],
  { brand: REDE_BRANDS, debitType: { '1': 'the merchant (`cancel`)', '2': 'the issuer (`chargeback`)' } },
);

const TWIN_USE =
  'Gives the record on the line before it TID and order number, when NSU (and batch, where it has one) are the same; elsewhere it is counted and left out.';

export const EEFI_NET_ADJUSTMENT_TWIN = recordLayout('053', 'What e-commerce adds to 035', TWIN_USE, [
  ['recordType', 1, 3, '= 053', 'Record'],
  ['card', 4, 19, 'card?', 'Card; masked'],
  ['soldOn', 20, 27, 'day DDMMYYYY?', 'Day of the sale'],
  ['batch', 28, 36, 'digits?', 'Batch (RV) of the sale'],
  ['originalEstablishment', 37, 45, 'digits?', 'Establishment (PV) of the sale'],
  ['saleGross', 46, 60, 'cents?', 'Gross amount of the sale'],
  ['nsu', 61, 72, 'digits?', 'NSU of the sale'],
  ['authorizationCode', 73, 78, 'text?', 'Authorization code of the sale'],
  ['tid', 79, 98, 'text?', 'TID, from the left'],
  ['orderReference', 99, 128, 'text?', 'Order number, from the left'],
]);

export const EEFI_BANK_DEBIT_TWIN = recordLayout('054', 'What e-commerce adds to 038', TWIN_USE, [
  ['recordType', 1, 3, '= 054', 'Record'],
  ['batch', 4, 12, 'digits?', 'Batch (RV) of the sale'],
  ['card', 13, 28, 'card?', 'Card; masked'],
  ['originalEstablishment', 29, 37, 'digits?', 'Establishment (PV) of the sale'],
  ['soldOn', 38, 45, 'day DDMMYYYY?', 'Day of the sale'],
  ['nsu', 46, 57, 'digits?', 'NSU of the sale'],
  ['saleGross', 58, 72, 'cents?', 'Gross amount of the sale'],
  ['authorizationCode', 73, 78, 'text?', 'Authorization code of the sale'],
  ['tid', 79, 98, 'text?', 'TID, from the left'],
  ['orderReference', 99, 128, 'text?', 'Order number, from the left'],
]);

export const EEFI_ORDER_TWIN = recordLayout('055', 'What e-commerce adds to 044', TWIN_USE, [
  ['recordType', 1, 3, '= 055', 'Record'],
  ['card', 4, 19, 'card?', 'Card; masked'],
  ['nsu', 20, 31, 'digits?', 'NSU of the sale'],
  ['soldOn', 32, 39, 'day DDMMYYYY?', 'Day of the sale'],
  ['authorizationCode', 40, 45, 'text?', 'Authorization code of the sale'],
  ['saleGross', 46, 60, 'cents?', 'Gross amount of the sale'],
  ['batch', 61, 69, 'digits?', 'Batch (RV) of the sale'],
  ['originalEstablishment', 70, 78, 'digits?', 'Establishment (PV) of the sale'],
  ['tid', 79, 98, 'text?', 'TID, from the left'],
  ['orderReference', 99, 128, 'text?', 'Order number, from the left'],
]);

export const EEFI_UNSCHEDULED_TWIN = recordLayout(
  '057',
  'What e-commerce adds to 049',
  `${TWIN_USE} The paper prints the TID as two positions and the order number behind them; here both have their length.`,
  [
    ['recordType', 1, 3, '= 057', 'Record'],
    ['establishment', 4, 12, 'digits?', 'Establishment (PV) of the sale'],
    ['batch', 13, 21, 'digits?', 'Batch (RV) of the sale'],
    ['reserved', 22, 97, 'any', 'Blanks'],
    ['batchGross', 98, 112, 'cents?', 'Gross amount of the batch'],
    ['reservedToo', 113, 127, 'any', 'Blanks'],
    ['card', 128, 143, 'card?', 'Card; masked'],
    ['soldOn', 144, 151, 'day DDMMYYYY?', 'Day of the sale'],
    ['nsu', 152, 163, 'digits?', 'NSU of the sale'],
    ['reservedThree', 164, 164, 'any', 'Blank'],
    ['tid', 165, 184, 'text?', 'TID, from the left'],
    ['orderReference', 185, 214, 'text?', 'Order number, from the left'],
  ],
);

/** Records that are written as another: same positions, another number. */
export const EEFI_ALIKE: Readonly<Record<string, { readonly as: string; readonly title: string }>> = {
  '056': { as: '055', title: 'What e-commerce adds to 045' },
};
