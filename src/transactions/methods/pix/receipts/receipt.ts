import type { WaitingChange } from '../../../../platform/feeds/feed.ts';
import type { PixReceipt, PixReturn } from '../../../../providers/pix/pix-bank.ts';
import type { Cents } from '../../../../values/cents.ts';
import { type Instant, saoPauloDay } from '../../../../values/instant.ts';
import { type PaymentKind, paymentKind, type Surprise } from '../../../bill-payment.ts';
import { expectedAmount, isAmountExpected, type Pix, type PixKey } from '../pix.ts';
import type { PixChange } from '../pix-move.ts';

type ReceiptState = 'waiting' | 'applied';

/** Null: the event cannot happen in that state. */
export const RECEIPT_MOVES = {
  waiting: { apply: 'applied' },
  applied: { apply: null },
} as const satisfies Record<ReceiptState, Record<'apply', ReceiptState | null>>;

/**
 * What a bank reported of a charge of ours: a payment, or money of one that left again (`returnId` is not
 * null).
 */
export type WaitingReceipt = PixKey &
  WaitingChange &
  Pick<PixReceipt, 'endToEndId' | 'amount' | 'receivedAt'> & {
    readonly returnId: string | null;
    readonly returnNature: PixReturn['nature'] | null;
  };

/** The id under which a payment, or each of its returns, is kept once. */
export function receiptIdOf({ endToEndId, returned }: Pick<PixReceipt, 'endToEndId' | 'returned'>): string {
  return returned === null ? endToEndId : `${endToEndId}:${returned.id}`;
}

export type PixSurprise = Exclude<Surprise, 'filedAgain'>;

export type ReceivedPayment = {
  readonly endToEndId: string;
  readonly amount: Cents;
  readonly expectedAmount: Cents;
  /** Why nobody expected it; null if it pays the charge. */
  readonly surprise: PixSurprise | null;
  readonly kind: PaymentKind;
  readonly paidAt: Instant;
};

/** `gone`: another process has applied the receipt. `takenBack`: money of a payment left again. */
export type ReceiptResult = 'applied' | 'gone' | WaitReason | 'takenBack' | PixSurprise;
/**
 * Why a receipt waits. `beingIssued`: the bank's answer to the issue comes first. `notPaidYet`: the payment
 * of this return comes first. `beyondRest`: more left than is there: a refund of ours may be under way, or
 * has left.
 */
type WaitReason = 'beingIssued' | 'notPaidYet' | 'beyondRest';

export type ReceiptDecision =
  | { readonly kind: 'apply'; readonly change: PixChange | null; readonly payment: ReceivedPayment | null }
  | { readonly kind: 'wait'; readonly reason: WaitReason };

/**
 * What a payment makes of its charge. No end is undone: what arrives for a charge that is paid or over is
 * recorded beside it. `paidAt` is business time. A payment that is recorded already changes nothing.
 */
export function decideReceipt(
  pix: Pix,
  { endToEndId, amount }: Pick<WaitingReceipt, 'endToEndId' | 'amount'>,
  paidAt: Instant,
): ReceiptDecision {
  if (pix.state === 'issuing') return { kind: 'wait', reason: 'beingIssued' };
  if (pix.payments.some((one) => one.endToEndId === endToEndId))
    return { kind: 'apply', change: null, payment: null };
  const surprise = surpriseOf(pix);
  const day = saoPauloDay(paidAt);
  const payment = {
    ...{ endToEndId, amount, surprise, paidAt },
    expectedAmount: expectedAmount(pix, day),
    kind: paymentKind(surprise, isAmountExpected(pix, day, amount)),
  };
  const change =
    surprise === null ? ({ event: 'pay', payment: { endToEndId, amount, paidAt } } as const) : null;
  return { kind: 'apply', change, payment };
}

function surpriseOf({ state }: Pick<Pix, 'state'>): PixSurprise | null {
  switch (state) {
    case 'paid':
    case 'returned':
      return 'paidAgain';
    case 'canceled':
      return 'paidAfterCancel';
    case 'expired':
      return 'paidAfterExpiry';
    case 'refused':
      return 'paidAfterRefusal';
    case 'issuing':
    case 'waiting':
    case 'removing':
      return null;
  }
}

type ReturnDecision =
  | { readonly kind: 'wait'; readonly reason: WaitReason }
  | { readonly kind: 'apply'; readonly isAll: boolean };

/** Whether a devolution that the merchant did not ask for can be recorded now. `isAll`: nothing is left. */
export function decideReturn(
  { state, payments }: Pick<Pix, 'state' | 'payments'>,
  { endToEndId, amount }: Pick<WaitingReceipt, 'endToEndId' | 'amount'>,
): ReturnDecision {
  if (state === 'issuing') return { kind: 'wait', reason: 'beingIssued' };
  const paid = payments.find((one) => one.endToEndId === endToEndId);
  if (paid === undefined) return { kind: 'wait', reason: 'notPaidYet' };
  if (paid.heldAmount + amount > paid.amount) return { kind: 'wait', reason: 'beyondRest' };
  return { kind: 'apply', isAll: paid.isPaying && paid.returnedAmount + amount === paid.amount };
}
