import { bradescoDigit } from '../../remittances/check-digits.ts';
import { type Bank, type Movements, used } from '../bank.ts';
import { numberAt, withBradescoDigit } from '../boleto-number.ts';
import { TITLE } from '../cnab240-layout.ts';
import { detailLayout, FAMILY } from '../cnab400-layout.ts';
import { FEBRABAN } from './febraban.ts';

export const BANRISUL: Bank = {
  code: '041',
  name: 'Banrisul',
  cnab240: {
    title: TITLE,
    number: numberAt(38, 45, 46),
    movements: {
      ...FEBRABAN,
      ...used('unclear', { AA: 'devolução: liquidado anteriormente', AB: 'cobrança a creditar' }),
      ...used('none', { AC: 'situação do título: cartório' }),
    },
    lots: 'numbered',
    counts: 'records',
  },
  cnab400: {
    sequence: [109, 113],
    number: numberAt(63, 70, 71),
    details: { '1': detailLayout({ ...FAMILY, bankNumber: [63, 72] }) },
    movements: {
      ...used('paid', {
        '06': 'liquidação normal',
        '07': 'liquidação parcial',
        '15': 'pagamento em cartório',
      }),
      ...used('writtenOff', { '09': 'devolução automática', '10': 'baixado conforme instruções' }),
      ...used('unclear', {
        '04': 'baixa de título liquidado por edital',
        '08': 'baixa por pagamento: liquidação pelo saldo',
        '25': 'devolução: liquidado anteriormente',
        '30': 'cobrança a creditar',
        '31': 'título em trânsito pago em cartório',
        '32': 'reembolso e transferência de desconto ou vendor',
        '33': 'reembolso e devolução de desconto ou vendor',
        '34': 'reembolso não efetuado por falta de saldo',
        '40': 'baixa de título protestado',
      }),
      ...used('registered', { '02': 'entrada confirmada', '47': 'entrada confirmada: pagador DDA' }),
      ...used('notRegistered', { '03': 'entrada rejeitada' }),
      ...used('dueDayChanged', { '14': 'vencimento alterado' }),
      ...used('none', {
        '11': 'levantamento dos títulos',
        '12': 'abatimento concedido',
        '13': 'abatimento cancelado',
        '16': 'dados alterados',
        '18': 'instruções alteradas',
        '19': 'instrução de protesto recebida',
        '20': 'sustação de protesto recebida',
        '21': 'aguarda autorização de protesto por edital',
        '22': 'protesto sustado por mudança do vencimento ou do prazo',
        '23': 'entrada em cartório',
        '26': 'devolvido pelo cartório por erro de informação',
        '41': 'despesa de aponte',
        '42': 'título alterado',
        '43': 'relação de títulos',
        '44': 'manutenção mensal',
        '45': 'sustação de cartório e envio a cartório',
        '46': 'fornecimento de formulário',
        '68': 'rateio de crédito acertado',
        '69': 'rateio de crédito cancelado',
      }),
    },
  },
};

export const BANCO_DO_NORDESTE: Bank = {
  code: '004',
  name: 'Banco do Nordeste',
  cnab400: {
    sequence: [109, 113],
    number: numberAt(63, 69, 70),
    details: { '1': detailLayout({ ...FAMILY, bankNumber: [63, 70], creditedOn: null }) },
    movements: {
      ...used('paid', {
        '06': 'liquidação normal',
        '07': 'pagamento por conta',
        '08': 'pagamento em cartório',
      }),
      ...used('writtenOff', { '09': 'baixa simples', '15': 'baixa automática' }),
      ...used('unclear', { '10': 'devolvido: protestado' }),
      ...used('registered', { '02': 'entrada confirmada' }),
      ...used('notRegistered', { '51': 'entrada rejeitada' }),
      ...used('dueDayChanged', { '14': 'vencimento alterado' }),
      ...used('none', {
        '04': 'alteração',
        '11': 'em ser',
        '12': 'abatimento concedido',
        '13': 'abatimento cancelado',
        '18': 'depositária alterada',
        '19': 'instrução de protesto recebida',
        '20': 'sustação de protesto recebida',
        '21': 'controle da empresa alterado',
        '22': 'número do título alterado',
      }),
    },
  },
};

