import { type CodeTable, recordLayout } from '../../records/fixed-width.ts';
import { headerOf, summedTrailer } from './cielo-layout.ts';

/** Cielo 16, Pix that Cielo received, of the electronic statement v15. */

export const CIELO_16_HEADER = headerOf('16');

export const PIX_TYPES: CodeTable = {
  '01': 'Pix',
  '02': 'ajuste a crédito',
  '03': 'ajuste a débito',
};

export const PIX_STATUS: CodeTable = {
  '01': 'pago na conta Cielo',
  '02': 'em transferência ao domicílio',
  '03': 'transferência negada',
  '04': 'transferência não realizada',
  '05': 'pago no domicílio',
  '06': 'bloqueado',
  '07': 'desbloqueado',
  '08': 'liquidação judicial',
  '09': 'compensado',
};

export const PIX_ORIGINS: CodeTable = {
  '12': 'acerto de taxa',
  '17': 'devolução',
  '23': 'bloqueio de valor',
  '24': 'desbloqueio de valor',
  '25': 'liquidação judicial',
  '26': 'compensado por MED',
};

export const CIELO_PIX_DETAIL = recordLayout(
  '8',
  'Pix',
  'A `notice`: a Pix, or what was taken off or given back of one, with its words. Its `tid` is the end-to-end id, its `orderReference` the txid.',
  [
    ['recordType', 1, 1, '= 8', 'Record'],
    ['establishment', 2, 11, 'digits', "The merchant's number"],
    ['pixType', 12, 13, 'code pixType', 'What it is'],
    ['soldOn', 14, 19, 'day YYMMDD', 'Day of the Pix'],
    ['soldTime', 20, 25, 'time?', 'Its time'],
    ['endToEndId', 26, 61, 'text?', 'End-to-end id (`E` and 31 more)'],
    ['nsu', 62, 67, 'digits?', 'NSU'],
    ['paymentDay', 68, 73, 'day YYMMDD?', 'Day of payment'],
    ['gross', 74, 87, 'sign cents', 'Gross amount; negative where it is taken'],
    ['fee', 88, 101, 'sign cents', 'Fee; negative where it is kept from the merchant'],
    ['net', 102, 115, 'sign cents', 'Net amount; negative where it is taken'],
    ['bank', 116, 119, 'document?', 'Bank'],
    ['agency', 120, 124, 'document?', 'Agency'],
    ['account', 125, 144, 'document?', 'Account'],
    ['capturedOn', 145, 150, 'day YYMMDD?', 'Day of its capture'],
    ['rate', 151, 155, 'digits?', 'Rate, in hundredths of a percent'],
    ['tariff', 156, 159, 'digits?', 'Fee of each Pix, in cents'],
    ['channel', 160, 161, 'text?', 'Channel'],
    ['terminal', 162, 169, 'text?', 'Terminal'],
    ['originallyOn', 170, 175, 'day YYMMDD?', 'Day of the Pix that an adjustment is of'],
    ['originallyAt', 176, 181, 'time?', 'Its time'],
    ['originalId', 182, 217, 'text?', 'Its end-to-end id'],
    ['cashMark', 218, 219, 'text?', 'Mark of a Pix with cash'],
    ['origin', 220, 221, 'code origin', 'Why it is adjusted; blanks or zeros where it is not'],
    ['transferMark', 222, 222, 'text?', 'S: it is passed on by itself'],
    ['transferStatus', 223, 224, 'code transferStatus', 'Where the money is'],
    ['cieloDay', 225, 230, 'day YYMMDD?', "Day on which it was paid into Cielo's account"],
    ['longNsu', 231, 238, 'digits?', 'NSU of eight digits'],
    ['scheduledMark', 239, 239, 'text?', 'S: it is passed on at a time that was chosen'],
    ['txid', 240, 275, 'text?', 'txid'],
    ['recurrenceId', 276, 311, 'text?', 'Id of a recurrence'],
    ['paymentId', 312, 347, 'text?', 'Id of the payment'],
    ['reserved', 348, 400, 'any', 'Blanks'],
  ],
  { pixType: PIX_TYPES, origin: PIX_ORIGINS, transferStatus: PIX_STATUS },
);

const CIELO_16_TRAILER = summedTrailer('8');

export const CIELO_16_RECORDS = [CIELO_16_HEADER, CIELO_PIX_DETAIL, CIELO_16_TRAILER];
