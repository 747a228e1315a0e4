import type { Sentence } from '../../platform/http/sentence.ts';
import { type Alert, type MovedSubscription, subscriptionAlert } from '../alerts/alert.ts';
import type { SubscriptionReason, SubscriptionState } from './subscription.ts';

/** A completed subscription shows as canceled by the system. */
export const SUBSCRIPTION_STATE_WORDS = {
  pending: 'Pending',
  active: 'Active',
  blocked: 'Blocked',
  canceled: 'Canceled',
  completed: 'Canceled',
  rejected: 'Rejected',
  expired: 'Expired',
} as const satisfies Record<SubscriptionState, string>;

export const REASON_WORDS = {
  user: 'ByMerchant',
  plan: 'PlanCanceled',
  declined: 'Declined',
  completed: 'Completed',
  cardCanceled: 'CardCanceled',
  chargeback: 'Chargeback',
  payer: 'ByPayer',
  rejected: 'RejectedByPayer',
  expired: 'NotAuthorized',
  unanswered: 'NotAnsweredByBank',
  subscriber: 'BySubscriber',
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
  payer: {
    pt: 'Cancelada porque o pagador cancelou a autorização do Pix Automático.',
    en: 'Canceled because the payer ended the authorization of Pix Automático.',
  },
  rejected: {
    pt: 'O pagador recusou a autorização do Pix Automático.',
    en: 'The payer refused the authorization of Pix Automático.',
  },
  expired: {
    pt: 'O pagador não autorizou o Pix Automático a tempo.',
    en: 'The payer did not authorize Pix Automático in time.',
  },
  unanswered: {
    pt: 'O banco não respondeu a tempo ao pedido de autorização do Pix Automático.',
    en: 'The bank did not answer in time to the request for an authorization of Pix Automático.',
  },
  subscriber: {
    pt: 'Cancelada pelo assinante na página dele.',
    en: 'Canceled by the subscriber at his page.',
  },
} as const satisfies Record<SubscriptionReason, Sentence>;

const MOVE_EVENTS = {
  pending: 'reactivated',
  active: 'reactivated',
  blocked: 'blocked',
  canceled: 'canceled',
  completed: 'completed',
  rejected: 'canceled',
  expired: 'canceled',
} as const satisfies Record<SubscriptionState, MovedSubscription['event']>;

/** `reason` null: active again. */
type Move = {
  readonly subscriptionId: string;
  readonly state: SubscriptionState;
  readonly reason: SubscriptionReason | null;
  readonly billingId?: string | null;
  readonly paymentId?: string | null;
  /** The text of an activation, instead of that of a reactivation. */
  readonly description?: string;
  /** Who activated it again; absent: its merchant. */
  readonly by?: keyof typeof REACTIVATED;
};

const REACTIVATED = {
  user: 'Reativada a seu pedido.',
  subscriber: 'Reativada pelo assinante, com outro cartão.',
} as const;

export function moveAlert({
  subscriptionId,
  state,
  reason,
  billingId,
  paymentId,
  description,
  by = 'user',
}: Move): Alert {
  return subscriptionAlert({
    event: MOVE_EVENTS[state],
    subscriptionId,
    billingId: billingId ?? null,
    paymentId: paymentId ?? null,
    reason: reason && REASON_WORDS[reason],
    description: reason === null ? (description ?? REACTIVATED[by]) : REASON_SENTENCES[reason].pt,
    status: SUBSCRIPTION_STATE_WORDS[state],
  });
}
