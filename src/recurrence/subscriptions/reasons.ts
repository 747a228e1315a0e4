import type { Sentence } from '../../platform/http/sentence.ts';
import { type Alert, type MovedSubscription, subscriptionAlert } from '../alerts/alert.ts';
import type { SubscriptionReason, SubscriptionState } from './subscription.ts';

/** A completed subscription shows as canceled by the system. */
export const SUBSCRIPTION_STATE_WORDS = {
  active: 'Active',
  blocked: 'Blocked',
  canceled: 'Canceled',
  completed: 'Canceled',
} as const satisfies Record<SubscriptionState, string>;

export const REASON_WORDS = {
  user: 'ByMerchant',
  plan: 'PlanCanceled',
  declined: 'Declined',
  completed: 'Completed',
  cardCanceled: 'CardCanceled',
  chargeback: 'Chargeback',
} as const satisfies Record<SubscriptionReason, string>;

export const REASON_SENTENCES = {
  user: { pt: 'Cancelada a seu pedido.', en: 'Canceled at your request.' },
  plan: { pt: 'Cancelada junto com o plano.', en: 'Canceled together with its plan.' },
  declined: {
    pt: 'Cancelada porque uma cobrança foi negada em definitivo.',
    en: 'Canceled because a charge was denied for good.',
  },
  completed: { pt: 'Todas as parcelas foram encerradas.', en: 'All installments are over.' },
  cardCanceled: {
    pt: 'Bloqueada porque o cartão foi cancelado ou não aceita novas tentativas: troque o cartão e ative-a de novo.',
    en: 'Blocked because the card is canceled or takes no more tries: give it another card and activate it again.',
  },
  chargeback: {
    pt: 'Bloqueada porque o portador contestou uma cobrança (chargeback).',
    en: 'Blocked because the card holder took a charge back (chargeback).',
  },
} as const satisfies Record<SubscriptionReason, Sentence>;

const MOVE_EVENTS = {
  active: 'reactivated',
  blocked: 'blocked',
  canceled: 'canceled',
  completed: 'completed',
} as const satisfies Record<SubscriptionState, MovedSubscription['event']>;

/** `reason` null: active again. */
type Move = {
  readonly subscriptionId: string;
  readonly state: SubscriptionState;
  readonly reason: SubscriptionReason | null;
  readonly billingId?: string | null;
  readonly paymentId?: string | null;
};

export function moveAlert({ subscriptionId, state, reason, billingId, paymentId }: Move): Alert {
  return subscriptionAlert({
    event: MOVE_EVENTS[state],
    subscriptionId,
    billingId: billingId ?? null,
    paymentId: paymentId ?? null,
    reason: reason && REASON_WORDS[reason],
    description: reason === null ? 'Reativada a seu pedido.' : REASON_SENTENCES[reason].pt,
    status: SUBSCRIPTION_STATE_WORDS[state],
  });
}
