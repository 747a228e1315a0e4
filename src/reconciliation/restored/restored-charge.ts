import type { ListedCharge } from '../../providers/acquirers/listed-charge.ts';
import type { BillingState } from '../../recurrence/billings/billing.ts';
import type { RecordedSplit } from '../../transactions/split.ts';
import type { Origin, TransactionState } from '../../transactions/transaction.ts';
import type { Cents } from '../../values/cents.ts';
import { isUuid } from '../../values/ids.ts';
import type { Instant } from '../../values/instant.ts';

/** `undecided`: waits for a person. `unfinished`: a service adds the rest later. */
export const RESTORED_DECISIONS = ['filled', 'voided', 'undecided', 'unfinished'] as const;
export type RestoredDecision = (typeof RESTORED_DECISIONS)[number];

export type Books = {
  /** Account numbers; null: the merchant does not exist. */
  readonly accounts: readonly string[] | null;
  readonly transaction: KnownTransaction | null;
  /** The billing that the charge's reference names. */
  readonly billing: {
    readonly billingId: string;
    readonly state: BillingState;
    readonly amount: Cents;
    readonly isCharging: boolean;
    /** This charge is the billing's, and has not ended it yet. */
    readonly isChargingThis: boolean;
  } | null;
  readonly decision: RestoredDecision | null;
};

export type KnownTransaction = {
  readonly state: TransactionState;
  readonly origin: Origin;
  readonly fence: number;
  /** The captured amount; until the capture, the authorized amount. */
  readonly amount: Cents;
  readonly installmentCount: number;
  readonly split: RecordedSplit | null;
  readonly cancelIds: readonly string[];
  readonly captureIds: readonly string[];
};

/** By the acquirer's clock. */
export type EndOfLost = {
  readonly lastSaleAt: Instant | null;
  /** Said by the operator. */
  readonly stoppedAt: Instant | null;
};

/**
 * `mayBeUnanswered`: so late that the merchant may have got no answer, or an error. `endedThere`: charged
 * here, voided or declined there; `liveThere`: the reverse. `billing`: cannot take it, or may be lost.
 * `account`: the merchant has several. `amountDiffers`: amount or installments are not as requested.
 * `notWritten`: not completely in the books.
 */
export const UNDECIDED_REASONS = [
  'mayBeUnanswered',
  'endedThere',
  'liveThere',
  'billing',
  'account',
  'unknownMerchant',
  'amountDiffers',
  'notWritten',
] as const;
export type UndecidedReason = (typeof UNDECIDED_REASONS)[number];

export type FillReason = 'payment' | 'underWay' | 'billing' | 'requests' | 'release';

/**
 * `ended`: no money remains. `leftToServices`: they resolve it. `follow`: they resolve it, and later requests
 * are then missing. `notOurs`: not a reference of ours.
 */
export type Verdict =
  | { readonly kind: 'inBooks' | 'ended' | 'leftToServices' | 'follow' | 'notOurs' }
  | { readonly kind: 'fill'; readonly reason: FillReason }
  | { readonly kind: 'void'; readonly reason: 'neverAnswered' }
  | { readonly kind: 'decide'; readonly reason: UndecidedReason };

/** Services resolve an unknown outcome within a minute. Doubled for clock differences. */
export const SETTLED_AFTER_MILLISECONDS = 120_000;
export const CLOCKS_MILLISECONDS = 5_000;

const IN_BOOKS: Verdict = { kind: 'inBooks' };
const ENDED: Verdict = { kind: 'ended' };
const LEFT: Verdict = { kind: 'leftToServices' };
const FOLLOW: Verdict = { kind: 'follow' };

