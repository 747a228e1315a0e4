import { type Bank, used } from '../bank.ts';
import { numberAt } from '../boleto-number.ts';
import { TITLE } from '../cnab240-layout.ts';
import { detailLayout, FAMILY } from '../cnab400-layout.ts';
import { FEBRABAN, LATER_FEBRABAN } from './febraban.ts';

export const SICOOB: Bank = {
  code: '756',
  name: 'Sicoob',
  cnab240: {
    title: TITLE,
    number: numberAt(38, 46, 47),
    movements: { ...FEBRABAN, ...LATER_FEBRABAN },
    lots: 'numbered',
    counts: 'records',
  },
  cnab400: {
    sequence: [101, 107],
    number: numberAt(63, 73, 74),
    details: {
      '1': detailLayout({ ...FAMILY, bankNumber: [63, 74], fee: [182, 188], creditedOn: [176, 181] }),
    },
    movements: {
      ...used('paid', {
        '05': 'liquidação sem registro',
        '06': 'liquidação normal',
        '15': 'liquidação em cartório',
      }),
      ...used('writtenOff', { '09': 'baixa', '10': 'baixa solicitada' }),
      ...used('registered', { '02': 'entrada confirmada' }),
      ...used('dueDayChanged', { '14': 'vencimento alterado' }),
      ...used('none', {
        '11': 'em ser',
        '23': 'encaminhado a protesto',
        '27': 'dados alterados',
        '48': 'transferência de carteira confirmada',
      }),
    },
  },
};
