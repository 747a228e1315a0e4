import type { VelocityEvent, Verdict } from '../antifraud/anti-fraud.ts';
import type { CardSource, CardSummary, Initiator, StoredUse } from '../cards/card.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import {
  type AcquirerCustomer,
  NO_ISSUER_CODE,
  type StoredCardReason,
} from '../providers/acquirers/acquirer.ts';
import type { Authentication, AuthenticationSummary } from '../providers/acquirers/authentication.ts';
import type { LateBooking } from '../providers/acquirers/late-booking.ts';
import type { CardBrand } from '../values/card-number.ts';
import type { Cents } from '../values/cents.ts';
import type { Instant } from '../values/instant.ts';
import type { RecordedSplit, Share, ShareTotal } from './split.ts';

/**
 * One authorization of the acquirer under one reference. `charging`: the acquirer is being asked.
 * `unresolved`: no clear answer came and the outcome is being found, or a pre-authorization is being voided.
 * `preauthorized`: waits for its capture. `capturing`: the acquirer is asked for it. The other three are
 * final.
 */
export const TRANSACTION_STATES = [
  'charging',
  'unresolved',
  'preauthorized',
  'capturing',
  'approved',
  'declined',
  'voided',
] as const;
export type TransactionState = (typeof TRANSACTION_STATES)[number];

export const TRANSACTION_EVENTS = [
  'approve',
  'decline',
  'lose',
  'void',
  'keep',
  'withdraw',
  'dismiss',
  'preauthorize',
  'startCapture',
  'capture',
  'failCapture',
  'release',
] as const;
/**
 * `lose`: the answer did not come, or its process died. `void`: the acquirer acknowledged the void. `keep`:
 * the acquirer approved a billing (`mayBeKept`). `withdraw`: the acquirer was not asked. `dismiss`: a person
 * found that nothing of it remains.
 */
export type TransactionEvent = (typeof TRANSACTION_EVENTS)[number];

const NEVER = {
  approve: null,
  decline: null,
  lose: null,
  void: null,
  keep: null,
  withdraw: null,
  dismiss: null,
  preauthorize: null,
  startCapture: null,
  capture: null,
  failCapture: null,
  release: null,
} as const;

/**
 * Null: the event cannot happen in that state. An approval after the charge was given up is refused: its
 * caller was answered "no", so the charge must be voided. Only a billing has no caller.
 */
export const TRANSACTION_MOVES = {
  charging: {
    ...NEVER,
    approve: 'approved',
    decline: 'declined',
    lose: 'unresolved',
    withdraw: 'voided',
    dismiss: 'voided',
    preauthorize: 'preauthorized',
  },
  unresolved: {
    ...NEVER,
    decline: 'declined',
    lose: 'unresolved',
    void: 'voided',
    keep: 'approved',
    dismiss: 'voided',
  },
  preauthorized: { ...NEVER, startCapture: 'capturing', release: 'unresolved' },
  capturing: { ...NEVER, capture: 'approved', failCapture: 'preauthorized' },
  approved: NEVER,
  declined: NEVER,
  voided: NEVER,
} as const satisfies Record<TransactionState, Record<TransactionEvent, TransactionState | null>>;

export const INSTALLMENT_STATES = ['authorized', 'paid', 'canceled', 'blocked'] as const;
export type InstallmentState = (typeof INSTALLMENT_STATES)[number];

/**
 * `settle`: the acquirer paid. `block`, `unblock`: it holds the money back, or no longer. `cancel`: nothing
 * is left after cancels. `chargeback`: the card holder took it back.
 */
export const INSTALLMENT_EVENTS = ['settle', 'block', 'unblock', 'cancel', 'chargeback'] as const;
export type InstallmentEvent = (typeof INSTALLMENT_EVENTS)[number];

/** The end of a block restores the state before it. */
const AS_BEFORE = 'asBefore';

