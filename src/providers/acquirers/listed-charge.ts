import type { CardBrand } from '../../values/card-number.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';

export const LISTED_STATES = ['preauthorized', 'approved', 'declined', 'voided', 'canceled'] as const;

/** A cancellation of ours in the acquirer's books. */
export type ListedCancellation = {
  readonly cancellationReference: string;
  readonly amount: Cents;
  readonly outcome: 'canceled' | 'pending' | 'refused';
  /** Business time. */
  readonly requestedAt: Instant;
};

/** A capture of ours in the acquirer's books. */
export type ListedCapture = {
  readonly captureReference: string;
  readonly amount: Cents;
  /** Business time. */
  readonly capturedAt: Instant;
};

/** A charge as the acquirer's books have it, for those who have lost theirs. */
export type ListedCharge = {
  /** The name of the provider whose list it is; absent: the default one's. */
  readonly acquirer?: string;
  readonly merchantId: string;
  readonly reference: string;
  readonly merchantReference: string | null;
  /** `canceled`: all of it was given back. */
  readonly state: (typeof LISTED_STATES)[number];
  /** What is charged; of a pre-authorization what is held. */
  readonly amount: Cents;
  readonly authorizedAmount: Cents;
  readonly canceledAmount: Cents;
  readonly installments: number;
  readonly isCapturedLater: boolean;
  readonly initiator: 'cardholder' | 'merchant';
  readonly brand: CardBrand;
  readonly firstSix: string;
  readonly lastFour: string;
  /** Business time. */
  readonly soldAt: Instant;
  /** By the acquirer's clock, both. */
  readonly authorizedAt: Instant;
  readonly changedAt: Instant;
  /** Null: it was not approved, all four; the last two also where the acquirer names none. */
  readonly authorizationCode: string | null;
  readonly nsu: string | null;
  readonly networkTransactionId: string | null;
  readonly tid: string | null;
  readonly cancellations: readonly ListedCancellation[];
  readonly captures: readonly ListedCapture[];
};

export const MOST_LISTED_CHARGES = 100;

export type ChargesRequest = {
  /** Null: of all merchants. */
  readonly merchantId: string | null;
  /** By the acquirer's clock. */
  readonly since: Instant;
  /** Of the acquirer; null: from the beginning. */
  readonly cursor: string | null;
  readonly limit: number;
};

export type ChargesPage = {
  readonly kind: 'charges';
  readonly charges: readonly ListedCharge[];
  readonly cursor: string;
  /** Whether asking again at once would bring more. */
  readonly hasMore: boolean;
};
