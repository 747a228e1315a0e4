import { type Bank, used } from '../bank.ts';
import { numberAt, withDigit9 } from '../boleto-number.ts';
import { TITLE_OF_SANTANDER } from '../cnab240-layout.ts';
import { detailLayout, FAMILY } from '../cnab400-layout.ts';
import { FEBRABAN } from './febraban.ts';

export const SANTANDER: Bank = {
  code: '033',
  name: 'Santander',
  cnab240: {
    title: TITLE_OF_SANTANDER,
    number: withDigit9(41, 52),
    movements: {
      ...FEBRABAN,
      ...used('unclear', { '32': 'código de IOF não é válido' }),
      ...used('none', { A4: 'pagador no DDA' }),
    },
    lots: 'own',
    counts: 'details',
  },
  cnab400: {
    sequence: null,
    number: numberAt(63, 69, 70),
    details: { '1': detailLayout({ ...FAMILY, bankNumber: [63, 70] }) },
    movements: {
      ...used('paid', {
        '06': 'liquidação',
        '07': 'liquidação por conta',
        '08': 'liquidação por saldo',
        '17': 'liquidado em cartório',
      }),
      ...used('writtenOff', { '09': 'baixa automática' }),
      ...used('unclear', {
        '10': 'baixado conforme instrução ou por protesto',
        '16': 'título já baixado ou liquidado',
      }),
      ...used('registered', { '02': 'entrada confirmada' }),
      ...used('notRegistered', { '03': 'entrada rejeitada' }),
      ...used('dueDayChanged', { '14': 'vencimento prorrogado' }),
      ...used('none', {
        '01': 'título não existe',
        '11': 'em ser',
        '12': 'abatimento concedido',
        '13': 'abatimento cancelado',
        '15': 'enviado a cartório',
        '21': 'entrada em cartório',
        '22': 'retirado de cartório',
        '24': 'custas de cartório',
        '25': 'protestar título',
        '26': 'sustar protesto',
      }),
    },
  },
};
