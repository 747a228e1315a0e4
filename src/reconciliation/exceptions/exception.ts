import type { Day, Instant } from '../../values/instant.ts';

/** The closed list of what a file and our books can differ in. */
export const EXCEPTION_CLASSES = [
  'notInFile',
  'notInParcela',
  'amountDiffers',
  'feeDiffers',
  'dateDiffers',
  'duplicateInFile',
  'cancellationUnknown',
  'chargebackUnknown',
  'heldByPledge',
  'unknownCode',
  'unexpectedPayment',
] as const;
export type ExceptionClass = (typeof EXCEPTION_CLASSES)[number];

/**
 * `explained`: a rule knows why. `healed`: what came later shows no difference any more. `resolved`:
 * a person found out, and said so.
 */
export const EXCEPTION_STATES = ['open', 'explained', 'healed', 'resolved'] as const;
export type ExceptionState = (typeof EXCEPTION_STATES)[number];
export type ExceptionEvent = 'explain' | 'heal' | 'resolve' | 'reopen';

/** Null means that the event cannot happen in that state. */
export const EXCEPTION_MOVES = {
  open: { explain: 'explained', heal: 'healed', resolve: 'resolved', reopen: null },
  explained: { explain: null, heal: 'healed', resolve: 'resolved', reopen: 'open' },
  healed: { explain: null, heal: null, resolve: null, reopen: 'open' },
  resolved: { explain: null, heal: null, resolve: null, reopen: 'open' },
} as const satisfies Record<ExceptionState, Record<ExceptionEvent, ExceptionState | null>>;

/**
 * Why a rule takes a difference for known. `onItsWay`: it waits to be applied to the states.
 * `batchIncomplete`: a line pays its batch, and waits for the list of the batch to be whole.
 */
export const EXPLANATIONS = ['rounding', 'pledge', 'onItsWay', 'batchIncomplete'] as const;
export type Explanation = (typeof EXPLANATIONS)[number];

/** A difference as the facts show it now. */
export type Finding = {
  readonly class: ExceptionClass;
  /**
   * Cents that the merchant lacks; negative: that it has too much. Of `dateDiffers` what came on
   * another day.
   */
  readonly amount: number;
  /** As texts: cents, days or a count. */
  readonly expected: string | null;
  readonly found: string | null;
  /** The day on which the money was expected, or came. */
  readonly day: Day | null;
  /** Null: no rule explains it. */
  readonly explanation: Explanation | null;
};

/** What stands written of a difference. */
export type KnownException = Omit<Finding, 'explanation'> & {
  readonly state: ExceptionState;
  /** It was open before a rule explained it. */
  readonly wasOpen: boolean;
};

export type ExceptionMove =
  | { readonly kind: 'open'; readonly state: 'open' | 'explained' }
  | { readonly kind: 'move'; readonly event: ExceptionEvent; readonly state: ExceptionState }
  /** It stays in its state, and its money or texts are others now. */
  | { readonly kind: 'refresh' }
  | { readonly kind: 'none' };

/**
 * What becomes of an exception when the facts were looked at again. One that a person resolved, or
 * that was healed, is open again when a later file shows another difference than it was ended with.
 */
export function exceptionMove(known: KnownException | null, finding: Finding | null): ExceptionMove {
  if (known === null) {
    if (finding === null) return { kind: 'none' };
    return { kind: 'open', state: finding.explanation === null ? 'open' : 'explained' };
  }
  if (finding === null) return moved(known.state, 'heal');
  const isOther =
    known.amount !== finding.amount || known.expected !== finding.expected || known.found !== finding.found;
  switch (known.state) {
    case 'open':
      if (finding.explanation !== null) return moved('open', 'explain');
      return isOther ? { kind: 'refresh' } : { kind: 'none' };
    case 'explained':
      if (finding.explanation === null) return moved('explained', 'reopen');
      return isOther ? { kind: 'refresh' } : { kind: 'none' };
    case 'healed':
      return moved('healed', 'reopen');
    case 'resolved':
      return isOther ? moved('resolved', 'reopen') : { kind: 'none' };
  }
}

function moved(state: ExceptionState, event: ExceptionEvent): ExceptionMove {
  const next = EXCEPTION_MOVES[state][event];
  return next === null ? { kind: 'none' } : { kind: 'move', event, state: next };
}

/** What a merchant that wants it is notified of. */
export const EXCEPTION_EVENTS = ['opened', 'healed'] as const;
type ExceptionNotice = (typeof EXCEPTION_EVENTS)[number];

/**
 * Cents of rounding are nobody's business. A pledge is explained, and the money is elsewhere all the
 * same. What was never notified of does not heal for its merchant.
 */
export function noticeOf(
  known: KnownException | null,
  move: ExceptionMove,
  finding: Finding | null,
): ExceptionNotice | null {
  if (move.kind === 'open')
    return move.state === 'open' || finding?.class === 'heldByPledge' ? 'opened' : null;
  if (move.kind !== 'move') return null;
  if (move.event === 'reopen') return 'opened';
  const wasNotified = known?.state === 'open' || known?.wasOpen === true || known?.class === 'heldByPledge';
  return move.event === 'heal' && wasNotified ? 'healed' : null;
}

/** An exception as it is kept. */
export type ReconciliationException = Omit<Finding, 'explanation'> & {
  readonly exceptionId: string;
  /** Null: no merchant is known for the line. */
  readonly merchantId: string | null;
  readonly accountNumber: string | null;
  readonly state: ExceptionState;
  readonly transactionId: string | null;
  readonly installmentNumber: number | null;
  /** Whose payment it is. */
  readonly boletoId: string | null;
  /** The line of a file that it is about, or that showed it last. */
  readonly line: { readonly fileNumber: number; readonly lineNumber: number } | null;
  readonly explanation: Explanation | null;
  /** Real time. */
  readonly openedAt: Instant;
  readonly endedAt: Instant | null;
  readonly resolvedBy: string | null;
  readonly reason: string | null;
};

/** Milliseconds since the money was expected or came; without a day since it was found. */
export function ageOf(
  { day, openedAt }: Pick<ReconciliationException, 'day' | 'openedAt'>,
  now: number,
): number {
  const since = day === null ? openedAt : Date.parse(`${day}T03:00:00Z`);
  return Math.max(0, now - since);
}

/** An exception as its merchant is notified of it. */
export type NotifiedException = Finding & {
  readonly exceptionId: string;
  readonly accountNumber: string;
  readonly state: ExceptionState;
  readonly transactionId: string;
  readonly installmentNumber: number;
};

/** The very text that is sent: these fields in this order. Amounts are cents. */
export function exceptionMessage(event: ExceptionNotice, exception: NotifiedException): string {
  return JSON.stringify({
    type: 'ReconciliationException',
    event,
    accountNumber: exception.accountNumber,
    exceptionId: exception.exceptionId,
    class: exception.class,
    state: exception.state,
    transactionId: exception.transactionId,
    installmentNumber: exception.installmentNumber,
    amount: exception.amount,
    expected: exception.expected,
    found: exception.found,
    day: exception.day,
    explanation: exception.explanation,
  });
}
