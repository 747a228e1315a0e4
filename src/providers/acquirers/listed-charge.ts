import type { CardBrand } from '../../values/card-number.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import type { NamedReference } from './network-reference.ts';

export const LISTED_STATES = ['preauthorized', 'approved', 'declined', 'voided', 'canceled'] as const;

export type ListedCancellation = {
  readonly cancellationReference: string;
  readonly amount: Cents;
  readonly outcome: 'canceled' | 'pending' | 'refused';
  /** Business time. */
  readonly requestedAt: Instant;
};

export type ListedCapture = {
  readonly captureReference: string;
  readonly amount: Cents;
  /** Business time. */
  readonly capturedAt: Instant;
};

/** A charge in the acquirer's books, used to restore lost data. */
export type ListedCharge = {
  /** The provider whose list it is; absent for the default one. */
  readonly acquirer?: string;
  readonly merchantId: string;
  readonly reference: string;
  readonly merchantReference: string | null;
  /** `canceled`: the whole amount was given back. */
  readonly state: (typeof LISTED_STATES)[number];
  /** The charged amount, or the held amount of a pre-authorization. */
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
  /** Both by the acquirer's clock. */
  readonly authorizedAt: Instant;
  readonly changedAt: Instant;
  /** All are null if the charge was not approved; the last two also if the acquirer has none. */
  readonly authorizationCode: string | null;
  readonly nsu: string | null;
  readonly networkReference: NamedReference;
  readonly tid: string | null;
  readonly cancellations: readonly ListedCancellation[];
  readonly captures: readonly ListedCapture[];
};

export const MOST_LISTED_CHARGES = 100;

export type ChargesRequest = {
  /** null for all merchants. */
  readonly merchantId: string | null;
  /** By the acquirer's clock. */
  readonly since: Instant;
  /** The acquirer's; null to begin at the first page. */
  readonly cursor: string | null;
  readonly limit: number;
};

export type ChargesPage = {
  readonly kind: 'charges';
  readonly charges: readonly ListedCharge[];
  readonly cursor: string;
  /** Whether asking again at once would return more. */
  readonly hasMore: boolean;
};
