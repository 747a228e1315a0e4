import type { RefusalShape } from '../../platform/http/refusal.ts';

/** Why a card stays in the vault. */
export type VaultRefusal = 'cardInUse';

export const VAULT_REFUSALS = {
  cardInUse: {
    status: 409,
    tag: 'vaultId',
    sentence: {
      pt: 'O cartão está em uso e não pode ser removido.',
      en: 'The card is in use and cannot be removed.',
    },
  },
} as const satisfies Record<VaultRefusal, RefusalShape>;
