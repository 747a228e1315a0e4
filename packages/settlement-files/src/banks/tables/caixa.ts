import { digit9 } from '../../remittances/check-digits.ts';
import { type Bank, used } from '../bank.ts';
import { numberAt } from '../boleto-number.ts';
import { TITLE_OF_CAIXA } from '../cnab240-layout.ts';
import { detailLayout, FAMILY } from '../cnab400-layout.ts';
import { DISCOUNTS, FEBRABAN } from './febraban.ts';

const { '17': _, ...FEBRABAN_OF_CAIXA } = FEBRABAN;

export const CAIXA: Bank = {
  code: '104',
  name: 'Caixa',
  cnab240: {
    title: TITLE_OF_CAIXA,
    number: {
      from: 42,
      to: 56,
      digit: { at: 57, of: (number, line) => digit9(line.slice(39, 41) + number) },
    },
    movements: {
      ...FEBRABAN_OF_CAIXA,
      ...DISCOUNTS,
      ...used('paid', { '46': 'liquidação on-line' }),
      ...used('unclear', { '44': 'estorno de baixa ou liquidação', '47': 'estorno de liquidação on-line' }),
      ...used('none', {
        '01': 'impressão de títulos confirmada',
        '35': 'banco de pagador: inclusão',
        '36': 'banco de pagador: alteração',
        '37': 'banco de pagador: exclusão',
        '38': 'boleto do banco de pagador emitido',
        '39': 'manutenção de pagador rejeitada',
        '40': 'entrada via banco de pagador rejeitada',
        '41': 'manutenção do banco de pagador rejeitada',
        '45': 'dados alterados',
        '61': 'valor nominal alterado',
        '62': 'valor mínimo ou máximo alterado',
      }),
    },
    lots: 'numbered',
    counts: 'records',
    hasFilesOfDay: true,
  },
  cnab400: {
    sequence: [390, 394],
    number: numberAt(59, 73),
    details: {
      '1': detailLayout({ ...FAMILY, companyUse: [32, 56], bankNumber: [57, 73], creditedOn: [294, 299] }),
    },
    movements: {
      ...used('paid', { '21': 'liquidação', '22': 'liquidação em cartório' }),
      ...used('writtenOff', {
        '02': 'baixa confirmada',
        '23': 'baixa por devolução',
        '24': 'baixa por franco pagamento',
      }),
      ...used('unclear', {
        '25': 'baixa por protesto',
        '33': 'estorno de baixa ou liquidação',
        '35': 'transferência de carteira: baixa',
      }),
      ...used('registered', { '01': 'entrada confirmada' }),
      ...used('notDone', { '99': 'rejeição do título' }),
      ...used('dueDayChanged', { '05': 'vencimento alterado' }),
      ...used('none', {
        '03': 'abatimento concedido',
        '04': 'abatimento cancelado',
        '06': 'uso da empresa alterado',
        '07': 'prazo de protesto alterado',
        '08': 'prazo de devolução alterado',
        '09': 'alteração confirmada',
        '10': 'alteração com reemissão confirmada',
        '11': 'opção de protesto para devolução',
        '12': 'opção de devolução para protesto',
        '20': 'em ser',
        '26': 'enviado a cartório',
        '27': 'sustação de protesto',
        '28': 'estorno de protesto',
        '29': 'estorno de sustação de protesto',
        '30': 'título alterado',
        '31': 'tarifa de título vencido',
        '32': 'outras tarifas de alteração',
        '34': 'transferência de carteira: entrada',
      }),
    },
  },
};
