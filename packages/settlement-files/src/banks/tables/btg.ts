import { type Bank, used } from '../bank.ts';
import { withBradescoDigit } from '../boleto-number.ts';
import { TITLE } from '../cnab240-layout.ts';
import { FEBRABAN, LATER_FEBRABAN } from './febraban.ts';

export const BTG: Bank = {
  code: '208',
  name: 'BTG Pactual',
  cnab240: {
    title: TITLE,
    number: withBradescoDigit(46, 56, [58, 58]),
    movements: {
      ...FEBRABAN,
      ...LATER_FEBRABAN,
      ...used('unclear', { '63': 'título sustado judicialmente' }),
      ...used('none', {
        '61': 'valor nominal alterado',
        '64': 'valor mínimo alterado',
        '65': 'valor máximo alterado',
      }),
    },
    lots: 'own',
    counts: 'payments',
  },
};
