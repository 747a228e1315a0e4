import type { KeyedRequest } from '../../../../idempotency/idempotency-key.ts';
import { PIX_RETURN_DAYS } from '../../../../providers/pix/pix-bank.ts';
import type { Cents } from '../../../../values/cents.ts';
import { cents } from '../../../../values/cents.ts';
import { type Instant, instant } from '../../../../values/instant.ts';
import type { Pix, ReceivedPix } from '../pix.ts';

/**
 * `refunding`: the bank is asked until it answers. `pending`: it is carrying it out, and the amount stays
 * held. The other two are final.
 */
export const REFUND_STATES = ['refunding', 'pending', 'refunded', 'refused'] as const;
export type RefundState = (typeof REFUND_STATES)[number];

/**
 * `accept`: the bank carries the refund out later. `doubt`: it refuses the refund, and has nothing under its
 * id yet. `withdraw`: it was not asked.
 */
type RefundEvent = 'accept' | 'confirm' | 'doubt' | 'refuse' | 'withdraw';

/** Null: the event cannot happen in that state. */
export const REFUND_MOVES = {
  refunding: {
    accept: 'pending',
    confirm: 'refunded',
    doubt: 'refunding',
    refuse: 'refused',
    withdraw: 'refused',
  },
  pending: { accept: 'pending', confirm: 'refunded', doubt: 'refunding', refuse: 'refused', withdraw: null },
  refunded: { accept: null, confirm: null, doubt: null, refuse: null, withdraw: null },
  refused: { accept: null, confirm: null, doubt: null, refuse: null, withdraw: null },
} as const satisfies Record<RefundState, Record<RefundEvent, RefundState | null>>;

export type Refund = {
  readonly merchantId: string;
  readonly refundId: string;
  readonly pixId: string;
  readonly endToEndId: string;
  readonly state: RefundState;
  readonly amount: Cents;
  readonly refusalReason: string | null;
  /**
   * Seconds for which the bank has refused a further try, while the first one may still arrive; null: it has
   * not.
   */
  readonly doubtedSeconds: number | null;
  /** Business time. */
  readonly requestedAt: Instant;
  readonly refundedAt: Instant | null;
  readonly bank: string;
  readonly fence: number;
  readonly tries: number;
};

export type RefundIntent = Pick<Refund, 'merchantId' | 'refundId' | 'pixId' | 'requestedAt'> & {
  /** Null gives back all that is left. */
  readonly amount: Cents | null;
  /** Which of the payments; null: the one that paid the charge. */
  readonly endToEndId: string | null;
  readonly createdBy: string;
  readonly request: KeyedRequest | null;
};

export type RefundRefusal =
  | 'noPayment'
  | 'windowOver'
  | 'alreadyCanceled'
  | 'beingCanceled'
  | 'exceedsRest'
  | 'refusedByBank';

const DAY_MILLISECONDS = 86_400_000;

/** The payment to give back from; null: there is none. */
export function paymentToRefund(
  { payments, payment }: Pick<Pix, 'payments' | 'payment'>,
  endToEndId: string | null,
): ReceivedPix | null {
  const wanted = endToEndId ?? payment?.endToEndId ?? null;
  return payments.find((one) => one.endToEndId === wanted) ?? null;
}

/** The amount that the refund is to hold, or why it is refused. */
export function refundHold(
  paid: ReceivedPix | null,
  { amount: wanted, requestedAt }: Pick<RefundIntent, 'amount' | 'requestedAt'>,
): Cents | RefundRefusal {
  if (paid === null) return 'noPayment';
  const { amount, heldAmount, returnedAmount, paidAt } = paid;
  if (returnedAmount === amount) return 'alreadyCanceled';
  if (requestedAt > instant(paidAt + PIX_RETURN_DAYS * DAY_MILLISECONDS)) return 'windowOver';
  const rest = amount - heldAmount;
  const asked = wanted ?? rest;
  if (asked > 0 && asked <= rest) return cents(asked);
  return Math.max(asked, 1) <= amount - returnedAmount ? 'beingCanceled' : 'exceedsRest';
}

/**
 * Pauses between looks at a pending refund. The bank carries it out within seconds, or days where it waits
 * for the other bank.
 */
const PENDING_PAUSES_SECONDS = [2, 5, 15, 60, 300] as const;
const LONGEST_PENDING_PAUSE_SECONDS = 3_600;

/** `tries` is 0 after the request itself. */
export function secondsUntilNextPendingTry(tries: number): number {
  return PENDING_PAUSES_SECONDS[tries] ?? LONGEST_PENDING_PAUSE_SECONDS;
}

/** How long after a refusal in doubt the bank is asked again: longer than any request may be on its way. */
export const SECOND_LOOK_SECONDS = 300;

/** The refund's id as the bank knows it: letters and digits. */
export function devolutionIdOf(refundId: string): string {
  return refundId.replaceAll('-', '').toLowerCase();
}
