import type { UnclearCause } from '../../platform/channels/unclear.ts';
import type { FeedPage, FeedRequest } from '../../platform/feeds/feed.ts';
import type { CardBrand } from '../../values/card-number.ts';
import type { Cents } from '../../values/cents.ts';
import type { Day, Instant } from '../../values/instant.ts';
import type { Authentication } from './authentication.ts';
import type { LateBooking } from './late-booking.ts';
import type { ChargesPage, ChargesRequest } from './listed-charge.ts';
import type { LinkWay, NamedReference, NetworkReference } from './network-reference.ts';

/** A card on its way to the acquirer: kept in memory only, never in a row, a log or an error. */
export type CardForAuthorization = {
  readonly number: string;
  /** Two digits; the year too. */
  readonly expirationMonth: string;
  readonly expirationYear: string;
  readonly holderName: string;
  readonly securityCode: string | null;
  readonly brand: CardBrand;
};

/** `atOnce` charges the card with the authorization. `later` holds the amount until `capture`. */
export type CaptureTime = 'atOnce' | 'later';

export type AuthorizationRequest = {
  readonly merchantId: string;
  readonly capture: CaptureTime;
  /** The transaction's id, unique for ever. The acquirer books at most one charge under it. */
  readonly reference: string;
  /** The merchant's own reference of the sale, shown in the acquirer's statements and files. */
  readonly merchantReference: string | null;
  readonly amount: Cents;
  readonly installments: number;
  /** Business time; the acquirer counts the days until it pays from here. */
  readonly soldAt: Instant;
  /** The cardholder at a shop, or the merchant with a stored card. */
  readonly initiator: 'cardholder' | 'merchant';
  /** Of an earlier use of the stored card; empty at the first use, and for a card that is not stored. */
  readonly networkReference: NetworkReference;
  /** null for a card that is not stored. */
  readonly storedCard: StoredCardUse | null;
  /** null for a card that is not stored. */
  readonly storedCardReason: StoredCardReason | null;
  /** The text on the buyer's card statement; null for the acquirer's default. */
  readonly softDescriptor: string | null;
  /** As far as the merchant named the buyer. Sent only to an acquirer that asks for it. */
  readonly customer: AcquirerCustomer | null;
  /** Sent only to an acquirer that takes it. */
  readonly authentication: Authentication | null;
  readonly card: CardForAuthorization;
};

export type StoredCardUse = 'first' | 'later';

/** `recurring`: without an end. `installments`: with an end. `resubmission`: after a decline. */
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

/** Verifies a card with zero value. No money moves, so nothing has to be resolved or voided. */
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
  readonly networkReference: NamedReference;
  /** The acquirer's own identifier of the transaction, used in its files; null if it has none. */
  readonly tid: string | null;
};

/** The amount is held on the card; nothing is charged before a capture. */
export type Preauthorized = Omit<Approval, 'kind'> & { readonly kind: 'preauthorized' };

export type DeclineAnswer = {
  readonly kind: 'declined';
  /** The issuer's code; its meaning depends on the brand. */
  readonly responseCode: string;
  readonly adviceCode: string | null;
};

/** Stands for the code of an issuer that none was named for. No brand has it: it is never retried. */
export const NO_ISSUER_CODE = 'NONE';

/**
 * The acquirer has another charge under the reference: of the lost time of a restored database. An approval
 * is kept; a decline was of another card, and decides nothing.
 */
export const REFERENCE_OF_ANOTHER = 'the acquirer has another charge under this reference';

/** No clear answer: timeout, broken connection, garbage, another reference or amount. Never a decline. */
export type Unknown = {
  readonly kind: 'unknown';
  readonly reason: string;
  /** By default `silent`. */
  readonly cause?: UnclearCause;
  /** Made by `forPerson`: it ends by a person alone. */
  readonly isForPerson?: boolean;
};

/** No connection to the acquirer: no byte of the request was sent, so it can have no effect. */
export type NotConnected = Pick<Unknown, 'reason' | 'cause'> & { readonly kind: 'notConnected' };

/** The acquirer refused the request by a code that proves that it charged nothing. No issuer said no. */
export type NotMade = { readonly kind: 'notMade'; readonly reason: string };

