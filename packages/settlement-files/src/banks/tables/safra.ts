import { type Bank, used } from '../bank.ts';
import { numberAt } from '../boleto-number.ts';
import { TITLE } from '../cnab240-layout.ts';
import { detailLayout, FAMILY } from '../cnab400-layout.ts';
import { FEBRABAN } from './febraban.ts';

export const SAFRA: Bank = {
  code: '422',
  name: 'Safra',
  cnab240: { title: TITLE, number: 'unsure', movements: FEBRABAN, lots: 'numbered', counts: 'records' },
  cnab400: {
    sequence: null,
    number: numberAt(63, 70, 71),
    details: { '1': detailLayout({ ...FAMILY, bankNumber: [63, 71] }) },
    movements: {
      ...used('paid', { '06': 'liquidação normal', '15': 'liquidação em cartório' }),
      ...used('writtenOff', { '09': 'baixado automaticamente', '10': 'baixado conforme instruções' }),
      ...used('unclear', {
        '05': 'transferência de carteira: baixa',
        '40': 'baixa de título protestado',
        '41': 'liquidação de título baixado',
      }),
      ...used('registered', { '02': 'entrada confirmada' }),
      ...used('notRegistered', { '03': 'entrada rejeitada' }),
      ...used('dueDayChanged', { '14': 'vencimento alterado' }),
      ...used('none', {
        '04': 'transferência de carteira: entrada',
        '11': 'em ser',
        '12': 'abatimento concedido',
        '13': 'abatimento cancelado',
        '19': 'instrução de protesto recebida',
        '20': 'sustação de protesto recebida',
        '21': 'transferência de beneficiário',
        '23': 'enviado a cartório',
        '42': 'retirado de cartório',
        '43': 'despesa de cartório',
        '44': 'reconhecido pelo pagador (DDA)',
        '45': 'não reconhecido pelo pagador (DDA)',
        '51': 'valor alterado',
        '52': 'data de emissão acertada',
        '53': 'espécie acertada',
        '54': 'número do título alterado',
        '56': 'instrução de negativação aceita',
        '57': 'baixa de negativação aceita',
        '58': 'instrução de não negativar aceita',
      }),
    },
  },
};
