import type { Tx } from '../../platform/postgres/database.ts';
import { holdFence, raiseFence } from './charge-intents.sql.ts';
import { identifyCharge } from './identify-charge.ts';

/** A billing of a restored database is charged under ids that the lost one has used: by so many at most. */
const LOST_CHARGES = 1_000;

/**
 * No later charge of the billing has this id: the acquirer would answer what it has of it, though it is
 * voided at this moment. One that took the billing before has its transaction already.
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
