import type { Tx } from '../../platform/postgres/database.ts';
import { holdFence, raiseFence } from './charge-intents.sql.ts';
import { identifyCharge } from './identify-charge.ts';

/** A restored database reuses ids of lost charges: at most so many for one billing. */
const LOST_CHARGES = 1_000;

/**
 * Raises the billing's fence past the charge with this id. A later charge with the same id would get the
 * acquirer's stored answer, although the charge is being voided now. A charge that has taken the billing
 * already has its transaction.
 */
export async function advancePastCharge(
  tx: Tx,
  {
    merchantId,
    billingId,
    transactionId,
  }: Readonly<Record<'merchantId' | 'billingId' | 'transactionId', string>>,
): Promise<void> {
  const fence = await holdFence(tx, merchantId, billingId);
  if (fence === null) return;
  for (let at = fence; at < fence + LOST_CHARGES; at += 1)
    if (identifyCharge(billingId, at) === transactionId.toLowerCase())
      return raiseFence(tx, merchantId, billingId, at + 1);
}