/** We had no free connection or no time left: nothing was sent, and this says nothing about the acquirer. */
export type NotSent = {
  readonly kind: 'notSent';
  readonly reason: string;
  /** The cause of a look-up that came before it; absent: nothing was asked. */
  readonly cause?: UnclearCause;
  readonly isForPerson?: boolean;
};

/** `preauthorized` is the approval of a later capture, `approved` that of an immediate one. */
export type AuthorizationAnswer =
  | Approval
  | Preauthorized
  | DeclineAnswer
  | Unknown
  | NotConnected
  | NotMade
  | NotSent;
export type VerificationAnswer = Exclude<AuthorizationAnswer, Preauthorized | NotMade>;
export type FoundCharge =
  /**
   * `amount`: cents, as booked by the acquirer; null if it does not report it. `hasTwins`: it booked the
   * reference more than once, and others are live too.
   */
  | (Approval & { readonly amount: number | null; readonly hasTwins?: boolean })
  | DeclineAnswer
  /** Waits for its capture; nothing is charged. */
  | { readonly kind: 'preauthorized' }
  | { readonly kind: 'voided' }
  | { readonly kind: 'notFound' }
  /** `isGivenBack`: it was a sale, and the whole of it was given back. */
  | (Unknown & { readonly isGivenBack?: boolean })
  | NotSent;
export type CancelRequest = {
  readonly merchantId: string;
  /** The reference of the charge. */
  readonly reference: string;
  /** Ours, unique for ever among the cancellations. Sent again, it gets the booked answer again. */
  readonly cancellationReference: string;
  readonly amount: Cents;
  /** Business time. */
  readonly requestedAt: Instant;
  readonly history: CancelHistory;
  /**
   * Commits that it is sent now: called right before each request where no reference of a cancel is known.
   * False: another process may have it, and nothing must be sent.
   */
  readonly markSent: () => Promise<boolean>;
};

/** What tells a cancel from others where the acquirer knows no reference of it. */
export type CancelHistory = {
  /** The acquirer's identifier of the charge; null if its approval named none. */
  readonly tid: string | null;
  /** What other cancels of the charge gave back, each of them decided. */
  readonly givenBack: Cents;
  /** Real milliseconds since this one was marked as sent for the last time; null if it never was. */
  readonly sinceLastSend: number | null;
  /** It was answered `pending`. */
  readonly isAccepted: boolean;
  /** The acquirer's own identifier of it, if that answer named one. */
  readonly refundId: string | null;
  /** A clear no was heard, and it is looked for alone: `notFound` says that it is not booked. */
  readonly isDenied: boolean;
};

/** Final: the same reference gets the same answer. `failed`: an accepted cancel that could not be done. */
export const CANCEL_REFUSAL_REASONS = ['unknownCharge', 'notApproved', 'exceedsRemaining', 'failed'] as const;
export type CancelAnswer =
  | { readonly kind: 'canceled' }
  /** Accepted: a change reports the end, and so does a repetition. `overdue`: why a person should look. */
  | { readonly kind: 'pending'; readonly refundId?: string | null; readonly overdue?: string | null }
  /** Final: said by what the acquirer knows of this reference, or shows. */
  | { readonly kind: 'refused'; readonly reason: (typeof CANCEL_REFUSAL_REASONS)[number] }
  | Denied
  | NotBooked
  | Unknown
  | NotConnected
  | NotSent;

/** Nothing was sent, only looked for: it is not booked now. */
export type NotBooked = { readonly kind: 'notFound'; readonly reason: string };

/**
 * A no of the acquirer. `unlessEarlier`: what an earlier request came to, heard or not, would explain it.
 * `doubtful`: it contradicts what a look-up shows.
 */
export type Denial = {
  readonly proof: 'clear' | 'unlessEarlier' | 'doubtful';
  /** The port's word for it; null: it has none. */
  readonly refusal: string | null;
};

/**
 * A no to the request that was sent just now: one sent before may yet be booked. `reason` has its code.
 * `isUnseen`: what it came to could not be looked up; false: a look-up behind it does not show it as done.
 */
export type Denied = Denial & {
  readonly kind: 'denied';
  readonly reason: string;
  readonly isUnseen?: boolean;
};