/** BRB publishes positions but no movements: only those that mean the same at every bank are certain. */
export const BRB: Bank = {
  code: '070',
  name: 'BRB',
  cnab400: {
    madeOn: [95, 102, 'day DDMMYYYY'],
    sequence: null,
    number: numberAt(72, 77, 81),
    details: {
      '1': detailLayout({
        companyUse: [38, 62],
        bankNumber: [71, 82],
        movement: [109, 110],
        happenedOn: [111, 118, 'day DDMMYYYY?'],
        documentNumber: [119, 128],
        dueOn: [149, 156, 'day DDMMYYYY?'],
        value: [157, 169],
        fee: [180, 192],
        rebate: [232, 244],
        discount: [245, 257],
        paid: [258, 270],
        creditedOn: [300, 307, 'day DDMMYYYY?'],
      }),
    },
    movements: {
      ...used('paid', { '06': 'liquidação' }),
      ...used('writtenOff', { '09': 'baixa' }),
      ...used('registered', { '02': 'entrada confirmada' }),
      ...used('notRegistered', { '03': 'entrada rejeitada' }),
    },
  },
};

/** Several banks share this manual: Fibra and Rendimento have it in public. */
const SHARED: Movements = {
  ...used('paid', { '06': 'liquidação normal', '08': 'liquidação em cartório' }),
  ...used('writtenOff', { '09': 'baixa automática' }),
  ...used('unclear', { '10': 'baixa por ter sido liquidado', '43': 'baixado por ter sido protestado' }),
  ...used('registered', { '02': 'entrada confirmada' }),
  ...used('notRegistered', { '03': 'entrada rejeitada' }),
  ...used('notWrittenOff', { '15': 'baixa rejeitada' }),
  ...used('laterRefused', { '16': 'instrução rejeitada' }),
  ...used('dueDayChanged', { '14': 'vencimento alterado' }),
  ...used('none', {
    '01': 'entrada confirmada na CIP',
    '05': 'campo livre alterado',
    '12': 'abatimento concedido',
    '13': 'abatimento cancelado',
    '19': 'ordem de protesto recebida',
    '20': 'ordem de sustação recebida',
    '22': 'número do título alterado',
    '23': 'enviado a cartório',
    '24': 'ordem de não protestar recebida',
    '28': 'débito de tarifas ou custas',
    '40': 'tarifa de entrada',
    '96': 'tarifa de instruções do mês anterior',
    '97': 'tarifa de baixas do mês anterior',
    '98': 'tarifa de entradas do mês anterior',
    '99': 'tarifa de protesto ou sustação do mês anterior',
  }),
};

const SHARED_400 = {
  sequence: [109, 113],
  number: numberAt(63, 72, 73),
  details: {
    '1': detailLayout({ ...FAMILY, bankNumber: [63, 73], creditedOn: [386, 391], reasons: [378, 385] }),
  },
  movements: SHARED,
} as const;

export const FIBRA: Bank = { code: '224', name: 'Fibra', cnab400: SHARED_400 };
export const PINE: Bank = { code: '643', name: 'Pine', cnab400: SHARED_400 };
export const RENDIMENTO: Bank = { code: '633', name: 'Rendimento', cnab400: SHARED_400 };
export const DELBANK: Bank = { code: '435', name: 'Delbank', cnab400: SHARED_400 };
/** Its digit stands behind the number, or not. */
export const DAYCOVAL: Bank = { code: '707', name: 'Daycoval', cnab400: { ...SHARED_400, number: 'unsure' } };

export const OURINVEST: Bank = {
  code: '712',
  name: 'Ourinvest',
  cnab400: {
    sequence: [109, 113],
    number: withBradescoDigit(71, 81, [22, 24], [108, 108]),
    details: { '1': detailLayout({ ...FAMILY, bankNumber: [71, 82] }) },
    movements: {
      ...used('paid', {
        '06': 'liquidação normal',
        '15': 'liquidação em cartório',
        '17': 'liquidação após baixa ou de título não registrado',
      }),
      ...used('writtenOff', { '09': 'baixado via arquivo', '10': 'baixado conforme instruções' }),
      ...used('unclear', { '16': 'pago em cheque vinculado' }),
      ...used('registered', { '02': 'entrada confirmada' }),
      ...used('notRegistered', { '03': 'entrada rejeitada' }),
      ...used('dueDayChanged', { '14': 'vencimento alterado' }),
      ...used('none', {
        '00': 'nenhuma ocorrência',
        '12': 'abatimento concedido',
        '13': 'abatimento cancelado',
        '20': 'sustação de protesto recebida',
        '23': 'entrada em cartório',
        '28': 'débito de tarifas ou custas',
      }),
    },
  },
};

