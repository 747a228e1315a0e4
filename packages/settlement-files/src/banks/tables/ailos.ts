import { type Bank, used } from '../bank.ts';
import { numberAt } from '../boleto-number.ts';
import { TITLE } from '../cnab240-layout.ts';
import { DISCOUNTS, FEBRABAN } from './febraban.ts';

export const AILOS: Bank = {
  code: '085',
  name: 'Ailos',
  cnab240: {
    title: TITLE,
    number: numberAt(46, 54),
    movements: {
      ...FEBRABAN,
      ...DISCOUNTS,
      ...used('paid', {
        '76': 'liquidação (cooperativa emite e expede)',
        '77': 'liquidação após baixa ou de título não registrado (cooperativa emite e expede)',
      }),
      ...used('none', {
        '22': 'enviado ao cartório',
        '36': 'e-mail ou SMS enviado',
        '37': 'e-mail ou SMS rejeitado',
        '42': 'dados do pagador alterados',
        '46': 'cancelamento de protesto confirmado',
        '89': 'rejeição cartorária',
        '91': 'em aberto, não enviado ao pagador',
        '92': 'inconsistência de negativação',
        '93': 'inclusão em negativação',
        '94': 'exclusão de negativação',
        '95': 'instrução de SMS',
        '96': 'cancelamento de SMS',
        '97': 'protesto automático confirmado',
        '98': 'protesto excluído com carta de anuência',
      }),
    },
    lots: 'own',
    counts: 'records',
  },
};
