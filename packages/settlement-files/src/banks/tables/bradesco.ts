import { type Bank, used } from '../bank.ts';
import { withBradescoDigit } from '../boleto-number.ts';
import { TITLE } from '../cnab240-layout.ts';
import { detailLayout, FAMILY } from '../cnab400-layout.ts';
import { FEBRABAN, LATER_FEBRABAN } from './febraban.ts';

const BRADESCO_REFUSALS: Readonly<Record<string, string>> = {
  '03': 'a ocorrência não existe',
  '04': 'a carteira não permite a ocorrência',
  '07': 'a agência, a conta ou o dígito não é válido',
  '08': 'o nosso número não é válido',
  '09': 'o nosso número se repete',
  '10': 'a carteira não é válida',
  '16': 'o vencimento não é válido',
  '18': 'o vencimento está fora do prazo aceito',
  '20': 'o valor não é válido',
  '21': 'a espécie não é válida',
  '22': 'a carteira não permite a espécie',
  '24': 'a data de emissão não é válida',
  '28': 'o código do desconto não é válido',
  '44': 'a agência do beneficiário não existe',
  '45': 'falta o nome do pagador',
  '46': 'o CPF ou CNPJ do pagador não é válido',
  '47': 'falta o endereço do pagador',
  '48': 'o CEP do pagador não é válido',
  '50': 'o CEP é de banco correspondente',
  '63': 'o boleto já está registrado',
  '65': 'o limite foi excedido',
};

export const BRADESCO: Bank = {
  code: '237',
  name: 'Bradesco',
  refusals: { cnab400: BRADESCO_REFUSALS },
  cnab240: {
    title: TITLE,
    number: withBradescoDigit(46, 56, [39, 40]),
    movements: { ...FEBRABAN, ...LATER_FEBRABAN },
    lots: 'numbered',
    counts: 'records',
  },
  cnab400: {
    sequence: [109, 113],
    number: withBradescoDigit(71, 81, [22, 24], [108, 108]),
    details: { '1': detailLayout({ ...FAMILY, bankNumber: [71, 82], reasons: [319, 328] }) },
    movements: {
      ...used('paid', {
        '06': 'liquidação normal',
        '15': 'liquidação em cartório',
        '17': 'liquidação após baixa ou de título não registrado',
      }),
      ...used('writtenOff', {
        '09': 'baixado automaticamente via arquivo',
        '10': 'baixado conforme instruções da agência',
      }),
      ...used('unclear', {
        '16': 'pago em cheque vinculado',
        '22': 'título com pagamento cancelado',
        '40': 'estorno de pagamento',
        '55': 'sustado judicialmente',
      }),
      ...used('registered', { '02': 'entrada confirmada' }),
      ...used('notRegistered', { '03': 'entrada rejeitada', '24': 'entrada rejeitada por CEP irregular' }),
      ...used('notWrittenOff', { '27': 'baixa rejeitada' }),
      ...used('laterRefused', { '32': 'instrução rejeitada' }),
      ...used('dueDayChanged', { '14': 'vencimento alterado' }),
      ...used('dueDayKept', { '30': 'alteração de outros dados rejeitada' }),
      ...used('none', {
        '11': 'em ser',
        '12': 'abatimento concedido',
        '13': 'abatimento cancelado',
        '18': 'acerto de depositária',
        '19': 'instrução de protesto recebida',
        '20': 'sustação de protesto recebida',
        '21': 'acerto do controle do participante',
        '23': 'entrada em cartório',
        '28': 'débito de tarifas ou custas',
        '33': 'pedido de alteração de outros dados recebido',
        '34': 'retirado de cartório',
        '35': 'débito automático desagendado',
        '68': 'acerto dos dados do rateio de crédito',
        '69': 'rateio de crédito cancelado',
      }),
    },
  },
};
