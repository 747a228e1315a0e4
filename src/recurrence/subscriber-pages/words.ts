export const NOT_SAVED =
  'Não foi possível salvar o cartão agora. O cartão anterior continua: tente de novo em instantes.';

export const NOT_CANCELED = 'Não foi possível cancelar agora. Nada mudou: tente de novo em instantes.';
