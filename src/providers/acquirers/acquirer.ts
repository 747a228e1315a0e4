import type { FeedPage, FeedRequest } from '../../platform/feeds/feed.ts';
import { CARD_BRANDS, type CardBrand } from '../../values/card-number.ts';
import { type Cents, MOST_INSTALLMENTS } from '../../values/cents.ts';
import type { Day, Instant } from '../../values/instant.ts';
import type { ChargesPage, ChargesRequest } from './listed-charge.ts';

/** A card as it travels to the acquirer: only in memory, never in a row, a log or an error. */
export type CardForAuthorization = {
  readonly number: string;
  /** Two digits each. */
  readonly expirationMonth: string;
  readonly expirationYear: string;
  readonly holderName: string;
  readonly securityCode: string | null;
  readonly brand: CardBrand;
};

/** Whether the authorization charges the card, or holds the amount until `capture`. */
export type CaptureTime = 'atOnce' | 'later';

export type AuthorizationRequest = {
  readonly merchantId: string;
  readonly capture: CaptureTime;
  /**
   * Ours, unique for ever: the transaction's id. The acquirer books at most one charge under it.
   */
  readonly reference: string;
  /** The merchant's own reference of the sale, shown in the acquirer's papers. */
  readonly merchantReference: string | null;
  readonly amount: Cents;
  readonly installments: number;
  /** Business time of the sale: from when the acquirer counts the days until it pays. */
  readonly soldAt: Instant;
  /** The holder at a shop, or the merchant on a stored card. */
  readonly initiator: 'cardholder' | 'merchant';
  /**
   * Of the first use of a stored card; null at that first use, and for a card that is not stored.
   */
  readonly networkTransactionId: string | null;
  /** Whether this is the first use of a stored card; null when it is not stored. */
  readonly storedCard: StoredCardUse | null;
  /** Why a stored card is charged; null when it is not stored. */
  readonly storedCardReason: StoredCardReason | null;
  /** What the buyer reads on the card's statement; null: whatever the acquirer writes there. */
  readonly softDescriptor: string | null;
  /** The buyer, as far as the merchant has named one; sent only to an acquirer that asks for it. */
  readonly customer: AcquirerCustomer | null;
  readonly card: CardForAuthorization;
};

export type StoredCardUse = 'first' | 'later';

/**
 * `recurring`: a billing without end. `installments`: one of a series with an end. `resubmission`:
 * a billing again, after a decline. `unscheduled`: all others.
 */
export type StoredCardReason = 'recurring' | 'installments' | 'resubmission' | 'unscheduled';

export type AcquirerCustomer = {
  readonly name: string | null;
  readonly documentNumber: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: {
    readonly street: string | null;
    readonly complement: string | null;
    readonly city: string | null;
    readonly state: string | null;
    readonly zipCode: string | null;
    readonly country: string | null;
  };
};

/**
 * A verification of zero value: is the card good? No money moves, so nothing has to be resolved or
 * voided.
 */
export type VerificationRequest = {
  readonly merchantId: string;
  /** Ours, unique for ever among the verifications. */
  readonly reference: string;
  readonly card: CardForAuthorization;
};

export type Approval = {
  readonly kind: 'approved';
  readonly authorizationCode: string;
  /** The acquirer's sequential number of the transaction. */
  readonly nsu: string;
  readonly networkTransactionId: string | null;
  /** The acquirer's own identifier of the transaction, by which its files name it; null: it names none. */
  readonly tid: string | null;
};

/** The amount is held on the card, and nothing is charged before a capture. */
export type Preauthorized = Omit<Approval, 'kind'> & { readonly kind: 'preauthorized' };

export type DeclineAnswer = {
  readonly kind: 'declined';
  /** The issuer's code, of the card's brand. */
  readonly responseCode: string;
  readonly adviceCode: string | null;
};

/**
 * No clear answer came: silence, a broken connection, garbage, another reference or amount. Never a
 * decline.
 */
export type Unknown = { readonly kind: 'unknown'; readonly reason: string };

/**
 * No connection to the acquirer: no byte of the query was sent, so nothing was asked, and nothing
 * will come of it.
 */
export type NotConnected = { readonly kind: 'notConnected'; readonly reason: string };

/**
 * No connection of ours was free: nothing was asked, as above, and nothing is known of the
 * acquirer.
 */
export type NotSent = { readonly kind: 'notSent'; readonly reason: string };

