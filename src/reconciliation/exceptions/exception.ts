import type { Day, Instant } from '../../values/instant.ts';

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
  'takenBack',
] as const;
export type ExceptionClass = (typeof EXCEPTION_CLASSES)[number];

/** `explained`: a rule knows why. `healed`: later facts agree. `resolved`: a person found the reason. */
export const EXCEPTION_STATES = ['open', 'explained', 'healed', 'resolved'] as const;
export type ExceptionState = (typeof EXCEPTION_STATES)[number];
export type ExceptionEvent = 'explain' | 'heal' | 'resolve' | 'reopen';

/** null: the event cannot happen in that state. */
export const EXCEPTION_MOVES = {
  open: { explain: 'explained', heal: 'healed', resolve: 'resolved', reopen: null },
  explained: { explain: null, heal: 'healed', resolve: 'resolved', reopen: 'open' },
  healed: { explain: null, heal: null, resolve: null, reopen: 'open' },
  resolved: { explain: null, heal: null, resolve: null, reopen: 'open' },
} as const satisfies Record<ExceptionState, Record<ExceptionEvent, ExceptionState | null>>;

/** `onItsWay`: not applied to the states yet. `batchIncomplete`: the batch's list lacks sales. */
export const EXPLANATIONS = ['rounding', 'pledge', 'onItsWay', 'batchIncomplete'] as const;
export type Explanation = (typeof EXPLANATIONS)[number];

export type Finding = {
  readonly class: ExceptionClass;
  /** Cents that the merchant lacks; negative: has too much. `dateDiffers`: the cents of another day. */
  readonly amount: number;
  /** Cents, a day or a count, as text. */
  readonly expected: string | null;
  readonly found: string | null;
  readonly day: Day | null;
  readonly explanation: Explanation | null;
};

export type KnownException = Omit<Finding, 'explanation'> & {
  readonly state: ExceptionState;
  readonly wasOpen: boolean;
};

export type ExceptionMove =
  | { readonly kind: 'open'; readonly state: 'open' | 'explained' }
  | { readonly kind: 'move'; readonly event: ExceptionEvent; readonly state: ExceptionState }
  | { readonly kind: 'refresh' }
  | { readonly kind: 'none' };

/** A resolved or healed exception opens again when a later file shows another difference. */
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

export const EXCEPTION_EVENTS = ['opened', 'healed'] as const;
type ExceptionNotice = (typeof EXCEPTION_EVENTS)[number];

/** Rounding is never notified, a pledge always. `healed` only after `opened`. */
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

export type ReconciliationException = Omit<Finding, 'explanation'> & {
  readonly exceptionId: string;
  readonly merchantId: string | null;
  readonly accountNumber: string | null;
  readonly state: ExceptionState;
  readonly transactionId: string | null;
  readonly installmentNumber: number | null;
  readonly boletoId: string | null;
  /** The payment link of its boleto or Pix. */
  readonly linkId: string | null;
  /** The line that the exception is about, or the last one that showed it. */
  readonly line: { readonly fileNumber: number; readonly lineNumber: number } | null;
  readonly explanation: Explanation | null;
  /** Real time. */
  readonly openedAt: Instant;
  readonly endedAt: Instant | null;
  readonly resolvedBy: string | null;
  readonly reason: string | null;
};

/** Milliseconds since `day`, or since the exception opened. */
export function ageOf(
  { day, openedAt }: Pick<ReconciliationException, 'day' | 'openedAt'>,
  now: number,
): number {
  const since = day === null ? openedAt : Date.parse(`${day}T03:00:00Z`);
  return Math.max(0, now - since);
}

export type NotifiedException = Finding & {
  readonly exceptionId: string;
  readonly accountNumber: string;
  readonly state: ExceptionState;
  readonly transactionId: string;
  readonly installmentNumber: number;
};

/** The exact text to send. Amounts are cents. */
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