/** Null: the event cannot happen in that state. `canceled` is final. */
export const INSTALLMENT_MOVES = {
  authorized: { settle: 'paid', block: 'blocked', unblock: null, cancel: 'canceled', chargeback: 'canceled' },
  paid: { settle: null, block: 'blocked', unblock: null, cancel: 'canceled', chargeback: 'canceled' },
  canceled: { settle: null, block: null, unblock: null, cancel: null, chargeback: null },
  blocked: { settle: 'paid', block: null, unblock: AS_BEFORE, cancel: 'canceled', chargeback: 'canceled' },
} as const satisfies Record<
  InstallmentState,
  Record<InstallmentEvent, InstallmentState | typeof AS_BEFORE | null>
>;

export const STATES_BEFORE_BLOCK = ['authorized', 'paid'] as const satisfies InstallmentState[];
export type StateBeforeBlock = (typeof STATES_BEFORE_BLOCK)[number];

/** Null if the event cannot happen. `before` is the state before the block. */
export function installmentAfter(
  state: InstallmentState,
  event: InstallmentEvent,
  before: StateBeforeBlock | null,
): InstallmentState | null {
  const next = INSTALLMENT_MOVES[state][event];
  return next === AS_BEFORE ? before : next;
}

export const INSTALLMENT_WORDS = {
  authorized: 'Autorizada',
  paid: 'Paga',
  canceled: 'Cancelada',
  blocked: 'Bloqueada',
} as const satisfies Record<InstallmentState, string>;

/** The type of the movement that each event makes, for merchants. */
export const MOVEMENT_TYPES = {
  settle: 'Pagamento',
  block: 'Bloqueio',
  unblock: 'Desbloqueio',
  cancel: 'Cancelamento',
  chargeback: 'Cancelamento',
} as const satisfies Record<InstallmentEvent, string>;

/** The first is the movement of an approval. */
export const INSTALLMENT_MOVEMENTS = ['Autorizacao', ...Object.values(MOVEMENT_TYPES)] as const;
export type MovementType = (typeof INSTALLMENT_MOVEMENTS)[number];

export type Installment = {
  readonly number: number;
  readonly amount: Cents;
  /** The part that was given back; the whole amount if canceled. */
  readonly canceledAmount: Cents;
  readonly state: InstallmentState;
};

/** What only a sale has that is captured later. All times are business time. */
export type Preauthorization = {
  readonly authorizedAmount: Cents;
  readonly authorizedAt: Instant;
  /** After this moment the pre-authorization is voided. */
  readonly captureUntil: Instant;
  /** When it was canceled or expired; null if neither. */
  readonly releasedAt: Instant | null;
};

export type Transaction = {
  readonly transactionId: string;
  readonly acquirer: string;
  readonly state: TransactionState;
  /** The acquirer was never asked, and the request's key is free again. */
  readonly wasNeverSent: boolean;
  /** The captured amount, or the authorized amount until it is captured. */
  readonly amount: Cents;
  /** Null if the sale is captured at once. */
  readonly preauthorization: Preauthorization | null;
  readonly referenceTransaction: string | null;
  /** Business time of the sale. */
  readonly soldAt: Instant;
  readonly authorizationCode: string | null;
  readonly nsu: string | null;
  /** Business time of the approval or of the capture; null if not approved. */
  readonly approvedAt: Instant | null;
  /** `billing`: `referenceTransaction` is the billing's id. */
  readonly origin: Origin;
  readonly brand: CardBrand;
  readonly cardFirstSix: string;
  readonly cardLastFour: string;
  /** The issuer's; null if not declined. */
  readonly responseCode: string | null;
  readonly adviceCode: string | null;
  readonly installments: readonly Installment[];
  /** Given back by cancels, or held by them until they are answered. */
  readonly heldAmount: Cents;
  /** Given before the charge; null if anti-fraud gave none. */
  readonly verdict: Intent['verdict'];
  readonly verdictReasons: readonly string[];
  /** Null: the sale came without an authentication (3-D Secure). */
  readonly authentication: AuthenticationSummary | null;
  readonly split: RecordedSplit | null;
  /** One page of beneficiaries, by installment, then by position; empty without a split. */
  readonly shares: readonly Share[];
};

/** Has only each beneficiary's total, because the shares may be thousands. */
export type ListedTransaction = Omit<Transaction, 'shares'> & { readonly shareTotals: readonly ShareTotal[] };

export const ORIGINS = ['payment', 'billing'] as const;
export type Origin = (typeof ORIGINS)[number];