/** An approval is what was requested: `preauthorized` when it is captured later, and only then. */
export type AuthorizationAnswer = Approval | Preauthorized | DeclineAnswer | Unknown | NotConnected | NotSent;
export type VerificationAnswer = Exclude<AuthorizationAnswer, Preauthorized>;
export type FoundCharge =
  /** `amount`: cents, as the acquirer has booked it; null: it does not report it. */
  | (Approval & { readonly amount: number | null })
  | DeclineAnswer
  /** It waits for its capture: nothing is charged. */
  | { readonly kind: 'preauthorized' }
  | { readonly kind: 'voided' }
  | { readonly kind: 'notFound' }
  | Unknown
  | NotSent;
/** A request to give back an amount of a charge. */
export type CancelRequest = {
  readonly merchantId: string;
  /** Of the charge. */
  readonly reference: string;
  /** Ours, unique for ever among the cancellations; sent again it gets the booked answer again. */
  readonly cancellationReference: string;
  readonly amount: Cents;
  /** Business time. */
  readonly requestedAt: Instant;
};

/**
 * Why an acquirer gives nothing back: for good, also when the same reference is sent again.
 * `failed`: it had accepted the cancel, and could not carry it out.
 */
export const CANCEL_REFUSAL_REASONS = ['unknownCharge', 'notApproved', 'exceedsRemaining', 'failed'] as const;
export type CancelAnswer =
  | { readonly kind: 'canceled' }
  /** Accepted, and decided later: a change reports the end, and asking again returns it. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'refused'; readonly reason: (typeof CANCEL_REFUSAL_REASONS)[number] }
  | Unknown
  | NotConnected
  | NotSent;

/** A request to charge what was authorized, once; what is not captured of it is let go. */
export type CaptureRequest = {
  readonly merchantId: string;
  /** Of the charge. */
  readonly reference: string;
  /** Ours, unique for ever among the captures; sent again it gets the booked answer again. */
  readonly captureReference: string;
  readonly amount: Cents;
  /** Business time: from when the acquirer counts the days until it pays. */
  readonly capturedAt: Instant;
};

/**
 * Why an acquirer captures nothing: for good, also when the same reference is sent again.
 * `notPreauthorized`: it was captured, voided or declined. `expired`: the issuer holds it no longer.
 */
export const CAPTURE_REFUSAL_REASONS = [
  'unknownCharge',
  'notPreauthorized',
  'exceedsAuthorized',
  'expired',
] as const;
type BookedCapture =
  | { readonly kind: 'captured' }
  | { readonly kind: 'refused'; readonly reason: (typeof CAPTURE_REFUSAL_REASONS)[number] };
export type CaptureAnswer = BookedCapture | Unknown | NotConnected | NotSent;
/** `notFound` is no proof of absence: the request may still be on its way. */
export type FoundCapture = BookedCapture | { readonly kind: 'notFound' } | Unknown | NotSent;

/** `canceled`: it has cancels, so that it is not voided and never will be. */
export type VoidAnswer =
  | { readonly kind: 'voided' }
  | { readonly kind: 'declined' }
  | { readonly kind: 'canceled'; readonly reason: string }
  | Unknown
  | NotSent;

/**
 * An event of an installment: paid out, held back, released, or taken back by the card's holder.
 */
export const CHANGE_EVENTS = ['settle', 'block', 'unblock', 'chargeback'] as const;
export type ChangeEvent = (typeof CHANGE_EVENTS)[number];

export type AcquirerChange = {
  /**
   * The acquirer's, unique for ever within the merchant: a change that is reported twice has the
   * same id.
   */
  readonly changeId: string;
  readonly merchantId: string;
  /** Of the charge; need not be one of ours. */
  readonly reference: string;
  /** From 1. */
  readonly installmentNumber: number;
  readonly event: ChangeEvent;
  /**
   * Cents that this chargeback took back; null: the rest of its installment, and for all other
   * events.
   */
  readonly amount: Cents | null;
  /** Business time. */
  readonly happenedAt: Instant;
  /** Of a settlement: what the acquirer kept and paid out, and when it is at the bank; null: not reported. */
  readonly fee: Cents | null;
  readonly net: Cents | null;
  readonly bankOn: Day | null;
};

/** A cancel of ours of which the acquirer reports an end; asking again returns it. */
export type DecidedCancel = { readonly merchantId: string; readonly cancelId: string };

