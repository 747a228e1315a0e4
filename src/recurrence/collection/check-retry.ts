import type { OpenedCardSource } from '../../cards/open-card-source.ts';
import { isNumberReached, type LimitTools } from '../../transactions/card/check-network-limits.ts';
import type { PastDecline } from '../../transactions/card/network-limits.ts';
import { type Day, saoPauloDay, startOfSaoPauloDay } from '../../values/instant.ts';
import { type Retry, retryAfterFailure } from '../plans/retry-schedule.ts';
import type { DueBilling } from './due-billings.sql.ts';
import { type ChargeFacts, factsOfDecline } from './result-facts.ts';

/** A charge that was declined. `attemptNumber`: on schedule from 1; null: by hand. */
export type DeclinedCharge = Pick<
  DueBilling,
  'merchantId' | 'vaultId' | 'amount' | 'maxRetries' | 'chargeOn'
> & { readonly attemptNumber: number | null };

/**
 * What a decline means for its billing. Whether the network takes another try is asked for the day
 * on which it would be made. `opened`: null where the card is not there any more: then no try is
 * sent, and no limit is met.
 */
export async function checkRetry(
  tools: LimitTools,
  charge: DeclinedCharge,
  opened: OpenedCardSource | null,
  decline: PastDecline,
): Promise<ChargeFacts> {
  const { brand, responseCode, adviceCode, soldAt } = decline;
  const facts = factsOfDecline(brand, responseCode, adviceCode, soldAt);
  const retry = facts.result === 'funds' ? retryOf(charge, saoPauloDay(soldAt), facts.earliestRetryOn) : null;
  if (retry === null || opened === null) return { ...facts, isNetworkLimitReached: false };
  const retryAt = startOfSaoPauloDay(retry.retryOn);
  const isNetworkLimitReached = await isNumberReached(tools, { ...charge, opened }, decline, retryAt);
  return { ...facts, isNetworkLimitReached };
}

/** A charge by hand is not retried. */
function retryOf(
  { attemptNumber, chargeOn, maxRetries }: DeclinedCharge,
  chargedOn: Day,
  earliestRetryOn: Day | null,
): Retry | null {
  if (attemptNumber === null) return null;
  return retryAfterFailure({
    attemptNumber,
    maxRetries,
    scheduledOn: chargeOn,
    chargedOn,
    earliestRetryOn,
  });
}
