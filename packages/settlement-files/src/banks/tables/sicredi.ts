import { type Bank, used } from '../bank.ts';
import { numberAt } from '../boleto-number.ts';
import { TITLE } from '../cnab240-layout.ts';
import { detailLayout, FAMILY } from '../cnab400-layout.ts';
import { DISCOUNTS, FEBRABAN } from './febraban.ts';

export const SICREDI: Bank = {
  code: '748',
  name: 'Sicredi',
  cnab240: {
    title: TITLE,
    number: numberAt(38, 45, 46),
    movements: { ...FEBRABAN, ...DISCOUNTS, ...used('notWrittenOff', { '36': 'baixa rejeitada' }) },
    lots: 'numbered',
    counts: 'records',
    hasDocumentAgain: true,
  },
  cnab400: {
    sequence: [111, 117],
    madeOn: [95, 102, 'day YYYYMMDD'],
    number: numberAt(48, 55, 56),
    details: {
      '1': detailLayout({
        ...FAMILY,
        companyUse: null,
        bankNumber: [48, 62],
        creditedOn: [329, 336, 'day YYYYMMDD?'],
      }),
    },
    movements: {
      ...used('paid', {
        '06': 'liquidação normal',
        '15': 'liquidação em cartório',
        '17': 'liquidação após baixa',
      }),
      ...used('writtenOff', {
        '09': 'baixado automaticamente via arquivo',
        '10': 'baixado conforme instruções da cooperativa',
      }),
      ...used('registered', { '02': 'entrada confirmada' }),
      ...used('notRegistered', { '03': 'entrada rejeitada', '24': 'entrada rejeitada por CEP irregular' }),
      ...used('notWrittenOff', { '27': 'baixa rejeitada' }),
      ...used('laterRefused', { '32': 'instrução rejeitada' }),
      ...used('dueDayChanged', { '14': 'vencimento alterado' }),
      ...used('dueDayKept', { '30': 'alteração rejeitada' }),
      ...used('none', {
        '12': 'abatimento concedido',
        '13': 'abatimento cancelado',
        '19': 'instrução de protesto recebida',
        '20': 'sustação de protesto recebida',
        '23': 'entrada em cartório',
        '28': 'tarifa',
        '29': 'rejeição do pagador',
        '33': 'outros dados alterados',
        '34': 'retirado de cartório',
        '35': 'aceite do pagador',
      }),
    },
  },
};
