/** For buyers. */
export const NOT_ASKED =
  'Não foi possível fazer o pagamento agora. Nada foi cobrado: tente de novo em instantes.';

/** What the merchant is told when less than the amount of the link came. */
export const SHORT_PAYMENT =
  'Foi recebido um valor menor que o do link: veja o pagamento e a exceção que ele abriu.';

export const NO_PIX = 'Não foi possível criar o Pix agora. Tente de novo ou pague de outra forma.';

export const NO_BOLETO = 'Não foi possível criar o boleto agora. Tente de novo ou pague de outra forma.';

export const PAYER_REFUSED =
  'O banco não aceitou os dados do pagador. Confira nome, CPF ou CNPJ e endereço, e tente de novo.';

export const NOT_REMOVED =
  'Não foi possível falar com o banco agora: nada mudou. Se já pagou, não pague de novo.';

export const STILL_REMOVING =
  'O banco ainda não respondeu. Não pague agora: esta página mostra quando puder pagar de outra forma.';

export const KEPT_BY_BANK =
  'O banco não retirou a cobrança: ela ainda pode ser paga. Pague-a, ou fale com o vendedor.';

export const STILL_BEING_MADE =
  'A cobrança ainda está sendo criada no banco: nada foi retirado. Tente de novo em instantes.';

export const STILL_CONFIRMING = 'O pagamento está sendo confirmado. Não pague de novo.';
