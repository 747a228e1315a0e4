import type { Tx } from '../../platform/postgres/database.ts';
import { holdFence, raiseFence } from './charge-intents.sql.ts';
import { identifyCharge } from './identify-charge.ts';

/** How many lost charges of one billing are looked through: a restored database gives their ids again. */
const LOST_CHARGES = 1_000;

/**
 * Raises the billing's fence past the charge with this id. A later charge with the same id would get the
 * acquirer's stored answer, although the charge is being voided now. If a charge has already taken the
 * billing at this fence, its transaction is in the database, and nothing is raised.
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
