import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import type { Cents } from '../values/cents.ts';
import type { Instant } from '../values/instant.ts';
import type { TransactionState } from './transaction.ts';

/**
 * `capturing`: the acquirer is asked until it answers. The other two are final, and after a refusal
 * another capture may be requested.
 */
export const CAPTURE_STATES = ['capturing', 'captured', 'refused'] as const;
export type CaptureState = (typeof CAPTURE_STATES)[number];

/**
 * `confirm`: the acquirer charged the amount. `refuse`: it does not. `withdraw`: it was not asked.
 */
type CaptureEvent = 'confirm' | 'refuse' | 'withdraw';

/** Null means that the event cannot happen in that state. */
export const CAPTURE_MOVES = {
  capturing: { confirm: 'captured', refuse: 'refused', withdraw: 'refused' },
  captured: { confirm: null, refuse: null, withdraw: null },
  refused: { confirm: null, refuse: null, withdraw: null },
} as const satisfies Record<CaptureState, Record<CaptureEvent, CaptureState | null>>;

/** A request to charge what was pre-authorized. */
export type CaptureIntent = {
  readonly merchantId: string;
  readonly captureId: string;
  readonly transactionId: string;
  /** Null: all of it. */
  readonly amount: Cents | null;
  /** The least that each installment must be. */
  readonly minimumInstallment: Cents;
  readonly createdBy: string;
  /** Business time. */
  readonly requestedAt: Instant;
  /** The request that asks for it, when it brought a key. */
  readonly request: KeyedRequest | null;
};

export type RecordedCapture = {
  readonly state: CaptureState;
  /** It ended without a request to the acquirer, and the key of its request is free again. */
  readonly wasNeverSent: boolean;
  readonly amount: Cents;
  /** Of the transaction. */
  readonly authorizationCode: string;
  /** Business time of the acquirer's confirmation; null before it. */
  readonly capturedAt: Instant | null;
};

/** Why nothing is captured; the acquirer was asked only with `refusedByAcquirer`. */
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

/** The state of a transaction when a capture of it could not be recorded. */
export type CaptureObstacle = {
  readonly state: TransactionState;
  /** What is authorized; once it was captured, what was. */
  readonly amount: Cents;
  readonly installmentCount: number;
  /** Null: it is captured at once, or has no outcome yet. */
  readonly preauthorization: { readonly authorizedAmount: Cents; readonly captureUntil: Instant } | null;
};

/**
 * Why a capture was not recorded, the first reason that fits. `captured`: it was captured before,
 * of the same amount, and the answer is the same again. Null: nothing prevents it now, and another
 * try will do.
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

/** Until when an authorization of this moment can be captured; `days`: the operator's setting. */
export function captureUntil(authorizedAt: Instant, days: number): Instant {
  return (authorizedAt + days * DAY_MILLISECONDS) as Instant;
}
