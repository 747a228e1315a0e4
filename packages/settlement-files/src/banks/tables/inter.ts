import { type Bank, used } from '../bank.ts';
import { numberAt } from '../boleto-number.ts';
import { detailLayout } from '../cnab400-layout.ts';

export const INTER: Bank = {
  code: '077',
  name: 'Inter',
  refusals: { cnab400: 'asWritten' },
  cnab400: {
    sequence: null,
    number: numberAt(71, 80, 81),
    details: {
      '1': detailLayout({
        companyUse: [38, 62],
        bankNumber: [71, 81],
        movement: [90, 91],
        happenedOn: [92, 97],
        documentNumber: [98, 107],
        dueOn: [119, 124],
        value: [125, 137],
        paid: [160, 172],
        creditedOn: [173, 178],
        reasons: [241, 380],
      }),
    },
    movements: {
      ...used('paid', { '06': 'pago' }),
      ...used('writtenOff', { '07': 'baixado' }),
      ...used('registered', { '02': 'em aberto' }),
      ...used('dueDayChanged', { '14': 'vencimento alterado' }),
      ...used('unclear', { '15': 'valor alterado', '16': 'vencimento e valor alterados' }),
      ...used('notDone', { '03': 'erro' }),
    },
  },
};
