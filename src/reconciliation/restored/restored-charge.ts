import type { ListedCharge } from '../../acquirers/listed-charge.ts';
import type { BillingState } from '../../recurrence/billings/billing.ts';
import type { RecordedSplit } from '../../transactions/split.ts';
import type { Origin, TransactionState } from '../../transactions/transaction.ts';
import type { Cents } from '../../values/cents.ts';
import { isUuid } from '../../values/ids.ts';
import type { Instant } from '../../values/instant.ts';

/**
 * What became of a charge that the books and the acquirer did not have alike. `undecided`: it waits
 * for a person. `unfinished`: a service puts the rest of it into the books, once it can.
 */
export const RESTORED_DECISIONS = ['filled', 'voided', 'undecided', 'unfinished'] as const;
export type RestoredDecision = (typeof RESTORED_DECISIONS)[number];

/** What the restored books have of a charge of the acquirer. */
export type Books = {
  /** Its account numbers; null: no such merchant. */
  readonly accounts: readonly string[] | null;
  /** Null: they do not know it. */
  readonly transaction: KnownTransaction | null;
  /** The billing that the sale is named after; null: there is none. */
  readonly billing: {
    readonly billingId: string;
    readonly state: BillingState;
    readonly amount: Cents;
    readonly isCharging: boolean;
  } | null;
  /** Of an earlier page, or of an earlier run; null: none. */
  readonly decision: RestoredDecision | null;
};

export type KnownTransaction = {
  readonly state: TransactionState;
  readonly origin: Origin;
  readonly fence: number;
  /** What is charged; while it waits for its capture what is held. */
  readonly amount: Cents;
  readonly installmentCount: number;
  readonly split: RecordedSplit | null;
  readonly cancelIds: readonly string[];
  readonly captureIds: readonly string[];
};

/** What is known of the end of the lost database, by the acquirer's clock. */
export type EndOfLost = {
  /** The newest authorization that the acquirer has; null: none. */
  readonly lastSaleAt: Instant | null;
  /** When its services ended, as the operator says; null: not known. */
  readonly stoppedAt: Instant | null;
};

/**
 * Why a person decides. `mayBeUnanswered`: it came so late that its merchant may have been answered
 * an error, or nothing. `endedThere`: charged here, and voided or declined there. `liveThere`: ended
 * here, and charged there. `billing`: of a billing that cannot take it, or maybe of one that was lost.
 * `account`: the merchant has several. `amountDiffers`: of another amount, or in other installments, than
 * was asked for. `notWritten`: the books did not take it, or not all of it.
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
 * `ended`: no money stays under it, and the books need not have it. `leftToServices`: they find out
 * what became of it when work goes on. `follow`: the same, and then the books miss what it had behind
 * that. `notOurs`: its reference is none that we give.
 */
export type Verdict =
  | { readonly kind: 'inBooks' | 'ended' | 'leftToServices' | 'follow' | 'notOurs' }
  | { readonly kind: 'fill'; readonly reason: FillReason }
  | { readonly kind: 'void'; readonly reason: 'neverAnswered' }
  | { readonly kind: 'decide'; readonly reason: UndecidedReason };

/**
 * An unknown outcome ends within a minute while the acquirer answers: of what is older the services
 * of the lost database had made an end. Twice that, for clocks.
 */
export const SETTLED_AFTER_MILLISECONDS = 120_000;
/** By how much the clocks of the acquirer and of the operator may differ. */
export const CLOCKS_MILLISECONDS = 5_000;

const IN_BOOKS: Verdict = { kind: 'inBooks' };
const ENDED: Verdict = { kind: 'ended' };
const LEFT: Verdict = { kind: 'leftToServices' };
const FOLLOW: Verdict = { kind: 'follow' };

/** What is to be done with a charge. The reference is one of ours. */
export function judgeCharge(charge: ListedCharge, books: Books, end: EndOfLost): Verdict {
  if (books.decision === 'undecided' || books.decision === 'voided') return IN_BOOKS;
  if (books.transaction !== null) return judgeKnown(charge, books.transaction, end);
  if (!hasMoney(charge)) return ENDED;
  if (books.accounts === null) return decide('unknownMerchant');
  if (books.billing !== null && charge.initiator === 'merchant') return judgeOfBilling(charge, books.billing);
  if (isMaybeOfLostBilling(charge)) return decide('billing');
  if (isNeverAnswered(charge, end)) return { kind: 'void', reason: 'neverAnswered' };
  if (isOtherAmount(charge, null)) return decide('amountDiffers');
  if (books.accounts.length !== 1) return decide('account');
  return wasAnswered(charge, end) ? fill('payment') : decide('mayBeUnanswered');
}

