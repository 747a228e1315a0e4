/** `filedAgain`: a second file of the bank has it, and a person must find out whether it is another one. */
export type Surprise =
  | 'paidAgain'
  | 'paidAfterCancel'
  | 'paidAfterExpiry'
  | 'paidAfterRefusal'
  | 'filedAgain';

/** `otherAmount`: it pays the bill, but with another amount than was due on its day. */
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
