import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import type { Transaction, TransactionState } from '../transaction.ts';

/**
 * `canceling`: the acquirer is asked until it answers. `pending`: it has accepted the cancel, and
 * decides later; the amount stays held. The other two are final.
 */
export const CANCEL_STATES = ['canceling', 'pending', 'canceled', 'refused'] as const;
export type CancelState = (typeof CANCEL_STATES)[number];

/**
 * `accept`: the acquirer will decide. `confirm`: it gave the money back. `refuse`: it does not, also
 * after it had accepted. `withdraw`: it was not asked.
 */
type CancelEvent = 'accept' | 'confirm' | 'refuse' | 'withdraw';

/** Null means that the event cannot happen in that state. */
export const CANCEL_MOVES = {
  canceling: { accept: 'pending', confirm: 'canceled', refuse: 'refused', withdraw: 'refused' },
  pending: { accept: 'pending', confirm: 'canceled', refuse: 'refused', withdraw: null },
  canceled: { accept: null, confirm: null, refuse: null, withdraw: null },
  refused: { accept: null, confirm: null, refuse: null, withdraw: null },
} as const satisfies Record<CancelState, Record<CancelEvent, CancelState | null>>;

/** A request to give back money of a transaction. */
export type CancelIntent = {
  readonly merchantId: string;
  readonly cancelId: string;
  readonly transactionId: string;
  /** Null: all that is left. */
  readonly amount: Cents | null;
  readonly createdBy: string;
  /** Business time. */
  readonly requestedAt: Instant;
  /** Sales before this instant of business time are too old. */
  readonly oldestSale: Instant;
  /** The acquirers that give back whole charges only. */
  readonly wholeAt: readonly string[];
  /** The request that asks for it, when it brought a key. */
  readonly request: KeyedRequest | null;
};

export type RecordedCancel = {
  readonly state: CancelState;
  /** It ended without a request to the acquirer, and the key of its request is free again. */
  readonly wasNeverSent: boolean;
  readonly amount: Cents;
  /** Of the transaction. */
  readonly authorizationCode: string;
  /** Business time of the acquirer's confirmation; null before it. */
  readonly canceledAt: Instant | null;
};

/** A cancel in the list of its transaction. Business time, save where the acquirer refused. */
export type ListedCancel = {
  readonly cancelId: string;
  readonly amount: Cents;
  readonly state: CancelState;
  readonly requestedAt: Instant;
  /** Null: the acquirer has not answered yet. */
  readonly decidedAt: Instant | null;
};

export type TransactionWithCancels = Transaction & {
  readonly cancels: readonly ListedCancel[];
  /** Null: no capture is under way. */
  readonly capturingAmount: Cents | null;
};

/** Why nothing is given back; the acquirer was asked only with `refusedByAcquirer`. */
export type CancelRefusal =
  | 'notFound'
  | 'notResolved'
  | 'notCharged'
  | 'windowOver'
  | 'alreadyCanceled'
  | 'beingCanceled'
  | 'beingCaptured'
  | 'wholeOnly'
  | 'exceedsRest'
  | 'partNotOffered'
  | 'refusedByAcquirer';

/** The state of a transaction when a cancel of it could not be recorded. */
export type CancelObstacle = {
  readonly state: TransactionState;
  readonly soldAt: Instant;
  readonly amount: Cents;
  /** What cancels took or hold. */
  readonly canceledAmount: Cents;
  /** The part of it that undecided cancels hold, which comes free when the acquirer refuses. */
  readonly amountUnderWay: Cents;
};

/**
 * Why a cancel was not recorded, the first reason that fits; null: nothing prevents it now, and
 * another try will do. Parts are canceled side by side: `beingCanceled` says that it would fit if
 * the pending ones were refused.
 */
export function cancelRefusal(
  { state, soldAt, amount, canceledAmount, amountUnderWay }: CancelObstacle,
  wanted: Pick<CancelIntent, 'amount' | 'oldestSale'> & { readonly mustBeWhole: boolean },
): Exclude<CancelRefusal, 'notFound' | 'refusedByAcquirer'> | null {
  const unfit = refusalOfState(state);
  if (unfit !== null) return unfit;
  if (state === 'preauthorized') return releaseRefusal(amount, wanted.amount);
  const rest = amount - canceledAmount;
  if (rest + amountUnderWay === 0) return 'alreadyCanceled';
  if (soldAt < wanted.oldestSale) return 'windowOver';
  const least = wanted.amount ?? 1;
  if (least <= rest) {
    const isWhole = canceledAmount === 0 && (wanted.amount ?? amount) === amount;
    return wanted.mustBeWhole && !isWhole ? 'partNotOffered' : null;
  }
  return least <= rest + amountUnderWay ? 'beingCanceled' : 'exceedsRest';
}

/** What is only authorized is let go whole. */
function releaseRefusal(authorized: Cents, wanted: Cents | null): 'wholeOnly' | 'exceedsRest' | null {
  if (wanted === null || wanted === authorized) return null;
  return wanted < authorized ? 'wholeOnly' : 'exceedsRest';
}

function refusalOfState(state: TransactionState): 'notResolved' | 'notCharged' | 'beingCaptured' | null {
  switch (state) {
    case 'charging':
    case 'unresolved':
      return 'notResolved';
    case 'declined':
    case 'voided':
      return 'notCharged';
    case 'capturing':
      return 'beingCaptured';
    case 'preauthorized':
    case 'approved':
      return null;
  }
}

/** What becomes of a cancel of what is only authorized. */
export type ReleasedResult =
  | {
      readonly kind: 'canceled';
      readonly amount: Cents;
      readonly authorizationCode: string;
      readonly moment: Instant;
    }
  /** The void is not acknowledged yet: it is sent again until it is. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'keyUsed' };

export type WantedRelease = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly createdBy: string;
  readonly request: KeyedRequest | null;
};

/** Lets a pre-authorization go; `deadlineAt` in monotonic milliseconds. */
export type Release = (wanted: WantedRelease, deadlineAt: number) => Promise<ReleasedResult>;

/**
 * The acquirer's changes report the end of a pending cancel, and it is asked for then; without them
 * it is asked for now and then.
 */
const PENDING_PAUSES_SECONDS = [60, 300, 900] as const;
const LONGEST_PENDING_PAUSE_SECONDS = 3_600;

/** The pause after so many tries (0: after the request itself). */
export function secondsUntilNextPendingTry(tries: number): number {
  return PENDING_PAUSES_SECONDS[tries] ?? LONGEST_PENDING_PAUSE_SECONDS;
}

const DAY_MILLISECONDS = 86_400_000;

/** The oldest sale that can still be canceled; `days`: the operator's window. */
export function oldestCancelableSale(now: Instant, days: number): Instant {
  return (now - days * DAY_MILLISECONDS) as Instant;
}
