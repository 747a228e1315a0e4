import type { DecideVerification } from '../../antifraud/decide-verification.ts';
import type {
  AskedAnswer,
  VerificationRefused,
  VerificationWanted,
} from '../../cards/vault/store-vault-card.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { cents } from '../../values/cents.ts';
import { checkNetworkLimits, type LimitTools } from './check-network-limits.ts';
import { recordDecline } from './declined-verifications.sql.ts';

export type VerifyTools = {
  readonly database: Database;
  readonly clock: BusinessClock;
  readonly limits: LimitTools;
  readonly decideVerification: DecideVerification;
};

/** A verification has no amount: it is declined and limited as a try of zero. */
const NO_AMOUNT = cents(0);

/**
 * Verifies a card under the limits of its network and anti-fraud, which count it before the
 * acquirer is asked; its decline is on record before the response. Otherwise every security code of
 * a card could be tried.
 */
export async function verifyCard(
  tools: VerifyTools,
  { merchantId, verificationId, opened }: VerificationWanted,
  ask: () => Promise<AskedAnswer>,
): Promise<AskedAnswer | VerificationRefused> {
  const { clock, database, limits } = tools;
  const { number } = opened.card;
  const askedAt = clock.now(merchantId);
  const limit = await checkNetworkLimits(limits, { merchantId, amount: NO_AMOUNT, soldAt: askedAt, opened });
  if (limit !== null) return { kind: 'refused', refusal: limit.cause, mayRetryAt: limit.mayRetryAt };
  const counted = await tools.decideVerification({ merchantId, verificationId, number });
  if (counted === null) return { kind: 'refused', refusal: 'rejected', mayRetryAt: null };
  const answer = await ask();
  if (answer.kind === 'notSent' || answer.kind === 'notConnected') await counted.forget();
  if (answer.kind === 'declined') {
    const { brand } = opened.trace;
    const { responseCode, adviceCode } = answer;
    const cardFingerprint = opened.trace.fingerprint;
    const decline = { merchantId, verificationId, cardFingerprint, brand, responseCode, adviceCode, askedAt };
    await database.transaction(async (tx) => {
      await recordDecline(tx, decline);
      await counted.declined(tx, decline);
    });
  }
  return answer;
}
