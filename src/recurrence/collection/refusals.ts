import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { HandChargeRefusal } from './manual-charge.ts';

export const HAND_CHARGE_REFUSALS = {
  notChargeable: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Só uma cobrança Denied ou PaymentInvalid pode ser cobrada novamente.',
      en: 'Only a billing that is Denied or PaymentInvalid can be charged again.',
    },
  },
  charging: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'A cobrança está sendo processada; aguarde o resultado.',
      en: 'The billing is being charged; wait for the outcome.',
    },
  },
  cardExpired: {
    status: 409,
    tag: 'vaultId',
    sentence: {
      pt: 'O cartão da assinatura está vencido; informe outro cartão do cofre.',
      en: "The subscription's card is expired; give it another stored card.",
    },
  },
  cardUnusable: {
    status: 409,
    tag: 'vaultId',
    sentence: {
      pt: 'O cartão da assinatura não está mais no cofre; informe outro.',
      en: "The subscription's card is no longer stored; give it another.",
    },
  },
  amountOutOfRange: {
    status: 409,
    tag: 'amount',
    sentence: {
      pt: 'O valor está fora dos limites de uma cobrança (0,01 a 99.999.999,99).',
      en: 'The amount is out of the range of a charge (0.01 to 99,999,999.99).',
    },
  },
} as const satisfies Record<HandChargeRefusal, RefusalShape>;

/** The acquirer was not asked. Answered like a decline, for it is the card's earlier no. */
export const MANUAL_CHARGE_LIMITS = {
  neverAgain: {
    status: 402,
    tag: 'retryLimit',
    sentence: {
      pt: 'O emissor já recusou este cartão em definitivo; informe outro cartão do cofre.',
      en: 'The issuer has refused this card for good; give the subscription another stored card.',
    },
  },
  limited: {
    status: 402,
    tag: 'retryLimit',
    sentence: {
      pt: 'O limite de tentativas da bandeira para este cartão foi atingido.',
      en: 'The limit of tries of the card network is reached for this card.',
    },
  },
} as const satisfies Record<'neverAgain' | 'limited', RefusalShape>;