/** Whether anything was charged or is held, also where all of it was given back. */
function hasMoney({ state }: ListedCharge): boolean {
  return state === 'approved' || state === 'preauthorized' || state === 'canceled';
}

function judgeKnown(charge: ListedCharge, known: KnownTransaction, end: EndOfLost): Verdict {
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

function judgeApproved(charge: ListedCharge, known: KnownTransaction): Verdict {
  if (known.state === 'preauthorized') {
    if (charge.state === 'preauthorized') return IN_BOOKS;
    if (charge.state === 'voided') return fill('release');
    return charge.captures.length > 0 ? fill('requests') : decide('endedThere');
  }
  if (charge.state !== 'approved' && charge.state !== 'canceled') return decide('endedThere');
  return missingCancels(charge, known).length > 0 ? fill('requests') : IN_BOOKS;
}

/** What the services find out by themselves, and whether the books then miss what came behind that. */
function leave(charge: ListedCharge, known: KnownTransaction): Verdict {
  return isBehind(charge, known) ? FOLLOW : LEFT;
}

function isBehind(charge: ListedCharge, known: KnownTransaction): boolean {
  if (missingCancels(charge, known).length > 0 || missingCaptures(charge, known).length > 0) return true;
  // The capture that the services ask for is refused, and then it is to be let go.
  return known.state === 'capturing' && charge.state === 'voided';
}

/** How a charge stands that the books were to be brought to. */
export type Standing =
  | { readonly kind: 'filled' | 'voided' | 'unfinished' }
  /** It was not tried yet, or was not written. */
  | { readonly kind: 'missing'; readonly reason: FillReason }
  | { readonly kind: 'undecided'; readonly reason: UndecidedReason };

/** What the books did not take, in words. */
export type Fault = {
  readonly words: string;
  /** Something that is under way stood before it: the same again may go through. */
  readonly isPassing: boolean;
};

const PASSING_REFUSALS: readonly string[] = ['beingCanceled', 'beingCaptured', 'notResolved', 'overtaken'];

/** `refusal` null: nothing spoke against it, and it was not written. */
export function faultOfRefusal(name: string, refusal: string | null): Fault {
  const why = refusal === null ? '' : `: ${refusal}`;
  const isPassing = refusal === null || PASSING_REFUSALS.includes(refusal);
  return { words: `${name} was not written${why}`, isPassing };
}

/** How it ends that a service or a walk goes on with it; null: it does not yet. */
export function endOfStanding(
  standing: Standing,
  faults: readonly Fault[],
): {
  readonly decision: 'filled' | 'voided' | 'undecided';
  /** Null: as it was. */
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

/** `isToBeKept`: its approval was to be written too, or the services would take it back. */
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
      // The services have ended it with the acquirer since.
      return { kind: 'voided' };
    case 'preauthorized':
    case 'approved': {
      const verdict = judgeApproved(charge, known);
      if (verdict.kind === 'fill') return { kind: 'missing', reason: verdict.reason };
      return verdict.kind === 'decide' ? { kind: 'undecided', reason: verdict.reason } : { kind: 'filled' };
    }
  }
}

/** Whether it is charged, or will be, when work goes on. */
export function isDue({ state, isCharging }: NonNullable<Books['billing']>): boolean {
  return isCharging || ['opened', 'denied', 'paymentInvalid'].includes(state);
}

/** No caller waits for the answer of a billing: what the acquirer has is kept. */
function judgeOfBilling(charge: ListedCharge, billing: NonNullable<Books['billing']>): Verdict {
  const isOwing = isDue(billing) && !billing.isCharging;
  const isThis = billing.amount === charge.authorizedAmount && !charge.isCapturedLater;
  return isOwing && isThis && charge.installments === 1 ? fill('billing') : decide('billing');
}

/**
 * The billing may have been opened and charged in the lost time: the one before it opens another one, and
 * that is charged too. A merchant may charge a stored card under such a reference as well.
 */
function isMaybeOfLostBilling({ initiator, merchantReference }: ListedCharge): boolean {
  return initiator === 'merchant' && isUuid(merchantReference ?? '');
}

