import type { VelocityEvent, Verdict } from '../antifraud/anti-fraud.ts';
import type { CardSource, CardSummary, Initiator, StoredUse } from '../cards/card.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import type { AcquirerCustomer, StoredCardReason } from '../providers/acquirers/acquirer.ts';
import type { CardBrand } from '../values/card-number.ts';
import type { Cents } from '../values/cents.ts';
import type { Instant } from '../values/instant.ts';
import type { RecordedSplit, Share, ShareTotal } from './split.ts';

/**
 * One authorization of the acquirer under one reference. `charging`: the acquirer is being asked.
 * `unresolved`: no clear answer came, and the outcome is being found, or what was pre-authorized is
 * being voided. `preauthorized`: it waits for its capture. `capturing`: the acquirer is asked for
 * that. The other three are final.
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
 * `lose`: the answer did not come, or its process died. `void`: the acquirer acknowledged the void.
 * `keep`: the acquirer says that it approved a billing (`mayBeKept`). `withdraw`: the acquirer was
 * not asked. `dismiss`: a person found that nothing of it stays.
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
 * Null means that the event cannot happen in that state. An approval that arrives once the charge
 * was given up is refused: its caller was answered "no", so the charge must go. Only a billing has
 * no caller.
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
 * `settle`: the acquirer paid. `block` and `unblock`: it holds the money back, and no longer.
 * `cancel`: nothing is left after cancels. `chargeback`: the holder took it back.
 */
export const INSTALLMENT_EVENTS = ['settle', 'block', 'unblock', 'cancel', 'chargeback'] as const;
export type InstallmentEvent = (typeof INSTALLMENT_EVENTS)[number];

/** The end of a block restores the state in which it began. */
const AS_BEFORE = 'asBefore';

/** Null means that the event cannot happen in that state. Canceled is final. */
export const INSTALLMENT_MOVES = {
  authorized: { settle: 'paid', block: 'blocked', unblock: null, cancel: 'canceled', chargeback: 'canceled' },
  paid: { settle: null, block: 'blocked', unblock: null, cancel: 'canceled', chargeback: 'canceled' },
  canceled: { settle: null, block: null, unblock: null, cancel: null, chargeback: null },
  blocked: { settle: 'paid', block: null, unblock: AS_BEFORE, cancel: 'canceled', chargeback: 'canceled' },
} as const satisfies Record<
  InstallmentState,
  Record<InstallmentEvent, InstallmentState | typeof AS_BEFORE | null>
>;

/** The states in which an installment can be blocked. */
export const STATES_BEFORE_BLOCK = ['authorized', 'paid'] as const satisfies InstallmentState[];
export type StateBeforeBlock = (typeof STATES_BEFORE_BLOCK)[number];

/** Null when it cannot happen. `before`: the state of a blocked one when it was blocked. */
export function installmentAfter(
  state: InstallmentState,
  event: InstallmentEvent,
  before: StateBeforeBlock | null,
): InstallmentState | null {
  const next = INSTALLMENT_MOVES[state][event];
  return next === AS_BEFORE ? before : next;
}

/** As merchants read them. */
export const INSTALLMENT_WORDS = {
  authorized: 'Autorizada',
  paid: 'Paga',
  canceled: 'Cancelada',
  blocked: 'Bloqueada',
} as const satisfies Record<InstallmentState, string>;

/** The word of the movement that each event makes, as merchants read it. */
export const MOVEMENT_TYPES = {
  settle: 'Pagamento',
  block: 'Bloqueio',
  unblock: 'Desbloqueio',
  cancel: 'Cancelamento',
  chargeback: 'Cancelamento',
} as const satisfies Record<InstallmentEvent, string>;

/** Of an installment, as its movements name it; the first is that of an approval. */
export const INSTALLMENT_MOVEMENTS = ['Autorizacao', ...Object.values(MOVEMENT_TYPES)] as const;
export type MovementType = (typeof INSTALLMENT_MOVEMENTS)[number];

export type Installment = {
  readonly number: number;
  readonly amount: Cents;
  /** The part that was given back; all of it when it is canceled. */
  readonly canceledAmount: Cents;
  readonly state: InstallmentState;
};

/** What a sale that is captured later has beside its transaction. All times are business time. */
export type Preauthorization = {
  readonly authorizedAmount: Cents;
  readonly authorizedAt: Instant;
  /** What is not captured by then is voided. */
  readonly captureUntil: Instant;
  /** When it was canceled, or its time was over; null: neither. */
  readonly releasedAt: Instant | null;
};

export type Transaction = {
  readonly transactionId: string;
  /** The provider that has it. */
  readonly acquirer: string;
  readonly state: TransactionState;
  /** It ended without a request to the acquirer, and the key of its request is free again. */
  readonly wasNeverSent: boolean;
  /** Of a pre-authorized sale what was authorized, and from its capture on what was captured. */
  readonly amount: Cents;
  /** Null: a sale that is captured at once. */
  readonly preauthorization: Preauthorization | null;
  readonly referenceTransaction: string | null;
  /** Business time of the sale. */
  readonly soldAt: Instant;
  readonly authorizationCode: string | null;
  readonly nsu: string | null;
  /** Business time of the approval, or of the capture; null: not approved. */
  readonly approvedAt: Instant | null;
  /** What asked for it. Of a billing's the reference is the billing's id. */
  readonly origin: Origin;
  readonly brand: CardBrand;
  readonly cardFirstSix: string;
  readonly cardLastFour: string;
  /** The issuer's response code; null: not declined. */
  readonly responseCode: string | null;
  readonly adviceCode: string | null;
  readonly installments: readonly Installment[];
  /** Cents that cancels took, or hold until they are answered. */
  readonly heldAmount: Cents;
  /** Anti-fraud's verdict before the charge; null: there was none. */
  readonly verdict: Intent['verdict'];
  /** Names of the rules behind the verdict. */
  readonly verdictReasons: readonly string[];
  readonly split: RecordedSplit | null;
  /** Of one page of beneficiaries, by installment, then by position; empty without a split. */
  readonly shares: readonly Share[];
};