export function judgeCharge(charge: ListedCharge, books: Books, end: EndOfLost): Verdict {
  if (books.decision === 'undecided' || books.decision === 'voided') return IN_BOOKS;
  if (books.transaction !== null)
    return judgeKnown(charge, { ...books, transaction: books.transaction }, end);
  if (!hasMoney(charge)) return ENDED;
  if (books.accounts === null) return decide('unknownMerchant');
  if (books.billing !== null && charge.initiator === 'merchant') return judgeOfBilling(charge, books.billing);
  if (isMaybeOfLostBilling(charge)) return decide('billing');
  if (isNeverAnswered(charge, end)) return { kind: 'void', reason: 'neverAnswered' };
  if (isOtherAmount(charge, null)) return decide('amountDiffers');
  if (books.accounts.length !== 1) return decide('account');
  return wasAnswered(charge, end) ? fill('payment') : decide('mayBeUnanswered');
}

/** True even if all was refunded. */
function hasMoney({ state }: ListedCharge): boolean {
  return state === 'approved' || state === 'preauthorized' || state === 'canceled';
}

type KnownBooks = Books & { readonly transaction: KnownTransaction };

function judgeKnown(charge: ListedCharge, books: KnownBooks, end: EndOfLost): Verdict {
  const { transaction: known } = books;
  if (endsBilling(charge, books)) return fill('billing');
  switch (known.state) {
    case 'unresolved':
    case 'capturing':
      return leave(charge, known);
    case 'charging':
      if (known.origin === 'billing' || !hasMoney(charge) || isNeverAnswered(charge, end))
        return leave(charge, known);
      if (isOtherAmount(charge, known)) return decide('amountDiffers');
      return wasAnswered(charge, end) ? fill('underWay') : decide('mayBeUnanswered');
    case 'preauthorized':
    case 'approved':
      return judgeApproved(charge, known);
    case 'declined':
    case 'voided':
      return charge.state === 'approved' || charge.state === 'preauthorized' ? decide('liveThere') : IN_BOOKS;
  }
}

/**
 * The charge is the billing's present one and paid it: ending the billing opens the next, which the acquirer
 * may have charged too. A killed comparison may have left it so.
 */
export function endsBilling(charge: ListedCharge, { transaction, billing }: Books): boolean {
  if (transaction === null || billing?.isChargingThis !== true || isOtherAmount(charge, transaction))
    return false;
  const isPaid = (charge.state === 'approved' || charge.state === 'canceled') && !charge.isCapturedLater;
  return isPaid && (transaction.state === 'charging' || transaction.state === 'approved');
}

function judgeApproved(charge: ListedCharge, known: KnownTransaction): Verdict {
  if (known.state === 'preauthorized') {
    if (charge.state === 'preauthorized') return IN_BOOKS;
    if (charge.state === 'voided') return fill('release');
    return charge.captures.length > 0 ? fill('requests') : decide('endedThere');
  }
  if (charge.state !== 'approved' && charge.state !== 'canceled') return decide('endedThere');
  return missingCancels(charge, known).length > 0 ? fill('requests') : IN_BOOKS;
}

function leave(charge: ListedCharge, known: KnownTransaction): Verdict {
  return isBehind(charge, known) ? FOLLOW : LEFT;
}

function isBehind(charge: ListedCharge, known: KnownTransaction): boolean {
  if (missingCancels(charge, known).length > 0 || missingCaptures(charge, known).length > 0) return true;
  // The capture will be refused, and the authorization must then be released.
  return known.state === 'capturing' && charge.state === 'voided';
}

export type Standing =
  | { readonly kind: 'filled' | 'voided' | 'unfinished' }
  /** Not tried yet, or not written. */
  | { readonly kind: 'missing'; readonly reason: FillReason }
  | { readonly kind: 'undecided'; readonly reason: UndecidedReason };

export type Fault = {
  readonly words: string;
  /** A request under way blocked it: a retry may succeed. */
  readonly isPassing: boolean;
};

const PASSING_REFUSALS: readonly string[] = ['beingCanceled', 'beingCaptured', 'notResolved', 'overtaken'];

/** `refusal` null: no reason is known. */
export function faultOfRefusal(name: string, refusal: string | null): Fault {
  const why = refusal === null ? '' : `: ${refusal}`;
  const isPassing = refusal === null || PASSING_REFUSALS.includes(refusal);
  return { words: `${name} was not written${why}`, isPassing };
}

