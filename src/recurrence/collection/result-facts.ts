import { mayRetryAt, readDecline } from '../../acquirers/issuer-code.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { type Day, type Instant, saoPauloDay } from '../../values/instant.ts';
import { CHARGE_RESULTS, type ChargeResult, type UnsentResult } from '../billings/charge-result.ts';
import { firstDayFrom } from './day-window.ts';

export type ChargeFacts = {
  readonly result: ChargeResult;
  /** The issuer's; null: approved, or the acquirer was not asked. */
  readonly code: string | null;
  /** In Portuguese, for the alert of a failure. */
  readonly meaning: string;
  readonly earliestRetryOn: Day | null;
  readonly isNetworkLimitReached: boolean;
};

export const APPROVED: ChargeFacts = {
  result: 'approved',
  code: null,
  meaning: 'Sucesso',
  earliestRetryOn: null,
  isNetworkLimitReached: false,
};

export function factsOfUnsent(result: UnsentResult): ChargeFacts {
  return { ...APPROVED, result, meaning: CHARGE_RESULTS[result].notSent };
}

/** Advice not to come again makes a lack of funds final. `soldAt`: business time. */
export function factsOfDecline(
  brand: CardBrand,
  responseCode: string,
  adviceCode: string | null,
  soldAt: Instant,
): Omit<ChargeFacts, 'isNetworkLimitReached'> {
  const read = readDecline(brand, responseCode, adviceCode);
  const { declineClass, isRetryable, sentence } = read;
  const retryAt = mayRetryAt(read, soldAt);
  return {
    result: declineClass === 'funds' && !isRetryable ? 'denied' : declineClass,
    code: responseCode,
    meaning: sentence.pt,
    earliestRetryOn: retryAt === null ? null : firstDayFrom(retryAt, saoPauloDay(retryAt)),
  };
}

/**
 * Whether an outcome shows that the acquirer is there; null: it shows nothing. Without a connection it is
 * not. A late answer proves nothing: resolving asks at once. While it is away (`isAway`), a late answer was
 * the test, and postpones the next.
 */
export function isAcquirerThere(
  outcome: 'approved' | 'preauthorized' | 'declined' | 'unknown' | 'notSent' | 'notConnected',
  isAway: boolean,
): boolean | null {
  switch (outcome) {
    case 'approved':
    case 'preauthorized':
    case 'declined':
      return true;
    case 'unknown':
      return isAway ? false : null;
    case 'notConnected':
      return false;
    case 'notSent':
      return null;
  }
}
