import type { BillingState } from '../billings/billing.ts';
import type { ChargeableByHand } from '../billings/billing-after-charge.ts';

export type HandChargeRefusal =
  | 'notChargeable'
  | 'charging'
  | 'cardExpired'
  | 'cardUnusable'
  | 'amountOutOfRange';

/** Only final failures: an open billing has its day, and others owe nothing. */
export function isChargeableByHand(state: BillingState): state is ChargeableByHand {
  return state === 'denied' || state === 'paymentInvalid';
}