/** null: it cannot be ended yet. */
export function endOfStanding(
  standing: Standing,
  faults: readonly Fault[],
): {
  readonly decision: 'filled' | 'voided' | 'undecided';
  /** null: the reason stays. */
  readonly reason: UndecidedReason | null;
} | null {
  switch (standing.kind) {
    case 'unfinished':
      return null;
    case 'missing':
      return faults.length > 0 && faults.every(({ isPassing }) => isPassing)
        ? null
        : { decision: 'undecided', reason: 'notWritten' };
    case 'undecided':
      return { decision: 'undecided', reason: standing.reason };
    case 'filled':
    case 'voided':
      return { decision: standing.kind, reason: null };
  }
}

/** `isToBeKept`: without a recorded approval the services would void the charge. */
export function standingOf(
  charge: ListedCharge,
  known: KnownTransaction | null,
  isToBeKept: boolean,
): Standing {
  if (known === null) return { kind: 'undecided', reason: 'notWritten' };
  switch (known.state) {
    case 'charging':
    case 'unresolved':
    case 'capturing': {
      const isTakenBack = isToBeKept && known.state !== 'capturing' && known.origin !== 'billing';
      if (isTakenBack) return { kind: 'undecided', reason: 'notWritten' };
      return { kind: isBehind(charge, known) ? 'unfinished' : 'filled' };
    }
    case 'declined':
    case 'voided':
      return { kind: 'voided' };
    case 'preauthorized':
    case 'approved': {
      const verdict = judgeApproved(charge, known);
      if (verdict.kind === 'fill') return { kind: 'missing', reason: verdict.reason };
      return verdict.kind === 'decide' ? { kind: 'undecided', reason: verdict.reason } : { kind: 'filled' };
    }
  }
}

export function isDue({ state, isCharging }: NonNullable<Books['billing']>): boolean {
  return isCharging || ['opened', 'denied', 'paymentInvalid'].includes(state);
}

/** No caller waits for a billing's answer, so the acquirer's charge is kept. */
function judgeOfBilling(charge: ListedCharge, billing: NonNullable<Books['billing']>): Verdict {
  return paysBilling(charge, billing) ? fill('billing') : decide('billing');
}

export function paysBilling(charge: ListedCharge, billing: NonNullable<Books['billing']>): boolean {
  const isOwing = isDue(billing) && !billing.isCharging;
  const isThis = billing.amount === charge.authorizedAmount && !charge.isCapturedLater;
  return isOwing && isThis && charge.installments === 1;
}

/** If its billing is lost, it is opened and charged again. Merchants may use such references too. */
function isMaybeOfLostBilling({ initiator, merchantReference }: ListedCharge): boolean {
  return initiator === 'merchant' && isUuid(merchantReference ?? '');
}

/** Whether the installments in the books would not add up to the charge. `known` null: a new charge. */
export function isOtherAmount(
  { isCapturedLater, authorizedAmount, amount, installments }: ListedCharge,
  known: Pick<KnownTransaction, 'amount' | 'installmentCount'> | null,
): boolean {
  if (!isCapturedLater && amount !== authorizedAmount) return true;
  return known !== null && (known.amount !== authorizedAmount || known.installmentCount !== installments);
}

export function missingCancels(charge: ListedCharge, { cancelIds }: Pick<KnownTransaction, 'cancelIds'>) {
  return charge.cancellations.filter(
    ({ cancellationReference, outcome }) =>
      outcome !== 'refused' && !cancelIds.includes(cancellationReference.toLowerCase()),
  );
}

export function missingCaptures(charge: ListedCharge, { captureIds }: Pick<KnownTransaction, 'captureIds'>) {
  return charge.captures.filter(
    ({ captureReference }) => !captureIds.includes(captureReference.toLowerCase()),
  );
}

/** The merchant used the charge, or the services lived long enough to void it otherwise. */
function wasAnswered(charge: ListedCharge, { lastSaleAt, stoppedAt }: EndOfLost): boolean {
  if (charge.cancellations.length > 0 || charge.captures.length > 0) return true;
  const livedUntil = stoppedAt ?? lastSaleAt;
  return livedUntil !== null && charge.authorizedAt <= livedUntil - SETTLED_AFTER_MILLISECONDS;
}

