import type { ChangeType, Part, Taken } from '../kit/cards/installments.ts';
import type { Payout } from '../kit/cards/payout.ts';
import type {
  AuthorizationEntry,
  CancellationEntry,
  CaptureEntry,
  CardOnPaper,
  Decision,
  Entry,
} from './entries.ts';

export type ChargeStatus = 'preauthorized' | 'approved' | 'declined' | 'undone' | 'canceled';

/** A charge, or a check of a card, which is a charge of nothing. */
export type Charge = {
  readonly merchantId: string;
  readonly reference: string;
  readonly merchantReference: string | null;
  /** As it was authorized; less when less was captured. */
  amount: number;
  readonly authorizedAmount: number;
  readonly capture: AuthorizationEntry['capture'];
  readonly installments: number;
  /** What distinguishes cards on paper, see `cardMarkOf`. */
  readonly cardMark: string;
  readonly card: CardOnPaper;
  readonly initiator: AuthorizationEntry['initiator'];
  /** Cancellations and captures that were not refused at once, in their order. */
  readonly requests: (CancellationEntry | CaptureEntry)[];
  /** When it was booked, captured, undone or canceled last, in milliseconds since 1970. */
  changedAt: number;
  readonly decision: Decision;
  /** In milliseconds since 1970; `soldAt` in the merchant's time, of a pre-authorization its capture. */
  readonly at: number;
  soldAt: number;
  /** What is kept of each installment, in hundredths of a percent. */
  readonly feePortion: number;
  status: ChargeStatus;
  /** Given back, by cancellations and chargebacks. */
  canceledAmount: number;
  /** Held by cancellations that are pending. */
  pendingAmount: number;
  /** Its installments; null while nothing has happened to any of them. */
  parts: Part[] | null;
};

/**
 * Keeps what was asked of a charge after its authorization; what happened to its installments is
 * none of it.
 */
export function noteRequest(charge: Charge | undefined, entry: Entry): void {
  if (charge === undefined || entry.type === 'change' || entry.type === 'verification') return;
  const isRequest = entry.type === 'cancellation' || entry.type === 'capture';
  if (isRequest && entry.refusal !== null) return;
  if (isRequest) charge.requests.push(entry);
  charge.changedAt = entry.at;
}

export type BookedCancellation = {
  readonly reference: string;
  readonly amount: number;
  refusal: CancellationEntry['refusal'] | 'failed';
  isPending: boolean;
  /** Of the charge, after this cancellation. */
  canceledAmount: number;
};

export type BookedCapture = Pick<CaptureEntry, 'reference' | 'amount' | 'refusal'>;

/** Something that happened to a charge after it was answered. */
export type Change = {
  /** The number of its line in the ledger. */
  readonly cursor: number;
  readonly charge: Charge;
  /** Null: the charge as a whole. */
  readonly installmentNumber: number | null;
  readonly type: ChangeType | 'canceled' | 'cancellationFailed';
  /** What a cancellation or a chargeback gave back, or failed to; otherwise null. */
  readonly amount: number | null;
  readonly at: number;
  readonly cancellationReference?: string;
  /** Of a cancellation, in the merchant's time; all other changes have it in `at`. */
  readonly requestedAt?: number;
  /** What a cancellation or a chargeback took, of which installments. */
  readonly taken?: readonly Taken[];
  /** Of a settlement. */
  readonly payout?: Payout;
};
