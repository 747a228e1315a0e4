import type { PaymentRefusal } from '../refusals.ts';

const WORDS: Partial<Record<PaymentRefusal, string>> = {
  cardExpired: 'O cartão está vencido. Use outro cartão.',
  brandNeeded: 'Não reconhecemos a bandeira deste cartão. Escolha-a e tente de novo.',
  brandImpossible: 'A bandeira escolhida não é a deste cartão.',
  brandNotOffered: 'Este vendedor não aceita cartões desta bandeira. Use outro cartão.',
  securityCodeLength: 'Confira o código de segurança do cartão.',
  holderNameNeeded: 'Informe o nome impresso no cartão.',
  holderNameHoldsNumber: 'Confira o nome impresso no cartão.',
  rejected: 'O pagamento não foi autorizado. Use outro cartão ou outra forma de pagamento.',
  neverAgain: 'Este cartão não pode ser usado. Use outro cartão.',
  tooManyTries: 'Este cartão não pode ser usado agora. Use outro cartão.',
};

const UNREADABLE =
  'Não foi possível ler os dados do cartão. Atualize a página, preencha-os de novo e tente outra vez.';
export const NOT_ASKED =
  'Não foi possível fazer o pagamento agora. Nada foi cobrado: tente de novo em instantes.';

export const NO_PIX = 'Não foi possível criar o Pix agora. Tente de novo ou pague com cartão.';

/** For the buyer: the first of them that he can do something about. */
export function refusalWords(refusals: readonly PaymentRefusal[]): string {
  const known = refusals.find((refusal) => WORDS[refusal] !== undefined);
  return known === undefined ? UNREADABLE : (WORDS[known] as string);
}
