import type { OpenedCardSource } from '../../cards/open-card-source.ts';
import { isNumberReached, type LimitTools } from '../../transactions/limits/check-network-limits.ts';
import type { PastDecline } from '../../transactions/limits/network-limits.ts';
import { type Day, saoPauloDay, startOfSaoPauloDay } from '../../values/instant.ts';
import { nextRetryOn } from '../plans/retry-schedule.ts';
import { type ChargeFacts, factsOfDecline } from './charge-result.ts';
import type { DueBilling } from './due-billings.sql.ts';

/** A charge that was declined. `attempt`: on schedule from 1; null: by hand. */
export type DeclinedCharge = Pick<
  DueBilling,
  'merchantId' | 'vaultId' | 'amount' | 'retries' | 'chargeOn'
> & { readonly attempt: number | null };

/**
 * What a decline means for its billing. Whether the network takes another try is asked for the day on which it would be made. `opened`:
 * null where the card is not there any more: then no try is sent, and no limit is met.
 */
export async function checkRetry(
  tools: LimitTools,
  charge: DeclinedCharge,
  opened: OpenedCardSource | null,
  decline: PastDecline,
): Promise<ChargeFacts> {
  const { brand, responseCode, adviceCode, soldAt } = decline;
  const facts = factsOfDecline(brand, responseCode, adviceCode, soldAt);
  const retryOn = retryDay(charge, saoPauloDay(soldAt), facts.earliestRetryOn);
  if (facts.outcome !== 'funds' || retryOn === null || opened === null)
    return { ...facts, isNetworkLimitReached: false };
  const retryAt = startOfSaoPauloDay(retryOn);
  const isNetworkLimitReached = await isNumberReached(tools, { ...charge, opened }, decline, retryAt);
  return { ...facts, isNetworkLimitReached };
}

/** The day on which a retry would be made; null: none would. */
function retryDay(
  { attempt, chargeOn, retries }: DeclinedCharge,
  chargedOn: Day,
  earliestRetryOn: Day | null,
): Day | null {
  if (attempt === null) return null;
  const retryOn = nextRetryOn(chargedOn > chargeOn ? chargedOn : chargeOn, attempt - 1, retries);
  if (retryOn === null) return null;
  return earliestRetryOn !== null && earliestRetryOn > retryOn ? earliestRetryOn : retryOn;
}
