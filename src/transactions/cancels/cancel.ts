import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import type { Attempt, Transaction, TransactionState } from '../transaction.ts';

/**
 * `canceling`: the acquirer is asked until it answers. `pending`: it accepted the cancel and decides later;
 * the amount stays held. The other two are final.
 */
export const CANCEL_STATES = ['canceling', 'pending', 'canceled', 'refused'] as const;
export type CancelState = (typeof CANCEL_STATES)[number];

/**
 * `accept`: the acquirer will decide. `confirm`: it gave the money back. `refuse`: it did not, perhaps after
 * it had accepted. `withdraw`: it was not asked.
 */
type CancelEvent = 'accept' | 'confirm' | 'refuse' | 'withdraw';

/** Null: the event cannot happen in that state. */
export const CANCEL_MOVES = {
  canceling: { accept: 'pending', confirm: 'canceled', refuse: 'refused', withdraw: 'refused' },
  pending: { accept: 'pending', confirm: 'canceled', refuse: 'refused', withdraw: null },
  canceled: { accept: null, confirm: null, refuse: null, withdraw: null },
  refused: { accept: null, confirm: null, refuse: null, withdraw: null },
} as const satisfies Record<CancelState, Record<CancelEvent, CancelState | null>>;

export type CancelIntent = {
  readonly merchantId: string;
  readonly cancelId: string;
  readonly transactionId: string;
  /** Null cancels all that is left. */
  readonly amount: Cents | null;
  readonly createdBy: string;
  /** Business time. */
  readonly requestedAt: Instant;
  /** Business time. Sales before it are too old. */
  readonly oldestSale: Instant;
  /** `oldestSale` of each acquirer that must find a sale to cancel it, and finds only younger ones. */
  readonly oldestAt: Readonly<Record<string, Instant>>;
  /** The acquirers that cancel only whole charges. */
  readonly wholeAt: readonly string[];
  /** The acquirers where a charge has one undecided cancel at most. */
  readonly oneAt: readonly string[];
  readonly request: KeyedRequest | null;
};

export type RecordedCancel = {
  readonly state: CancelState;
  /** The acquirer was never asked, and the request's key is free again. */
  readonly wasNeverSent: boolean;
  readonly amount: Cents;
  readonly authorizationCode: string;
  /** Business time of the acquirer's confirmation; null before it. */
  readonly canceledAt: Instant | null;
};

/** In business time, except that `decidedAt` of a refusal is real time. */
export type ListedCancel = {
  readonly cancelId: string;
  readonly amount: Cents;
  readonly state: CancelState;
  readonly requestedAt: Instant;
  /** Null until the acquirer decides. */
  readonly decidedAt: Instant | null;
};

export type TransactionWithCancels = Transaction & {
  readonly cancels: readonly ListedCancel[];
  /** Null if no capture is under way. */
  readonly capturingAmount: Cents | null;
  /** In the order in which the acquirers were asked; empty if only one was. */
  readonly attempts: readonly Attempt[];
};

/** The acquirer was asked only with `refusedByAcquirer`. */
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

export type CancelObstacle = {
  readonly state: TransactionState;
  readonly soldAt: Instant;
  readonly amount: Cents;
  /** Given back or held by cancels. */
  readonly canceledAmount: Cents;
  /** The part of `canceledAmount` that undecided cancels hold. It is freed if the acquirer refuses. */
  readonly amountUnderWay: Cents;
};

/**
 * Returns the first reason that fits. Null: another try will succeed. `beingCanceled`: it would fit if the
 * undecided cancels, which run side by side, were refused.
 */
export function cancelRefusal(
  { state, soldAt, amount, canceledAmount, amountUnderWay }: CancelObstacle,
  wanted: Pick<CancelIntent, 'amount' | 'oldestSale'> & {
    readonly mustBeWhole: boolean;
    readonly mustBeAlone: boolean;
  },
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
    if (wanted.mustBeWhole && !isWhole) return 'partNotOffered';
    return wanted.mustBeAlone && amountUnderWay > 0 ? 'beingCanceled' : null;
  }
  return least <= rest + amountUnderWay ? 'beingCanceled' : 'exceedsRest';
}

/** A pre-authorization can only be released as a whole. */
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

export type ReleasedResult =
  | {
      readonly kind: 'canceled';
      readonly amount: Cents;
      readonly authorizationCode: string;
      readonly moment: Instant;
    }
  /** The void is not acknowledged yet, and is sent again until it is. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'keyUsed' };

export type WantedRelease = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly createdBy: string;
  readonly request: KeyedRequest | null;
};

/** Releases a pre-authorization. `deadlineAt` is in monotonic milliseconds. */
export type Release = (wanted: WantedRelease, deadlineAt: number) => Promise<ReleasedResult>;

/** For acquirers that report no changes; a reported decision makes the cancel due at once. */
const PENDING_PAUSES_SECONDS = [60, 300, 900] as const;
const LONGEST_PENDING_PAUSE_SECONDS = 3_600;

/** `tries` is 0 after the request itself. */
export function secondsUntilNextPendingTry(tries: number): number {
  return PENDING_PAUSES_SECONDS[tries] ?? LONGEST_PENDING_PAUSE_SECONDS;
}

const DAY_MILLISECONDS = 86_400_000;

/** `findableDays`: for how many days an acquirer finds a sale, of those that must find it to cancel it. */
export function oldestCancelableSales(
  now: Instant,
  days: number,
  findableDays: Readonly<Record<string, number>>,
): Pick<CancelIntent, 'oldestSale' | 'oldestAt'> {
  const oldest = (of: number) => (now - Math.min(of, days) * DAY_MILLISECONDS) as Instant;
  const oldestAt = Object.entries(findableDays).map(([acquirer, of]) => [acquirer, oldest(of)]);
  return { oldestSale: oldest(days), oldestAt: Object.fromEntries(oldestAt) };
}