/** Of a number that a company gives: a zero and ten digits. Of another no paper says its digit. */
function digitOfC6(number: string, line: string): string | null {
  return number.startsWith('0') ? bradescoDigit(line.slice(106, 108) + number.slice(1)) : null;
}

export const C6: Bank = {
  code: '336',
  name: 'C6',
  cnab400: {
    sequence: null,
    madeOn: [125, 130],
    number: { from: 63, to: 73, digit: { at: 74, of: digitOfC6 } },
    details: { '1': detailLayout({ ...FAMILY, bankNumber: [63, 73] }) },
    movements: {
      ...used('paid', { '06': 'liquidação normal', '08': 'liquidação em cartório' }),
      ...used('writtenOff', { '09': 'baixa simples', '10': 'baixa comandada por arquivo' }),
      ...used('unclear', {
        '05': 'alteração de dados: baixa',
        '07': 'liquidação após baixa',
        '32': 'baixa por ter sido protestado',
        '38': 'título sustado judicialmente',
        '65': 'pagamento com cheque: aguarda compensação',
        '69': 'liquidação cancelada por cheque devolvido',
        '72': 'baixa operacional',
        '74': 'baixa operacional cancelada',
        '75': 'pagamento parcial',
      }),
      ...used('registered', { '02': 'entrada confirmada' }),
      ...used('notRegistered', { '03': 'entrada rejeitada' }),
      ...used('notWrittenOff', { '15': 'baixa rejeitada' }),
      ...used('laterRefused', { '16': 'instrução rejeitada' }),
      ...used('dueDayChanged', { '14': 'vencimento alterado' }),
      ...used('dueDayKept', { '17': 'alteração rejeitada' }),
      ...used('none', {
        '04': 'alteração de dados: entrada',
        '12': 'abatimento concedido',
        '13': 'abatimento cancelado',
        '19': 'instrução de protesto recebida',
        '20': 'sustação de protesto recebida',
        '21': 'instrução de não protestar recebida',
        '23': 'enviado a cartório',
        '29': 'boleto eletrônico não retirado: enviado pelo correio',
        '35': 'alegação do pagador',
        '36': 'custas de edital',
        '37': 'custas de sustação judicial',
        '71': 'protesto cancelado pelo cartório',
        '90': 'instrução de protesto rejeitada',
        '95': 'uso da empresa alterado',
        '96': 'extrato da carteira',
        '97': 'tarifa de sustação de protesto',
        '98': 'tarifa de protesto',
        '99': 'custas de protesto',
      }),
    },
  },
};

/** Until 2016; its files are still in archives. */
export const HSBC: Bank = {
  code: '399',
  name: 'HSBC',
  cnab400: {
    sequence: null,
    number: numberAt(63, 72, 73),
    details: { '1': detailLayout({ ...FAMILY, bankNumber: [63, 73], creditedOn: null }) },
    movements: {
      ...used('paid', {
        '06': 'liquidação normal em dinheiro',
        '07': 'liquidação por conta em dinheiro',
        '15': 'liquidação em cartório em dinheiro',
        '31': 'liquidação normal em cheque',
        '32': 'liquidação em cartório em cheque',
        '33': 'liquidação por conta em cheque',
      }),
      ...used('writtenOff', { '09': 'baixa automática', '10': 'baixado conforme instruções' }),
      ...used('unclear', {
        '16': 'liquidação de título baixado antes, em dinheiro',
        '36': 'liquidação de título baixado antes, em cheque',
        '37': 'baixa de título protestado',
        '38': 'liquidação de título não registrado, em dinheiro',
        '39': 'liquidação de título não registrado, em cheque',
      }),
      ...used('registered', { '02': 'entrada confirmada' }),
      ...used('notDone', { '03': 'entrada ou instrução rejeitada' }),
      ...used('dueDayChanged', { '14': 'vencimento prorrogado' }),
      ...used('none', {
        '11': 'em ser',
        '12': 'abatimento concedido',
        '13': 'abatimento cancelado',
        '17': 'entregue em cartório',
        '49': 'vencimento alterado',
      }),
    },
  },
};