/** Asks to capture a pre-authorization, once. The rest of the held amount is released. */
export type CaptureRequest = {
  readonly merchantId: string;
  /** The reference of the charge. */
  readonly reference: string;
  /** Ours, unique for ever among the captures. Sent again, it gets the booked answer again. */
  readonly captureReference: string;
  readonly amount: Cents;
  /** Business time; the acquirer counts the days until it pays from here. */
  readonly capturedAt: Instant;
  /** The acquirer's identifier of the charge; null if its approval named none. */
  readonly tid: string | null;
  /** As in a `CancelRequest`. */
  readonly markSent: CancelRequest['markSent'];
};

/** Final. `notPreauthorized`: captured, voided or declined. `expired`: the issuer holds it no longer. */
export const CAPTURE_REFUSAL_REASONS = [
  'unknownCharge',
  'notPreauthorized',
  'exceedsAuthorized',
  'expired',
] as const;
type BookedCapture =
  | { readonly kind: 'captured' }
  | { readonly kind: 'refused'; readonly reason: (typeof CAPTURE_REFUSAL_REASONS)[number] };
export type CaptureAnswer = BookedCapture | Denied | Unknown | NotConnected | NotSent;
/** `notFound` does not prove absence: the request may still be on its way. */
export type FoundCapture = BookedCapture | { readonly kind: 'notFound' } | Unknown | NotSent;

/**
 * `canceled`: the charge has cancels, so it is not voided and never will be. `notFound`: only where a void is
 * no tombstone: nothing is there to void, and the authorization may still be on its way.
 */
export type VoidAnswer =
  /** `charges`: how many this void reversed, where one reference may have several. */
  | { readonly kind: 'voided'; readonly charges?: number }
  | { readonly kind: 'notFound'; readonly reason: string }
  | { readonly kind: 'declined' }
  | { readonly kind: 'canceled'; readonly reason: string }
  /**
   * `wasLive`: its own look-up showed something live. `ofHold`: what it saw held stands: by a no, by one for
   * lateness, or in doubt. `promise`: it was accepted, and shows the charge as live until it is done;
   * `ofEarlier`: a no that an accepted one would explain.
   */
  | (Unknown & {
      readonly wasLive?: boolean;
      readonly ofHold?: 'refused' | 'late' | 'unclear';
      readonly promise?: 'made' | 'ofEarlier';
    })
  | (NotSent & { readonly wasLive?: boolean });

/** An event of an installment: paid out, held back, released, or charged back by the cardholder. */
export const CHANGE_EVENTS = ['settle', 'block', 'unblock', 'chargeback'] as const;
export type ChangeEvent = (typeof CHANGE_EVENTS)[number];

export type AcquirerChange = {
  /** The acquirer's id, unique for ever within the merchant, also if a change is reported twice. */
  readonly changeId: string;
  readonly merchantId: string;
  /** That of the charge, which need not be one of ours. */
  readonly reference: string;
  /** From 1. */
  readonly installmentNumber: number;
  readonly event: ChangeEvent;
  /** Cents taken back by a chargeback; null for the rest of the installment, and for all other events. */
  readonly amount: Cents | null;
  /** Business time. */
  readonly happenedAt: Instant;
  /** Of a settlement: kept and paid amounts, and the day of the credit at the bank. null if not reported. */
  readonly fee: Cents | null;
  readonly net: Cents | null;
  readonly bankOn: Day | null;
};

/** A cancel of ours whose result the acquirer reports; repeating the request returns the result. */
export type DecidedCancel = { readonly merchantId: string; readonly cancelId: string };

export type ChangesRequest = FeedRequest;

export const MOST_CHANGES = 500;

/** `decidedCancels`: those whose result the page reports. */
export type AcquirerPage = FeedPage<AcquirerChange> & { readonly decidedCancels: readonly DecidedCancel[] };
/** `notOffered`: this acquirer reports no changes at all. */
export type ChangesAnswer = AcquirerPage | { readonly kind: 'notOffered' } | Unknown;
export type ChargesAnswer = ChargesPage | { readonly kind: 'notOffered' } | Unknown;

