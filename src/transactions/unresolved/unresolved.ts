import type { CardBrand } from '../../values/card-number.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import { CANCEL_MOVES, type CancelState } from '../cancels/cancel.ts';
import { type Origin, TRANSACTION_MOVES, type TransactionState } from '../transaction.ts';

export const UNRESOLVED_KINDS = ['charge', 'cancel'] as const;
export type UnresolvedKind = (typeof UNRESOLVED_KINDS)[number];

/** A charge or a cancel whose outcome is unknown. All times are real. */
export type Unresolved = {
  readonly kind: UnresolvedKind;
  readonly id: string;
  readonly merchantId: string;
  /** What the charge was made for. */
  readonly origin: Origin;
  readonly amount: Cents;
  readonly createdAt: Instant;
  readonly tries: number;
  readonly reason: string;
  /** When it is tried again, or until when a try is under way. */
  readonly dueAt: Instant;
};

/** How many there are of a kind, and what an alert goes by. */
export type UnresolvedCount = {
  readonly kind: UnresolvedKind;
  readonly count: number;
  /** Seconds; 0 when there is none. */
  readonly oldestAge: number;
  readonly mostTries: number;
};

/** What a person may want to know of a charge or a cancel, also of one that is final. */
export type Case = {
  readonly kind: UnresolvedKind;
  readonly id: string;
  readonly merchantId: string;
  readonly transactionId: string;
  /** What the charge was made for. */
  readonly origin: Origin;
  readonly accountNumber: string;
  readonly referenceTransaction: string | null;
  readonly amount: Cents;
  readonly installmentCount: number;
  readonly brand: CardBrand;
  readonly firstSix: string;
  readonly lastFour: string;
  readonly createdBy: string;
  readonly state: TransactionState | CancelState;
  /** Of the transaction, when it was approved. */
  readonly authorizationCode: string | null;
  readonly nsu: string | null;
  /** The issuer's code of a decline, or the acquirer's word for the refusal of a cancel. */
  readonly refusalCode: string | null;
  /** When the intent was committed, and when the outcome. Real time. */
  readonly createdAt: Instant;
  readonly decidedAt: Instant | null;
  readonly tries: number;
  readonly reason: string | null;
  readonly dueAt: Instant | null;
  /** Whether it waits for an answer that did not come when it should have. */
  readonly isUnresolved: boolean;
};

/**
 * What a person may find out at the acquirer's own desk. There is no "approved": whoever asked for a sale was told of an error or of
 * nothing, so that it must not stay, and that of a billing is kept by itself as soon as the acquirer says so with all that belongs to it.
 */
export const CHARGE_DECISIONS = [
  TRANSACTION_MOVES.unresolved.dismiss,
  TRANSACTION_MOVES.unresolved.decline,
] as const;
export type ChargeDecision = (typeof CHARGE_DECISIONS)[number];
export const CANCEL_DECISIONS = [CANCEL_MOVES.canceling.confirm, CANCEL_MOVES.canceling.refuse] as const;
export type CancelDecision = (typeof CANCEL_DECISIONS)[number];
export type Decision = ChargeDecision | CancelDecision;

export function isChargeDecision(decision: Decision): decision is ChargeDecision {
  return CHARGE_DECISIONS.includes(decision as ChargeDecision);
}

/**
 * Why nothing was decided. `underWay`: the first answer is still awaited. `takenOver`: somebody else decides, or tries to
 * settle, at the same moment.
 */
export type DecisionRefusal = 'unknownId' | 'notOfThisKind' | 'final' | 'underWay' | 'takenOver';

export type DecisionResult =
  | { readonly kind: 'decided'; readonly before: Case; readonly state: Decision }
  | { readonly kind: 'refused'; readonly refusal: DecisionRefusal; readonly found: Case | null };

/** Why a case cannot be decided so; null when it can. */
export function decisionRefusal(found: Case | null, decision: Decision): DecisionRefusal | null {
  if (found === null) return 'unknownId';
  if ((found.kind === 'charge') !== isChargeDecision(decision)) return 'notOfThisKind';
  if (found.decidedAt !== null) return 'final';
  return found.isUnresolved ? null : 'underWay';
}

/** What the audit log calls it. */
export function caseResource({ kind, id, merchantId }: Pick<Case, 'kind' | 'id' | 'merchantId'>): string {
  return `merchants/${merchantId}/${kind === 'charge' ? 'transactions' : 'cancels'}/${id}`;
}

/** The acquirer's word for its no where a person brought it. */
export const REFUSED_BY_PERSON = 'decidedByOperator';