/** A wrong time, for example of another zone, would void charges that were sold. */
export function isStopContradicted({ lastSaleAt, stoppedAt }: EndOfLost): boolean {
  return lastSaleAt !== null && stoppedAt !== null && lastSaleAt > stoppedAt + SETTLED_AFTER_MILLISECONDS;
}

/** No process was left to answer the merchant. */
function isNeverAnswered(charge: ListedCharge, { stoppedAt }: EndOfLost): boolean {
  if (stoppedAt === null || charge.cancellations.length > 0 || charge.captures.length > 0) return false;
  return charge.authorizedAt > stoppedAt + CLOCKS_MILLISECONDS;
}

function fill(reason: FillReason): Verdict {
  return { kind: 'fill', reason };
}

function decide(reason: UndecidedReason): Verdict {
  return { kind: 'decide', reason };
}

/** `kept`: written into the books. `voided`: at the acquirer. */
export const PERSONS_DECISIONS = ['kept', 'voided'] as const;
export type PersonsDecision = (typeof PERSONS_DECISIONS)[number];

const DECISIONS_OF_REASON: Readonly<Record<UndecidedReason, readonly PersonsDecision[]>> = {
  mayBeUnanswered: ['kept', 'voided'],
  account: ['kept', 'voided'],
  billing: ['kept', 'voided'],
  unknownMerchant: ['kept', 'voided'],
  notWritten: ['kept', 'voided'],
  // The books cannot hold such a charge.
  amountDiffers: ['voided'],
  // The merchant was told that the charge is approved.
  endedThere: ['kept'],
  liveThere: ['voided'],
};

export function decisionsOn({ reason }: Pick<RestoredCharge, 'reason'>): readonly PersonsDecision[] {
  return DECISIONS_OF_REASON[reason as UndecidedReason];
}

/** null: nothing prevents it. */
export function refusalToVoid(
  { cancellations }: Pick<ListedCharge, 'cancellations'>,
  { transaction }: Pick<Books, 'transaction'>,
): string | null {
  const state = transaction?.state;
  // They keep it if the acquirer approved it.
  if (transaction?.origin === 'billing' && (state === 'charging' || state === 'unresolved'))
    return `is ${state} in the books: the services find it out`;
  if (state === 'approved' || state === 'preauthorized' || state === 'capturing')
    return `is ${state} in the books: cancel it there`;
  return cancellations.some(({ outcome }) => outcome === 'canceled')
    ? 'has cancels at the acquirer, which voids it no more'
    : null;
}

export type RestoredCharge = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly decision: RestoredDecision;
  readonly reason: string;
  readonly detail: string | null;
  readonly charge: ListedCharge;
  readonly foundAt: Instant;
};

export type RestoreTally = {
  readonly seen: number;
  readonly inBooks: number;
  readonly ended: number;
  readonly leftToServices: number;
  readonly notOurs: number;
  readonly filled: number;
  readonly voided: number;
  readonly unfinished: number;
  readonly undecided: number;
};

export const NOTHING_RESTORED: RestoreTally = {
  seen: 0,
  inBooks: 0,
  ended: 0,
  leftToServices: 0,
  notOurs: 0,
  filled: 0,
  voided: 0,
  unfinished: 0,
  undecided: 0,
};

export type Place = {
  /** In a cell, the merchant whose list is read. */
  readonly merchantId: string | null;
  readonly cursor: string | null;
};

export type RestoreRun = EndOfLost & {
  readonly runNumber: number;
  readonly since: Instant;
  readonly place: Place;
  /** In a cell, merchants that the books lost. */
  readonly alsoMerchants: readonly string[];
  /** The walked lists: kind/name. */
  readonly providers: readonly string[];
  /** Acquirers that list no charges: kind/name. They are not compared. */
  readonly unlisted: readonly string[];
  readonly finishedAt: Instant | null;
};