/** `changed`: since the last reading. */
export type CapabilitiesAnswer =
  | { readonly kind: 'capabilities'; readonly changed: boolean; readonly capabilities: AcquirerCapabilities }
  | Unknown;

/** How an acquirer books, as far as it matters for charging and giving back exactly once. */
export type AcquirerTraits = {
  /** null: a void is a tombstone, and no authorization under its reference succeeds after it. */
  readonly lateBooking: LateBooking | null;
  /**
   * False: it knows no reference of a cancel. The cancels of a charge are then asked for one after the other,
   * and told apart by the sum that it gave back.
   */
  readonly knowsCancels: boolean;
  /** Which of a stored card's network ids is sent: that of its first use, or that of its latest. */
  readonly networkId: 'first' | 'latest';
  /** How Mastercard's link goes with a charge that the merchant begins. */
  readonly link: LinkWay;
  /** The brands that it authorizes for a later capture. */
  readonly heldBrands: readonly CardBrand[];
};

/** The port to the card networks. Never throws: an unclear answer is `unknown`. Ends within the timeout. */
export type Acquirer = {
  readonly name: string;
  readonly traits: AcquirerTraits;
  /** Repeating a reference never books a second charge. */
  authorize(request: AuthorizationRequest, timeoutMilliseconds: number): Promise<AuthorizationAnswer>;
  /** Verifies a card before it is stored. Nothing is charged. */
  verify(request: VerificationRequest, timeoutMilliseconds: number): Promise<VerificationAnswer>;
  /** Reverses a charge. A later authorization under the reference fails, even if it was never seen. */
  voidCharge(merchantId: string, reference: string, timeoutMilliseconds: number): Promise<VoidAnswer>;
  /** Reverses all charges under the reference but the one with that `tid`. */
  voidTwins(
    merchantId: string,
    reference: string,
    tid: string,
    timeoutMilliseconds: number,
  ): Promise<VoidAnswer>;
  /** Gives back an amount of an approved charge. Repeating a reference never gives it back twice. */
  cancel(request: CancelRequest, timeoutMilliseconds: number): Promise<CancelAnswer>;
  /** Captures a pre-authorization. Repeating a reference never captures it twice. */
  capture(request: CaptureRequest, timeoutMilliseconds: number): Promise<CaptureAnswer>;
  findCapture(
    request: Omit<CaptureRequest, 'capturedAt' | 'markSent'>,
    timeoutMilliseconds: number,
  ): Promise<FoundCapture>;
  /** `notFound` does not prove absence: an authorization may still be on its way. */
  find(merchantId: string, reference: string, timeoutMilliseconds: number): Promise<FoundCharge>;
  /** The changes of charges since the cursor, oldest first. Asking does not change the next answer. */
  changesSince(request: ChangesRequest, timeoutMilliseconds: number): Promise<ChangesAnswer>;
  /** A page of all charges that were booked, captured, voided or canceled since an instant. */
  listCharges(request: ChargesRequest, timeoutMilliseconds: number): Promise<ChargesAnswer>;
  /** As last read. */
  capabilities(): AcquirerCapabilities;
  /** Reads the capabilities again; if that fails, the last reading stands. */
  readCapabilities(timeoutMilliseconds: number): Promise<CapabilitiesAnswer>;
  close(): Promise<unknown>;
};

/** A request that exceeds the capabilities is refused before anything is written or sent. */
export type AcquirerCapabilities = {
  /** At most, of one charge. */
  readonly largestInstallments: number;
  readonly brands: readonly CardBrand[];
  readonly captureLater: boolean;
  /** Without it only whole charges can be canceled. */
  readonly partialCancel: boolean;
  readonly zeroVerification: boolean;
  /** Whether it takes an authentication that was made elsewhere. */
  readonly threeDSecure: boolean;
  /** At most, in characters. */
  readonly longestReference: number;
  /** For how many days the acquirer finds a charge by our reference; null for ever. */
  readonly lookUpDays: number | null;
  /** Whether the acquirer asks for the buyer. Personal data goes to no acquirer that does not ask for it. */
  readonly customer: boolean;
  /** Needed to restore after a loss of data. */
  readonly listCharges: boolean;
};
