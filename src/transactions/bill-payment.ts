/**
 * Why nobody expected a payment. `filedAgain`: a second file of the bank reports the payment too, and a
 * person must find out whether the payer paid twice.
 */
export type Surprise =
  | 'paidAgain'
  | 'paidAfterCancel'
  | 'paidAfterExpiry'
  | 'paidAfterRefusal'
  | 'filedAgain';

/**
 * `second`: the bill or its payment link was paid already. `afterEnd`: it was over. `otherAmount`: the
 * payment pays the bill, but with another amount than was due on its day.
 */
export const PAYMENT_KINDS = ['expected', 'second', 'afterEnd', 'otherAmount'] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

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
