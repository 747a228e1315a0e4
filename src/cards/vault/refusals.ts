import type { RefusalShape } from '../../platform/http/refusal.ts';

/** Why a card is not verified: its tries are counted as those of charges are. */
export type VerificationRefusal = 'rejected' | 'neverAgain' | 'tooManyTries';

/** Why a card is not verified, or stays in the vault. */
export type VaultRefusal = 'cardInUse' | VerificationRefusal;

export const VAULT_REFUSALS = {
  cardInUse: {
    status: 409,
    tag: 'vaultId',
    sentence: {
      pt: 'O cartão está em uso e não pode ser removido.',
      en: 'The card is in use and cannot be removed.',
    },
  },
  rejected: {
    status: 402,
    tag: 'antifraud',
    sentence: {
      pt: 'Verificação recusada pela análise antifraude. O emissor não foi consultado e nada foi guardado.',
      en: 'Anti-fraud refused the verification. The issuer was not asked, and nothing was stored.',
    },
  },
  neverAgain: {
    status: 402,
    tag: 'retryLimit',
    sentence: {
      pt:
        'O emissor já recusou este cartão em definitivo, e a bandeira pune quem insiste. Nada foi enviado nem guardado. Use ' +
        'outro cartão.',
      en:
        'The issuer has already given a final no to this card, and the network punishes asking again. Nothing was sent or ' +
        'stored. Use another card.',
    },
  },
  tooManyTries: {
    status: 402,
    tag: 'retryLimit',
    sentence: {
      pt:
        'Este cartão já foi recusado tantas vezes quantas a bandeira permite. Nada foi enviado nem guardado. Use outro ' +
        'cartão, ou este a partir de mayRetryAt.',
      en:
        'This card was declined as often as its network permits. Nothing was sent or stored. Use another card, or this ' +
        'one from mayRetryAt on.',
    },
  },
} as const satisfies Record<VaultRefusal, RefusalShape>;
