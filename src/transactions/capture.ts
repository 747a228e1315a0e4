import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import type { Cents } from '../values/cents.ts';
import type { Instant } from '../values/instant.ts';
import type { TransactionState } from './transaction.ts';

/** `capturing`: the acquirer is asked until it answers. After a refusal another capture may be requested. */
export const CAPTURE_STATES = ['capturing', 'captured', 'refused'] as const;
export type CaptureState = (typeof CAPTURE_STATES)[number];

/** `confirm`: the acquirer charged the amount. `refuse`: it did not. `withdraw`: it was not asked. */
type CaptureEvent = 'confirm' | 'refuse' | 'withdraw';

/** Null: the event cannot happen in that state. */
export const CAPTURE_MOVES = {
  capturing: { confirm: 'captured', refuse: 'refused', withdraw: 'refused' },
  captured: { confirm: null, refuse: null, withdraw: null },
  refused: { confirm: null, refuse: null, withdraw: null },
} as const satisfies Record<CaptureState, Record<CaptureEvent, CaptureState | null>>;

export type CaptureIntent = {
  readonly merchantId: string;
  readonly captureId: string;
  readonly transactionId: string;
  /** Null captures all of it. */
  readonly amount: Cents | null;
  readonly minimumInstallment: Cents;
  readonly createdBy: string;
  /** Business time. */
  readonly requestedAt: Instant;
  readonly request: KeyedRequest | null;
};

export type RecordedCapture = {
  readonly state: CaptureState;
  /** The acquirer was never asked, and the request's key is free again. */
  readonly wasNeverSent: boolean;
  readonly amount: Cents;
  readonly authorizationCode: string;
  /** Business time of the acquirer's confirmation; null before it. */
  readonly capturedAt: Instant | null;
};

/** The acquirer was asked only with `refusedByAcquirer`. */
export type CaptureRefusal =
  | 'notFound'
  | 'notResolved'
  | 'notCharged'
  | 'notPreauthorized'
  | 'alreadyCaptured'
  | 'beingCaptured'
  | 'timeOver'
  | 'exceedsAuthorized'
  | 'installmentTooSmall'
  | 'refusedByAcquirer';

export type CaptureObstacle = {
  readonly state: TransactionState;
  /** The captured amount, or the authorized amount until it is captured. */
  readonly amount: Cents;
  readonly installmentCount: number;
  /** Null if the sale is captured at once or has no outcome yet. */
  readonly preauthorization: { readonly authorizedAmount: Cents; readonly captureUntil: Instant } | null;
};

/**
 * Returns the first reason that fits. `captured`: captured before with the same amount, so the answer is the
 * same again. Null: another try will succeed.
 */
export function captureRefusal(
  { state, amount, installmentCount, preauthorization }: CaptureObstacle,
  wanted: Pick<CaptureIntent, 'amount' | 'minimumInstallment' | 'requestedAt'>,
): Exclude<CaptureRefusal, 'notFound' | 'refusedByAcquirer'> | 'captured' | null {
  switch (state) {
    case 'charging':
    case 'unresolved':
      return 'notResolved';
    case 'declined':
    case 'voided':
      return 'notCharged';
    case 'capturing':
      return 'beingCaptured';
    case 'approved': {
      if (preauthorization === null) return 'notPreauthorized';
      return amount === (wanted.amount ?? preauthorization.authorizedAmount) ? 'captured' : 'alreadyCaptured';
    }
    case 'preauthorized': {
      if (preauthorization === null || preauthorization.captureUntil <= wanted.requestedAt) return 'timeOver';
      const captured = wanted.amount ?? amount;
      if (captured > amount) return 'exceedsAuthorized';
      return captured < wanted.minimumInstallment * installmentCount ? 'installmentTooSmall' : null;
    }
  }
}

const DAY_MILLISECONDS = 86_400_000;

export function captureUntil(authorizedAt: Instant, days: number): Instant {
  return (authorizedAt + days * DAY_MILLISECONDS) as Instant;
}
