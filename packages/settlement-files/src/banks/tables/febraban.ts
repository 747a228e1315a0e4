import { type Movements, used } from '../bank.ts';

/** FEBRABAN's movements of CNAB 240. Banks have others beside them. */
export const FEBRABAN: Movements = {
  ...used('paid', { '06': 'liquidação', '17': 'liquidação após baixa ou de título não registrado' }),
  ...used('writtenOff', { '09': 'baixa' }),
  ...used('none', {
    '02': 'entrada confirmada',
    '03': 'entrada rejeitada',
    '04': 'transferência de carteira: entrada',
    '11': 'título em carteira',
    '12': 'abatimento concedido',
    '13': 'abatimento cancelado',
    '14': 'vencimento alterado',
    '19': 'instrução de protesto recebida',
    '20': 'sustação de protesto recebida',
    '23': 'remessa a cartório',
    '24': 'retirada de cartório',
    '26': 'instrução rejeitada',
    '27': 'outros dados alterados',
    '28': 'débito de tarifas ou custas',
    '29': 'ocorrência do pagador',
    '30': 'alteração de dados rejeitada',
    '51': 'reconhecido pelo pagador (DDA)',
    '52': 'não reconhecido pelo pagador (DDA)',
    '53': 'recusado pela CIP (DDA)',
  }),
  ...used('unclear', {
    '05': 'transferência de carteira: baixa',
    '15': 'franco de pagamento',
    '25': 'protestado e baixado',
  }),
};

export const DISCOUNTS: Movements = used('none', {
  '07': 'instrução de desconto recebida',
  '08': 'cancelamento de desconto recebido',
});

/** Beyond FEBRABAN's, of banks that follow its newer list. */
export const LATER_FEBRABAN: Movements = {
  ...DISCOUNTS,
  ...used('none', {
    '33': 'rateio de crédito alterado',
    '34': 'rateio de crédito cancelado',
    '35': 'débito automático desagendado',
    '36': 'e-mail ou SMS enviado',
    '37': 'e-mail ou SMS rejeitado',
    '38': 'prazo limite de recebimento alterado',
    '39': 'prazo limite de recebimento dispensado',
    '40': 'número do título alterado',
    '41': 'número de controle alterado',
    '42': 'dados do pagador alterados',
    '43': 'dados do sacador alterados',
    '46': 'cancelamento de protesto confirmado',
    '47': 'protesto para fins falimentares confirmado',
    '48': 'transferência de carteira confirmada',
    '49': 'contrato de cobrança alterado',
    '55': 'dispensa de multa',
    '56': 'cobrança de multa',
    '57': 'cobrança de juros alterada',
    '58': 'desconto alterado',
    '59': 'beneficiário alterado',
    '60': 'dispensa de juros',
    '73': 'pedido de negativação recebido',
  }),
  ...used('unclear', {
    '44': 'pago com cheque devolvido',
    '45': 'pago com cheque compensado',
    '50': 'pago com cheque pendente',
    '54': 'baixa de título negativado sem protesto',
  }),
};

/** Write-off reasons that mean the boleto expired. With any other reason it was canceled. */
export const TIME_IS_OVER = ['12', '13'];