export type ChangesRequest = FeedRequest;

export const MOST_CHANGES = 500;

/** A page, with the cancels of which it reports the end. */
export type AcquirerPage = FeedPage<AcquirerChange> & { readonly decidedCancels: readonly DecidedCancel[] };
/** `notOffered`: this acquirer reports no changes at all. */
export type ChangesAnswer = AcquirerPage | { readonly kind: 'notOffered' } | Unknown;
export type ChargesAnswer = ChargesPage | { readonly kind: 'notOffered' } | Unknown;

/** `changed`: since the last reading. */
export type CapabilitiesAnswer =
  | { readonly kind: 'capabilities'; readonly changed: boolean; readonly capabilities: AcquirerCapabilities }
  | Unknown;

/**
 * The port to the card networks. No function throws: without a clear answer it is `unknown`. Every
 * call ends within its timeout.
 */
export type Acquirer = {
  readonly name: string;
  /** Requests a charge. Repeating a reference never books a second one. */
  authorize(request: AuthorizationRequest, timeoutMilliseconds: number): Promise<AuthorizationAnswer>;
  /** Verifies a card before it is stored. Nothing is charged. */
  verify(request: VerificationRequest, timeoutMilliseconds: number): Promise<VerificationAnswer>;
  /**
   * The void: reverses what was approved under the reference, and makes a later authorization of it
   * fail, also when the reference was never seen.
   */
  voidCharge(merchantId: string, reference: string, timeoutMilliseconds: number): Promise<VoidAnswer>;
  /**
   * Gives back an amount of an approved charge. Repeating a reference never gives it back twice.
   */
  cancel(request: CancelRequest, timeoutMilliseconds: number): Promise<CancelAnswer>;
  /** Charges what was pre-authorized. Repeating a reference never captures it twice. */
  capture(request: CaptureRequest, timeoutMilliseconds: number): Promise<CaptureAnswer>;
  /** The acquirer's record of a capture. */
  findCapture(
    request: Pick<CaptureRequest, 'merchantId' | 'captureReference' | 'amount'>,
    timeoutMilliseconds: number,
  ): Promise<FoundCapture>;
  /**
   * The acquirer's record of a reference. `notFound` is no proof of absence: an authorization may
   * still be on its way.
   */
  find(merchantId: string, reference: string, timeoutMilliseconds: number): Promise<FoundCharge>;
  /**
   * The changes of charges since the cursor, oldest first. A request changes nothing in the next
   * answer.
   */
  changesSince(request: ChangesRequest, timeoutMilliseconds: number): Promise<ChangesAnswer>;
  /** A page of all charges that were booked, captured, voided or canceled since an instant. */
  listCharges(request: ChargesRequest, timeoutMilliseconds: number): Promise<ChargesAnswer>;
  /** What it can do, as it was read last. */
  capabilities(): AcquirerCapabilities;
  /** Reads them anew; where that fails the last reading stands. */
  readCapabilities(timeoutMilliseconds: number): Promise<CapabilitiesAnswer>;
  close(): Promise<unknown>;
};

/** What the acquirer can do: what it cannot is refused before anything is written or sent. */
export type AcquirerCapabilities = {
  /** Installments of one charge, at most. */
  readonly largestInstallments: number;
  readonly brands: readonly CardBrand[];
  /** Authorizes now and captures later. */
  readonly captureLater: boolean;
  /** Gives back a part of a charge; without it only the whole. */
  readonly partialCancel: boolean;
  /** Verifies a card without charging it. */
  readonly zeroVerification: boolean;
  /** Characters of a reference of ours, at most. */
  readonly longestReference: number;
  /** For how many days it finds a charge by our reference; null: for ever. */
  readonly lookUpDays: number | null;
  /** Wants to know who buys. Personal data goes to no acquirer that does not ask for it. */
  readonly customer: boolean;
  /** Lists the charges of a time, which a restore needs. */
  readonly listCharges: boolean;
};

/** What an acquirer is taken for until it has said it. */
export const UNREAD_CAPABILITIES: AcquirerCapabilities = {
  largestInstallments: MOST_INSTALLMENTS,
  brands: CARD_BRANDS,
  captureLater: false,
  partialCancel: true,
  zeroVerification: true,
  longestReference: 64,
  lookUpDays: null,
  customer: false,
  listCharges: false,
};
