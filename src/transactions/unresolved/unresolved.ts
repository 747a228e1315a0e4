import type { SpokenRefusal } from '../../platform/http/refusal.ts';
import type { CardBrand } from '../../values/card-number.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import { CANCEL_MOVES, type CancelState } from '../cancels/cancel.ts';
import { CAPTURE_MOVES, type CaptureState } from '../capture.ts';
import { type Origin, TRANSACTION_MOVES, type TransactionState } from '../transaction.ts';
import type { Counted } from './counted.sql.ts';

export const UNRESOLVED_KINDS = ['charge', 'cancel', 'capture'] as const;
export type UnresolvedKind = (typeof UNRESOLVED_KINDS)[number];

export function isUnresolvedKind(kind: string): kind is UnresolvedKind {
  return UNRESOLVED_KINDS.some((one) => one === kind);
}

/** All times are real. */
export type Unresolved = {
  readonly kind: UnresolvedKind;
  readonly id: string;
  readonly merchantId: string;
  readonly origin: Origin;
  readonly amount: Cents;
  readonly createdAt: Instant;
  readonly since: Instant;
  readonly tries: number;
  readonly reason: string;
  /** When it is tried again, or when a pending try ends at the latest. */
  readonly dueAt: Instant;
};

/** After this time an accepted void that is not done is for a person. A weekend and a holiday fit in. */
export const LONGEST_PROMISE_MILLISECONDS = 4 * 86_400_000;

export type UnresolvedCount = Counted & { readonly kind: UnresolvedKind };

export type Case = {
  readonly kind: UnresolvedKind;
  readonly id: string;
  readonly merchantId: string;
  readonly transactionId: string;
  readonly acquirer: string;
  readonly origin: Origin;
  readonly accountNumber: string;
  readonly referenceTransaction: string | null;
  readonly amount: Cents;
  /** The amount of the charge; of a pre-authorization the authorized one, until it is captured. */
  readonly chargedAmount: Cents;
  readonly installmentCount: number;
  readonly brand: CardBrand;
  readonly firstSix: string;
  readonly lastFour: string;
  readonly createdBy: string;
  readonly state: TransactionState | CancelState | CaptureState;
  /** The transaction's; null if it was not approved. */
  readonly authorizationCode: string | null;
  readonly nsu: string | null;
  /** The issuer's response code of a decline, or the acquirer's reason for refusing. */
  readonly refusalCode: string | null;
  /** Real time: `createdAt` of the commit of the intent, `decidedAt` of that of the outcome. */
  readonly createdAt: Instant;
  readonly decidedAt: Instant | null;
  readonly tries: number;
  readonly reason: string | null;
  readonly dueAt: Instant | null;
  readonly isUnresolved: boolean;
  /** The service keeps such a charge if the acquirer says that it approved it, and no void was sent. */
  readonly isOfBilling: boolean;
  readonly isVoidSent: boolean;
  /** A pre-authorization that was captured is not voided by the service: it is a sale that somebody made. */
  readonly wasPreauthorized: boolean;
};

/**
 * What a person may find out at the acquirer. There is no "approved": the caller of a payment was answered
 * with an error or not at all, so its charge must not stay. A billing's charge is kept without a person, as
 * soon as the acquirer confirms it with all its data.
 */
export const CHARGE_DECISIONS = [
  TRANSACTION_MOVES.unresolved.dismiss,
  TRANSACTION_MOVES.unresolved.decline,
] as const;
export type ChargeDecision = (typeof CHARGE_DECISIONS)[number];
export const CANCEL_DECISIONS = [CANCEL_MOVES.canceling.confirm, CANCEL_MOVES.canceling.refuse] as const;
export type CancelDecision = (typeof CANCEL_DECISIONS)[number];
export const CAPTURE_DECISIONS = [CAPTURE_MOVES.capturing.confirm, CAPTURE_MOVES.capturing.refuse] as const;
export type CaptureDecision = (typeof CAPTURE_DECISIONS)[number];
export type Decision = ChargeDecision | CancelDecision | CaptureDecision;

export const DECISIONS_OF = {
  charge: CHARGE_DECISIONS,
  cancel: CANCEL_DECISIONS,
  capture: CAPTURE_DECISIONS,
} as const satisfies Record<UnresolvedKind, readonly Decision[]>;

/**
 * `isLive`: the acquirer says so now, and the service keeps or voids it. `takenOver`: another process
 * decides, or tries to resolve, at the same moment.
 */
export const DECISION_REFUSALS = {
  unknownId: { status: 404, text: 'There is no such charge, cancel or capture.' },
  notOfThisKind: { status: 409, text: 'It does not end like that.' },
  final: { status: 409, text: 'It is final already.' },
  underWay: { status: 409, text: 'Its first answer comes within seconds: look again then.' },
  isLive: { status: 409, text: 'The acquirer says that it is live: it is kept, or voided, at the next try.' },
  amountUnfit: {
    status: 409,
    text: 'Only a capture is decided as captured of another amount, of at least a cent an installment, up to what was authorized.',
  },
  takenOver: { status: 409, text: 'It was decided or tried by somebody else at this moment: look again.' },
} as const satisfies Record<string, SpokenRefusal>;

export type DecisionRefusal = keyof typeof DECISION_REFUSALS;

export type DecisionResult =
  | { readonly kind: 'decided'; readonly before: Case; readonly state: Decision }
  | { readonly kind: 'refused'; readonly refusal: DecisionRefusal; readonly found: Case | null };

/** `amount`: what was captured; null: what was asked for. Null if the decision is possible. */
export function decisionRefusal(
  found: Case | null,
  decision: Decision,
  amount: Cents | null = null,
): DecisionRefusal | null {
  if (found === null) return 'unknownId';
  const ofKind: readonly Decision[] = DECISIONS_OF[found.kind];
  if (!ofKind.includes(decision)) return 'notOfThisKind';
  if (found.decidedAt !== null) return 'final';
  const { installmentCount: least, chargedAmount: most } = found;
  if (amount !== null && (decision !== 'captured' || amount < least || amount > most)) return 'amountUnfit';
  return found.isUnresolved ? null : 'underWay';
}

const RESOURCES = {
  charge: 'transactions',
  cancel: 'cancels',
  capture: 'captures',
} as const satisfies Record<UnresolvedKind, string>;

export function caseResource({ kind, id, merchantId }: Pick<Case, 'kind' | 'id' | 'merchantId'>): string {
  return `merchants/${merchantId}/${RESOURCES[kind]}/${id}`;
}

/** The refusal reason if a person decided. */
export const REFUSED_BY_PERSON = 'decidedByOperator';
