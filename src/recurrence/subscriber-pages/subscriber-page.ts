import type { CardBrand } from '../../values/card-number.ts';
import type { Cents } from '../../values/cents.ts';
import type { Day, Instant } from '../../values/instant.ts';
import type { BillingState } from '../billings/billing.ts';
import { isLastInstallment } from '../subscriptions/schedule.ts';
import {
  ENDED_STATES,
  type Subscription,
  type SubscriptionWithEvents,
  takesCardOfSubscriber,
} from '../subscriptions/subscription.ts';

/** A page of a subscription, and what the merchant lets anybody do there who has its address. */
export type SubscriberPage = {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly pageKey: string;
  readonly mayCancel: boolean;
  /** Business time. */
  readonly expiresAt: Instant;
  readonly cardTries: number;
};

/** Who changes a subscription at its page, in timeline and audit log. */
export const SUBSCRIBER = 'subscriber';

/** More tries are not one subscriber's: somebody is testing cards. */
export const MOST_CARD_TRIES = 20;

export type ShownBilling = {
  readonly installment: number;
  readonly state: BillingState;
  readonly amount: Cents;
  readonly dueOn: Day;
  /** null: no further charge. */
  readonly chargeOn: Day | null;
  readonly chargesMade: number;
  readonly isCharging: boolean;
};

export type CardOfSubscription = {
  readonly brand: CardBrand;
  readonly lastFour: string;
  readonly expirationMonth: string;
  readonly expirationYear: string;
};

export type FoundPage = SubscriptionWithEvents & {
  readonly page: SubscriberPage;
  readonly seller: { readonly name: string };
  /** null: paid by Pix Automático, or the card was removed. */
  readonly card: CardOfSubscription | null;
  /** The newest, newest first. */
  readonly billings: readonly ShownBilling[];
};

/** A subscription that its card blocked with the last installment has nothing left to pay. */
export function mayGiveCard({
  subscription,
  page,
  billings,
}: Pick<FoundPage, 'subscription' | 'page' | 'billings'>): boolean {
  if (page.cardTries >= MOST_CARD_TRIES || !takesCardOfSubscriber(subscription)) return false;
  const [newest] = billings;
  return (
    subscription.state === 'active' ||
    newest === undefined ||
    !isLastInstallment(newest.installment, subscription.terms)
  );
}

export function mayBeCanceled(
  { state }: Pick<Subscription, 'state'>,
  { mayCancel }: Pick<SubscriberPage, 'mayCancel'>,
): boolean {
  return mayCancel && !ENDED_STATES.includes(state);
}