/**
 * A transaction in a list: of a split only each beneficiary's total, for shares may be thousands.
 */
export type ListedTransaction = Omit<Transaction, 'shares'> & { readonly shareTotals: readonly ShareTotal[] };

/** What asks for a charge. */
export const ORIGINS = ['payment', 'billing'] as const;
export type Origin = (typeof ORIGINS)[number];

/**
 * Whether resolving keeps what the acquirer has approved. The caller of a sale was answered with an
 * error, or not at all: the sale must go. Once a void may have been sent nothing is kept, for it
 * may arrive later than the answer that says "approved".
 */
export function mayBeKept({ origin, isVoidSent }: { origin: Origin; isVoidSent: boolean }): boolean {
  return origin === 'billing' && !isVoidSent;
}

/**
 * Whether a billing's charge that the acquirer does not know is looked for a while longer: the
 * authorization may still be with the issuer, and to void it at once would take back what is
 * approved a second later, again and again.
 */
export function isLookedForOn(
  { searchedMilliseconds }: { searchedMilliseconds: number },
  searchMilliseconds: number,
): boolean {
  return searchedMilliseconds < searchMilliseconds;
}

/** A charge to be made: what the intent records, and nothing that must not be written. */
export type Intent = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly accountNumber: string;
  /** The provider that gets it, and is asked about it from then on. */
  readonly acquirer: string;
  /** A sale, or a billing of a subscription: no caller waits for the answer of that one. */
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
  /** Null, as the verdict and its reasons, for a billing: anti-fraud judges only sales. */
  readonly antiFraudCode: string | null;
  /** The code again when it is to be claimed; null where any GUID will do. */
  readonly codeToClaim: string | null;
  readonly verdict: Exclude<Verdict, 'reject'> | null;
  /** Names of the rules behind the verdict, separated by commas. */
  readonly verdictReasons: string | null;
  /** The provider of anti-fraud that was asked; null: none was. */
  readonly antiFraudProvider: string | null;
  /** What anti-fraud counts of this sale; null: nothing. */
  readonly attempt: VelocityEvent | null;
  readonly callbackUrl: string | null;
  /** The buyer as the merchant described it: JSON text. */
  readonly customer: string | null;
  /** For the acquirer alone, as are the two below: they are not written. */
  readonly softDescriptor: string | null;
  readonly storedCardReason: StoredCardReason | null;
  readonly buyer: AcquirerCustomer | null;
  readonly split: RecordedSplit | null;
  readonly createdBy: string;
  readonly soldAt: Instant;
  /** The request, when it brought a key. */
  readonly request: KeyedRequest | null;
};

/**
 * How long a process may hold a charge: the whole request and a margin, after which another
 * resolves it.
 */
export const LEASE_MARGIN_MILLISECONDS = 5_000;
/** Time kept back from the deadline of a request for committing the outcome and answering. */
export const OUTCOME_MARGIN_MILLISECONDS = 2_000;
/** Less time would only make an unknown outcome: a clear "no charge" is better. */
export const SHORTEST_USEFUL_TIMEOUT_MILLISECONDS = 250;

/**
 * The first tries follow at once, later ones more slowly, and never more than half a minute apart:
 * an unknown outcome ends within a minute while the acquirer answers. An acquirer that does not
 * answer is spared: few are asked then at all.
 */
const RESOLVE_PAUSES_SECONDS = [1, 2, 4, 8, 15] as const;
const LONGEST_RESOLVE_PAUSE_SECONDS = 30;
/**
 * While the acquirer does not answer few are asked, and the only one that waits must notice its
 * return soon too.
 */
const LONGEST_PAUSE_WHILE_AWAY_SECONDS = 15;

/** What could not be sent comes again after this pause: it asked nothing, and is no try. */
const UNSENT_PAUSE_SECONDS = 2;

/** Why something stays unresolved, and for how long it is left alone. */
export type Postponement = {
  readonly seconds: number;
  readonly reason: string;
  /** False: nothing was sent, and the try is given back. */
  readonly wasAsked?: boolean;
};

export function unsentPostponement(reason: string): Postponement {
  return { seconds: UNSENT_PAUSE_SECONDS, reason, wasAsked: false };
}

/** Its provider is away while others answer: it was not asked, and is asked about its return now and then. */
export const PROVIDER_AWAY: Postponement = {
  seconds: LONGEST_PAUSE_WHILE_AWAY_SECONDS,
  reason: 'its provider answers nothing at the moment',
  wasAsked: false,
};

/**
 * The pause after so many tries to resolve (1: after the first). Never ends: an unresolved charge
 * is never given up. `isAway`: the acquirer does not answer at all.
 */
export function secondsUntilNextResolveTry(tries: number, isAway = false): number {
  const seconds = RESOLVE_PAUSES_SECONDS[tries - 1] ?? LONGEST_RESOLVE_PAUSE_SECONDS;
  return isAway ? Math.min(seconds, LONGEST_PAUSE_WHILE_AWAY_SECONDS) : seconds;
}

/**
 * Stands for an unknown response code of a decline: known from the void alone, or from a person. No
 * brand has such a code, so that it reads as an unknown one: never tried again.
 */
export const UNKNOWN_RESPONSE_CODE = 'NONE';