/**
 * The caller of a payment was answered with an error, or not at all, so its charge must be voided. Once a
 * void may have been sent nothing is kept: the void may arrive after the answer that says "approved".
 */
export function mayBeKept({ origin, isVoidSent }: { origin: Origin; isVoidSent: boolean }): boolean {
  return origin === 'billing' && !isVoidSent;
}

/**
 * The acquirer does not know the billing's charge, but the authorization may still be with the issuer. To
 * void it at once would take back what is approved a second later, again and again.
 */
export function isLookedForOn(
  { searchedMilliseconds }: { searchedMilliseconds: number },
  searchMilliseconds: number,
): boolean {
  return searchedMilliseconds < searchMilliseconds;
}

/**
 * Milliseconds until it is certain that nothing of a charge is live, where a void is no tombstone: the
 * acquirer's horizon is over, and nothing live was seen for a while. 0: it is certain now.
 */
export function millisecondsUntilGone(
  { horizon, apart }: Pick<LateBooking, 'horizon' | 'apart'>,
  {
    searchedMilliseconds,
    clearMilliseconds,
  }: {
    /** Since the request's connection was closed, or later. */
    readonly searchedMilliseconds: number;
    /** Since the first of the latest look-ups in a row that saw nothing live. */
    readonly clearMilliseconds: number;
  },
): number {
  return Math.max(0, horizon - searchedMilliseconds, apart - clearMilliseconds);
}

/** What is known of a charge before its acquirer is asked. Holds no card number and no security code. */
export type Intent = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly accountNumber: string;
  readonly acquirer: string;
  /** No caller waits for the answer of a billing. */
  readonly origin: Origin;
  readonly amount: Cents;
  readonly installmentCount: number;
  readonly referenceTransaction: string | null;
  readonly trace: CardSummary;
  /** What the charge uses up; null for a stored card. */
  readonly cardSource: CardSource | null;
  /** Null for a token or an encrypted card. */
  readonly stored: StoredUse | null;
  readonly initiator: Initiator;
  /** Null for a billing, as are verdict and reasons: anti-fraud judges only payments. */
  readonly antiFraudCode: string | null;
  /** The code if it is to be claimed; null where any GUID is accepted. */
  readonly codeToClaim: string | null;
  readonly verdict: Exclude<Verdict, 'reject'> | null;
  /** Separated by commas. */
  readonly verdictReasons: string | null;
  readonly antiFraudProvider: string | null;
  /** What anti-fraud counts of this sale; null: nothing. */
  readonly attempt: VelocityEvent | null;
  readonly callbackUrl: string | null;
  /** JSON text of the buyer, as the merchant described it. */
  readonly customer: string | null;
  /** `softDescriptor`, `storedCardReason` and `buyer` are for the acquirer only, and are not written. */
  readonly softDescriptor: string | null;
  readonly storedCardReason: StoredCardReason | null;
  readonly buyer: AcquirerCustomer | null;
  /** Only its summary is written. Null: the sale came without one. */
  readonly authentication: Authentication | null;
  readonly split: RecordedSplit | null;
  readonly createdBy: string;
  readonly soldAt: Instant;
  readonly request: KeyedRequest | null;
};

/** Added to the request's time: how long a process may hold a charge before another resolves it. */
export const LEASE_MARGIN_MILLISECONDS = 5_000;
/** Reserved before a request's deadline for committing the outcome and answering. */
export const OUTCOME_MARGIN_MILLISECONDS = 2_000;
/** With less time the outcome would probably be unknown; a clear "not charged" is better. */
export const SHORTEST_USEFUL_TIMEOUT_MILLISECONDS = 250;

/**
 * First tries follow quickly, so an unknown outcome ends within a minute if the acquirer answers. If it does
 * not, it is asked about a few charges only.
 */
const RESOLVE_PAUSES_SECONDS = [1, 2, 4, 8, 15] as const;
const LONGEST_RESOLVE_PAUSE_SECONDS = 30;
/** An acquirer that is away is asked about a few rows only: even a single one must detect its return soon. */
const LONGEST_PAUSE_WHILE_AWAY_SECONDS = 15;

