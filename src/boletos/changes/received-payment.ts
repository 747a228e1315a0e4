import type { Cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';

/**
 * Why nobody expected a payment. `filedAgain`: a second file of the bank has the same one, and a person
 * must find out whether that is another one.
 */
export type Surprise =
  | 'paidAgain'
  | 'paidAfterCancel'
  | 'paidAfterExpiry'
  | 'paidAfterRefusal'
  | 'filedAgain';

/** `otherAmount`: it pays the boleto, and is not what was to be paid on its day. */
export const PAYMENT_KINDS = ['expected', 'second', 'afterEnd', 'otherAmount'] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

/** What arrived for a boleto, as its merchant sees it. */
export type ReceivedPayment = {
  readonly amount: Cents;
  readonly paidOn: Day;
  readonly kind: PaymentKind;
  /** Nobody has said yet what became of it. */
  readonly isOpen: boolean;
  /** By which a person says it; null: it was expected. */
  readonly exceptionId: string | null;
};

export function paymentKind(surprise: Surprise | null, isAmountDue: boolean): PaymentKind {
  switch (surprise) {
    case null:
      return isAmountDue ? 'expected' : 'otherAmount';
    case 'paidAgain':
    case 'filedAgain':
      return 'second';
    case 'paidAfterCancel':
    case 'paidAfterExpiry':
    case 'paidAfterRefusal':
      return 'afterEnd';
  }
}
