import type { CardRefusal } from '../../cards/refusals.ts';
import type { VerificationRefusal } from '../../cards/vault/refusals.ts';

const WORDS: Partial<Record<string, string>> = {
  cardExpired: 'O cartão está vencido. Use outro cartão.',
  brandNeeded: 'Não reconhecemos a bandeira deste cartão. Escolha-a e tente de novo.',
  brandImpossible: 'A bandeira escolhida não é a deste cartão.',
  brandNotOffered: 'Este vendedor não aceita cartões desta bandeira. Use outro cartão.',
  securityCodeLength: 'Confira o código de segurança do cartão.',
  holderNameNeeded: 'Informe o nome impresso no cartão.',
  holderNameHoldsNumber: 'Confira o nome impresso no cartão.',
  rejected: 'Este cartão não foi aceito. Use outro cartão.',
  neverAgain: 'Este cartão não pode ser usado. Use outro cartão.',
  tooManyTries: 'Este cartão não pode ser usado agora. Use outro cartão.',
} satisfies Partial<Record<CardRefusal | VerificationRefusal, string>>;

const UNREADABLE =
  'Não foi possível ler os dados do cartão. Atualize a página, preencha-os de novo e tente outra vez.';

/** Words for who typed the card: of the first refusal that he can do something about. */
export function refusalWords(refusals: readonly string[]): string {
  const known = refusals.find((refusal) => WORDS[refusal] !== undefined);
  return known === undefined ? UNREADABLE : (WORDS[known] as string);
}