/** After this pause a row is asked about even if the process that noticed the provider's return has died. */
const LONGEST_UNASKED_PAUSE_SECONDS = 300;

/** An unsent try asked nothing and does not count. */
const UNSENT_PAUSE_SECONDS = 2;

export type Postponement = {
  readonly seconds: number;
  readonly reason: string;
  /** False: nothing was sent, and the try does not count. */
  readonly wasAsked?: boolean;
  /** Milliseconds until the end comes by itself: until then nobody need look. 0: a person must look. */
  readonly left?: number;
};

export function unsentPostponement(reason: string): Postponement {
  return { seconds: UNSENT_PAUSE_SECONDS, reason, wasAsked: false };
}

/**
 * How long a row waits whose provider is away while others answer: half the time that the provider is away. A
 * short outage costs little time, and in a long one few rows are read and put off again.
 */
export function secondsToWait(awaySeconds: number, longest: number): number {
  return Math.min(longest, Math.max(LONGEST_PAUSE_WHILE_AWAY_SECONDS, Math.round(awaySeconds / 2)));
}

/**
 * For a row that was not asked about, because its provider is away while others answer. The few rows that are
 * asked about come again soon, and pull these forward when the provider is back.
 */
export function awayPostponement(awaySeconds: number): Postponement {
  return {
    seconds: secondsToWait(awaySeconds, LONGEST_UNASKED_PAUSE_SECONDS),
    reason: 'its provider answers nothing at the moment',
    wasAsked: false,
  };
}

const LONGEST_PAUSE_UNTIL_GONE_SECONDS = 60;
export const NOTHING_LIVE = 'nothing of it is live, and the acquirer may still book it';

export function untilGonePostponement(milliseconds: number): Postponement {
  const seconds = Math.min(LONGEST_PAUSE_UNTIL_GONE_SECONDS, Math.max(1, Math.ceil(milliseconds / 1_000)));
  return { seconds, reason: NOTHING_LIVE };
}

/**
 * The pause after so many tries to resolve (1: after the first). Tries never end, because an unresolved
 * charge is never given up. `isAway`: the acquirer does not answer at all.
 */
export function secondsUntilNextResolveTry(tries: number, isAway = false): number {
  const seconds = RESOLVE_PAUSES_SECONDS[tries - 1] ?? LONGEST_RESOLVE_PAUSE_SECONDS;
  return isAway ? Math.min(seconds, LONGEST_PAUSE_WHILE_AWAY_SECONDS) : seconds;
}

const LOOK_PAUSES_SECONDS = [...RESOLVE_PAUSES_SECONDS, 30, 30, 60, 300, 900] as const;
const LONGEST_LOOK_PAUSE_SECONDS = 3_600;

/** For an end that may take days, and that asking brings no nearer. `left`: milliseconds until it comes. */
export function secondsUntilNextLook(tries: number, left = Number.POSITIVE_INFINITY): number {
  const seconds = LOOK_PAUSES_SECONDS[tries - 1] ?? LONGEST_LOOK_PAUSE_SECONDS;
  return Math.min(seconds, Math.max(1, Math.ceil(left / 1_000)));
}

/** Looks come ever more rarely, but only once the same was said again: an outage also makes many tries. */
export function secondsUntilNextDoubt(tries: number, isSaidAgain: boolean): number {
  return isSaidAgain ? secondsUntilNextLook(tries) : secondsUntilNextResolveTry(tries);
}

/** Stands for the code of a decline that only a void or a person reported. */
export const UNKNOWN_RESPONSE_CODE = NO_ISSUER_CODE;

/** A payment asks at most two acquirers. The second is asked only if the first surely did not charge it. */
export type Attempt = {
  readonly transactionId: string;
  readonly acquirer: string;
  /** Why the attempt surely charged nothing; null: its state says what became of it. */
  readonly notSentReason: string | null;
};

export const REQUEST_REFUSED = 'not sent: request refused: ';

/** `requestRefused`: the acquirer answered by a code that proves that nothing was charged. */
export function notChargedOf({ notSentReason }: Attempt): 'notConnected' | 'requestRefused' | null {
  if (notSentReason === null) return null;
  return notSentReason.startsWith(REQUEST_REFUSED) ? 'requestRefused' : 'notConnected';
}
