import type { BillingState } from '../billings/billing.ts';
import type { ChargeableByHand } from '../billings/billing-after-charge.ts';

/** Why a billing is not charged by hand: what it is, or that a charge of it is under way. */
export type HandChargeRefusal =
  | 'notChargeable'
  | 'charging'
  | 'cardExpired'
  | 'cardUnusable'
  | 'amountOutOfRange';

/**
 * Only what failed for good is charged by hand: what is open has its day, and what is paid or
 * canceled owes nothing.
 */
export function isChargeableByHand(state: BillingState): state is ChargeableByHand {
  return state === 'denied' || state === 'paymentInvalid';
}
