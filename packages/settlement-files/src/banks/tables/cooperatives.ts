import { type Bank, used } from '../bank.ts';
import { withDigit9 } from '../boleto-number.ts';
import { TITLE } from '../cnab240-layout.ts';
import { detailLayout, FAMILY } from '../cnab400-layout.ts';
import { BRADESCO } from './bradesco.ts';
import { FEBRABAN, LATER_FEBRABAN } from './febraban.ts';

/** Its CNAB 400 is Bradesco's, except for movements that only one of them has. */
export const CRESOL: Bank = {
  code: '133',
  name: 'Cresol',
  cnab240: {
    title: TITLE,
    number: 'unsure',
    movements: { ...FEBRABAN, ...LATER_FEBRABAN },
    lots: 'numbered',
    counts: 'records',
  },
  ...(BRADESCO.cnab400 === undefined ? {} : { cnab400: BRADESCO.cnab400 }),
};

/** Its CNAB 400 is Bradesco's. */
export const UNIPRIME: Bank = {
  code: '084',
  name: 'Uniprime',
  ...(BRADESCO.cnab400 === undefined ? {} : { cnab400: BRADESCO.cnab400 }),
};

export const UNICRED: Bank = {
  code: '136',
  name: 'Unicred',
  cnab400: {
    sequence: [101, 107],
    number: withDigit9(46, 61),
    details: {
      '1': detailLayout({
        ...FAMILY,
        companyUse: null,
        documentNumber: [280, 305],
        bankNumber: [46, 62],
        fee: [182, 188],
        creditedOn: [176, 181],
      }),
    },
    movements: {
      ...used('paid', { '06': 'liquidação normal' }),
      ...used('unclear', {
        '01': 'protestado pago em cartório',
        '04': 'protestado sustado judicialmente',
        '07': 'liquidação em condicional',
        '08': 'protestado sustado judicialmente em definitivo',
        '09': 'liquidação de título descontado',
      }),
      ...used('laterRefused', { '03': 'instrução rejeitada' }),
      ...used('none', {
        '02': 'instrução confirmada',
        '10': 'protesto solicitado',
        '11': 'protesto em cartório',
        '12': 'sustação solicitada',
        '13': 'título descontado',
        '14': 'título descontável',
      }),
    },
  },
};
