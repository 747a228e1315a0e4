import { KeyAbsent } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type CollectBillingTools, checkRetry, openStoredCard } from './collect-billing.ts';

import { claimOpenCharges, type OpenCharge } from './open-charges.sql.ts';
import { APPROVED, type ChargeFacts, isSentAgainOften } from './outcome-record.ts';

export type FinishOpenChargesTools = CollectBillingTools & { readonly database: Database };

const BATCH = 200;
/** For each commit, which is batched with others. */
const END_MILLISECONDS = 10_000;

/** Returns how many charges ended. The others are postponed. Throws the first error at the end. */
export async function finishOpenCharges(tools: FinishOpenChargesTools): Promise<number> {
  const open = await claimOpenCharges(tools.database, BATCH);
  const done = await Promise.allSettled(open.map((charge) => finishIfResolved(tools, charge)));
  const failed = done.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return done.filter((result) => result.status === 'fulfilled' && result.value).length;
}

async function finishIfResolved(tools: FinishOpenChargesTools, charge: OpenCharge): Promise<boolean> {
  const facts = await factsOf(tools, charge);
  if (facts === null) return false;
  const { merchantId, billingId, subscriptionId, transactionId, by } = charge;
  const at = tools.clock.now(merchantId);
  const end = { merchantId, billingId, subscriptionId, transactionId, by, at, facts };
  const { isRecorded, rule, timesSentAgain } = await tools.writeEnd(
    { ...end, kind: 'resolved' },
    performance.now() + END_MILLISECONDS,
  );
  if (isRecorded) tools.observeCharge(rule);
  if (isSentAgainOften(timesSentAgain)) tools.warnOfSentAgain(merchantId, billingId, timesSentAgain);
  return isRecorded;
}

async function factsOf(
  tools: FinishOpenChargesTools,
  charge: OpenCharge,
): Promise<ChargeFacts | 'voided' | null> {
  const { state, brand, responseCode, adviceCode, amount, soldAt, vaultId, merchantId } = charge;
  switch (state) {
    case 'preauthorized':
    case 'capturing':
    case 'charging':
    case 'unresolved':
      return null;
    case 'voided':
      return 'voided';
    case 'approved':
      return APPROVED;
    case 'declined': {
      const decline = { brand, responseCode: responseCode ?? '', adviceCode, amount, soldAt };
      const opened = await openStoredCard(tools, merchantId, vaultId, soldAt).catch(nullIfKeyAbsent);
      return checkRetry(tools, charge, opened !== null && 'card' in opened ? opened : null, decline);
    }
  }
}

/** The outcome does not wait for the key: a retry checks the limits once the card opens again. */
function nullIfKeyAbsent(error: unknown): null {
  if (error instanceof KeyAbsent) return null;
  throw error;
}
