import { BILLING_MOVES, type BillingState } from './billing.ts';
import { type AfterCharge, afterFinalized, type Finalized } from './billing-after-charge.ts';

/** It is over already, or its money is just being asked for. */
export type CancelRefusal = 'finalized' | 'charging';

export type BillingToCancel = Finalized & { readonly state: BillingState; readonly isCharging: boolean };

/**
 * What canceling a billing by hand makes of its subscription. Only what is open can be canceled, a
 * wait for a retry included; the money of a charge under way may be there already, so its outcome
 * comes first. The day and the installment are used up, and the schedule goes on.
 */
export function billingAfterCancel(
  billing: BillingToCancel,
): CancelRefusal | Pick<AfterCharge, 'subscription' | 'next'> {
  if (BILLING_MOVES[billing.state].cancel === null) return 'finalized';
  if (billing.isCharging) return 'charging';
  return afterFinalized(billing, null);
}
