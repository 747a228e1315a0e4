import { type Bank, type Movements, used } from '../bank.ts';
import { TITLE } from '../cnab240-layout.ts';
import { detailLayout, FAMILY } from '../cnab400-layout.ts';
import { DISCOUNTS, FEBRABAN } from './febraban.ts';

const BANCO_DO_BRASIL_400: Movements = {
  ...used('paid', {
    '05': 'liquidado sem registro',
    '06': 'liquidação normal',
    '07': 'liquidação por conta',
    '08': 'liquidação por saldo',
    '15': 'liquidação em cartório',
  }),
  ...used('writtenOff', { '09': 'baixa', '10': 'baixa solicitada' }),
  ...used('unclear', {
    '20': 'débito em conta',
    '44': 'pago com cheque devolvido',
    '46': 'pago com cheque, aguarda compensação',
    '61': 'protestado',
  }),
  ...used('registered', { '02': 'entrada confirmada' }),
  ...used('notDone', { '03': 'comando recusado' }),
  ...used('dueDayChanged', { '14': 'vencimento alterado' }),
  ...used('none', {
    '11': 'em ser',
    '12': 'abatimento concedido',
    '13': 'abatimento cancelado',
    '16': 'juros de mora alterados',
    '19': 'instrução de protesto recebida',
    '21': 'nome do pagador alterado',
    '22': 'endereço do pagador alterado',
    '23': 'encaminhado a cartório',
    '24': 'sustar protesto',
    '25': 'juros de mora dispensados',
    '26': 'número do título alterado',
    '28': 'manutenção de título vencido',
    '31': 'desconto concedido',
    '32': 'desconto não concedido',
    '33': 'desconto retificado',
    '34': 'data de desconto alterada',
    '35': 'cobrar multa',
    '36': 'multa dispensada',
    '37': 'indexador dispensado',
    '38': 'prazo limite de recebimento dispensado',
    '39': 'prazo limite de recebimento alterado',
    '41': 'número de controle alterado',
    '42': 'documento do pagador alterado',
    '72': 'tipo de cobrança alterado',
    '96': 'despesas de protesto',
    '97': 'despesas de sustação de protesto',
    '98': 'custas antecipadas',
  }),
};

const CHEQUES = used('unclear', { '44': 'pago com cheque devolvido', '50': 'pago com cheque pendente' });

const BB_PLACES = {
  ...FAMILY,
  fee: [182, 188],
  creditedOn: [176, 181],
  credited: [306, 318],
} as const;

export const BANCO_DO_BRASIL: Bank = {
  code: '001',
  name: 'Banco do Brasil',
  cnab240: {
    title: TITLE,
    number: 'unsure',
    movements: { ...FEBRABAN, ...DISCOUNTS, ...CHEQUES },
    lots: 'numbered',
    counts: 'records',
  },
  cnab400: {
    sequence: [101, 107],
    // Type 7 is for agreements of seven digits.
    details: {
      '1': detailLayout({ ...BB_PLACES, bankNumber: [63, 74] }),
      '7': detailLayout({ ...BB_PLACES, companyUse: [39, 63], bankNumber: [64, 80] }),
    },
    number: 'unsure',
    movements: BANCO_DO_BRASIL_400,
  },
};
