import type { RefusalShape } from '../../platform/http/refusal.ts';
import { type TooManyToOrder, tooManyToOrder } from '../../platform/pages.ts';
import type { ChangeRefusal, SubscriptionCreationRefusal } from './subscription.ts';

export const SUBSCRIPTION_CREATION_REFUSALS = {
  unknownPlan: {
    status: 400,
    tag: 'planId',
    sentence: { pt: 'Plano não encontrado.', en: 'Plan not found.' },
  },
  unknownCard: {
    status: 400,
    tag: 'vaultId',
    sentence: { pt: 'Cofre não encontrado', en: 'No such card in the vault' },
  },
  planNotActive: {
    status: 409,
    tag: 'planId',
    sentence: {
      pt: 'O plano não está ativo e não aceita novas assinaturas.',
      en: 'The plan is not active and takes no new subscriptions.',
    },
  },
} as const satisfies Record<SubscriptionCreationRefusal, RefusalShape>;

export const SUBSCRIPTION_SEARCH_REFUSALS = {
  tooManyToOrder: tooManyToOrder(
    'São mais de trezentas mil assinaturas para esta ordem; escolha um plano, um status ou a ordem por createdDate.',
    'More than 300,000 subscriptions for this order; choose a plan, a status or the order by createdDate.',
  ),
} as const satisfies Record<TooManyToOrder, RefusalShape>;

export const SUBSCRIPTION_REFUSALS = {
  completed: {
    status: 409,
    tag: 'status',
    sentence: {
      pt: 'Todas as parcelas da assinatura já foram encerradas; ela não pode ser reativada.',
      en: 'All installments of the subscription are over; it cannot be activated again.',
    },
  },
  cardRemoved: {
    status: 409,
    tag: 'status',
    sentence: {
      pt: 'O cartão da assinatura foi removido; informe outro cofre antes de ativá-la.',
      en: 'The card of the subscription was removed; give it another one before you activate it.',
    },
  },
  unknownCard: SUBSCRIPTION_CREATION_REFUSALS.unknownCard,
} as const satisfies Record<Exclude<ChangeRefusal, 'notFound'>, RefusalShape>;
