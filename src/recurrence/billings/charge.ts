import type { CardBrand } from '../../values/card-number.ts';
import type { Day, Instant } from '../../values/instant.ts';

/** What came of a charge, as it is kept. `undone`: nobody answered, and nothing of it stays. */
export const CHARGE_OUTCOMES = [
  'approved',
  'funds',
  'blocked',
  'denied',
  'technical',
  'invalid',
  'voided',
] as const;
export type ChargeOutcome = (typeof CHARGE_OUTCOMES)[number];

/** What was made of the outcome of a charge, and why: kept with the charge and shown in the timeline. */
export const CHARGE_RULES = [
  'paid',
  'retry',
  'retryAsAdvised',
  'noRetriesLeft',
  'networkLimit',
  'subscriptionEnded',
  'cardCanceled',
  'neverAgain',
  'denied',
  'technical',
  'invalid',
  'declinedByHand',
  'cardExpired',
  'cardUnusable',
  'amountOutOfRange',
  'sentAgain',
] as const;
export type ChargeRule = (typeof CHARGE_RULES)[number];

/** One try to collect a billing. */
export type BillingCharge = {
  /** The first on schedule is 1, its retries 2 to 5; null: by hand. */
  readonly attempt: number | null;
  readonly startedAt: Instant;
  readonly by: string;
  /** Null: no answer yet. */
  readonly outcome: ChargeOutcome | null;
  /** What the issuer answered; null: nothing, or nobody was asked. */
  readonly code: string | null;
  /** The transaction that it is, and the brand of its card, in whose codes the issuer speaks; null: nobody was asked. */
  readonly transactionId: string | null;
  readonly brand: CardBrand | null;
  /** What was made of it. */
  readonly rule: ChargeRule | null;
  readonly nextChargeOn: Day | null;
};
