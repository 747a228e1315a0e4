/** For buyers. */
export const NOT_ASKED =
  'Não foi possível fazer o pagamento agora. Nada foi cobrado: tente de novo em instantes.';

export const NO_PIX = 'Não foi possível criar o Pix agora. Tente de novo ou pague com cartão.';

export const NOT_REMOVED = 'Não foi possível retirar o Pix agora. Se já pagou, não pague de novo.';

export const STILL_CONFIRMING = 'O pagamento está sendo confirmado. Não pague de novo.';
