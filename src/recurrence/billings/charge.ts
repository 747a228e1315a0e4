import type { CardBrand } from '../../values/card-number.ts';
import type { Day, Instant } from '../../values/instant.ts';
import type { ChargeOutcome, ChargeRule } from './charge-result.ts';

/** One try to collect a billing. */
export type BillingCharge = {
  /** On schedule from 1, retries behind it; null: by hand. */
  readonly attemptNumber: number | null;
  readonly startedAt: Instant;
  readonly by: string;
  /** Null: no answer yet. */
  readonly outcome: ChargeOutcome | null;
  /** The issuer's answer; null: none, or the acquirer was not asked. */
  readonly code: string | null;
  /**
   * Its transaction and the brand of its card, whose codes the issuer uses; null: the acquirer was
   * not asked.
   */
  readonly transactionId: string | null;
  readonly brand: CardBrand | null;
  /** What was made of it. */
  readonly rule: ChargeRule | null;
  readonly nextChargeOn: Day | null;
};
