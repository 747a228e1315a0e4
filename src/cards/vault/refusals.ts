import { type RefusalShape, refusal } from '../../platform/http/refusal.ts';

/** Why a card is not verified: verifications count as attempts, like charges. */
export type VerificationRefusal = 'rejected' | 'neverAgain' | 'tooManyTries';

export type VaultRefusal = 'cardInUse' | 'tooManyCopies' | 'verificationNotOffered' | VerificationRefusal;

export const VAULT_REFUSALS = {
  cardInUse: refusal(409, 'vaultId', {
    pt: 'O cartão está em uso e não pode ser removido.',
    en: 'The card is in use and cannot be removed.',
  }),
  tooManyCopies: refusal(409, '__general__', {
    pt:
      'Este cartão já está guardado no cofre tantas vezes quantas são permitidas. Nada foi guardado. Use um vaultId que ' +
      'já existe, ou remova um deles com DELETE /v1/vaults/cards/{vaultId}.',
    en:
      'This card is stored in the vault as often as it may be. Nothing was stored. Use a vaultId that is there, or ' +
      'remove one with DELETE /v1/vaults/cards/{vaultId}.',
  }),
  verificationNotOffered: refusal(400, 'verifyCard', {
    pt: 'A adquirente não verifica cartões sem cobrança: guarde-o sem verificação.',
    en: 'The acquirer verifies no cards without a charge: store it without a verification.',
  }),
  rejected: refusal(402, 'antifraud', {
    pt: 'Verificação recusada pela análise antifraude. O emissor não foi consultado e nada foi guardado.',
    en: 'Anti-fraud refused the verification. The issuer was not asked, and nothing was stored.',
  }),
  neverAgain: refusal(402, 'retryLimit', {
    pt:
      'O emissor já recusou este cartão em definitivo, e a bandeira pune quem insiste. Nada foi enviado nem guardado. Use ' +
      'outro cartão.',
    en:
      'The issuer has already given a final no to this card, and the network punishes asking again. Nothing was sent or ' +
      'stored. Use another card.',
  }),
  tooManyTries: refusal(402, 'retryLimit', {
    pt:
      'Este cartão já foi recusado tantas vezes quantas a bandeira permite. Nada foi enviado nem guardado. Use outro ' +
      'cartão, ou este a partir de mayRetryAt.',
    en:
      'This card was declined as often as its network permits. Nothing was sent or stored. Use another card, or this ' +
      'one from mayRetryAt on.',
  }),
} as const satisfies Record<VaultRefusal, RefusalShape>;