/** The books would have installments of one amount, and a charge of another one. `known` null: a new one. */
export function isOtherAmount(
  { isCapturedLater, authorizedAmount, amount, installments }: ListedCharge,
  known: Pick<KnownTransaction, 'amount' | 'installmentCount'> | null,
): boolean {
  if (!isCapturedLater && amount !== authorizedAmount) return true;
  return known !== null && (known.amount !== authorizedAmount || known.installmentCount !== installments);
}

/** Cancels that the acquirer carried out or accepted, and the books do not have. */
export function missingCancels(charge: ListedCharge, { cancelIds }: Pick<KnownTransaction, 'cancelIds'>) {
  return charge.cancellations.filter(
    ({ cancellationReference, outcome }) =>
      outcome !== 'refused' && !cancelIds.includes(cancellationReference.toLowerCase()),
  );
}

/** Captures that the acquirer carried out, and the books do not have. */
export function missingCaptures(charge: ListedCharge, { captureIds }: Pick<KnownTransaction, 'captureIds'>) {
  return charge.captures.filter(
    ({ captureReference }) => !captureIds.includes(captureReference.toLowerCase()),
  );
}

/**
 * Its merchant knows that it is charged: it had it canceled or captured, or the services lived on
 * for long enough to void it, had it been answered otherwise.
 */
function wasAnswered(charge: ListedCharge, { lastSaleAt, stoppedAt }: EndOfLost): boolean {
  if (charge.cancellations.length > 0 || charge.captures.length > 0) return true;
  const livedUntil = stoppedAt ?? lastSaleAt;
  return livedUntil !== null && charge.authorizedAt <= livedUntil - SETTLED_AFTER_MILLISECONDS;
}

/** A stop that is wrong, by a time zone say, would have sold charges voided: the acquirer knows better. */
export function isStopContradicted({ lastSaleAt, stoppedAt }: EndOfLost): boolean {
  return lastSaleAt !== null && stoppedAt !== null && lastSaleAt > stoppedAt + SETTLED_AFTER_MILLISECONDS;
}

/** The acquirer authorized it when no process was left that could have answered its merchant. */
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

/** What a person may decide: `kept` puts it into the books, `voided` takes it back at the acquirer. */
export const PERSONS_DECISIONS = ['kept', 'voided'] as const;
export type PersonsDecision = (typeof PERSONS_DECISIONS)[number];

const DECISIONS_OF_REASON: Readonly<Record<UndecidedReason, readonly PersonsDecision[]>> = {
  mayBeUnanswered: ['kept', 'voided'],
  account: ['kept', 'voided'],
  billing: ['kept', 'voided'],
  unknownMerchant: ['kept', 'voided'],
  notWritten: ['kept', 'voided'],
  // No books have it like that.
  amountDiffers: ['voided'],
  // What is charged here stays in the books: its merchant was answered so.
  endedThere: ['kept'],
  // What has ended here stays so.
  liveThere: ['voided'],
};

export function decisionsOn({ reason }: Pick<RestoredCharge, 'reason'>): readonly PersonsDecision[] {
  return DECISIONS_OF_REASON[reason as UndecidedReason];
}

/** Why nobody takes it back at the acquirer; null: nothing is known that speaks against it. */
export function refusalToVoid(
  { cancellations }: Pick<ListedCharge, 'cancellations'>,
  { transaction }: Pick<Books, 'transaction'>,
): string | null {
  const state = transaction?.state;
  if (state === 'approved' || state === 'preauthorized' || state === 'capturing')
    return `is ${state} in the books: cancel it there`;
  // The acquirer refuses to void it, now and later.
  return cancellations.some(({ outcome }) => outcome === 'canceled')
    ? 'has cancels at the acquirer, which voids it no more'
    : null;
}

/** A charge that waits for a person, or had one. */
export type RestoredCharge = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly decision: RestoredDecision;
  readonly reason: string;
  /** Why the books did not take all of it; null: no such thing is known. */
  readonly detail: string | null;
  readonly charge: ListedCharge;
  readonly foundAt: Instant;
};

/** Numbers of charges, by what was found of them. */
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

/** How far the acquirer's list was walked. */
export type Place = {
  /** In a cell: of whose list; null: of that of all, or none was begun. */
  readonly merchantId: string | null;
  /** Of the acquirer; null: at the beginning of the list. */
  readonly cursor: string | null;
};

export type RestoreRun = EndOfLost & {
  readonly runNumber: number;
  readonly since: Instant;
  readonly place: Place;
  /** In a cell: merchants that the books have lost. */
  readonly alsoMerchants: readonly string[];
  readonly finishedAt: Instant | null;
};
