import type { WaitingChange as AnyWaitingChange } from '../../platform/feeds/feed.ts';
import type { ChangeEvent } from '../../providers/acquirers/acquirer.ts';
import type { Instant } from '../../values/instant.ts';
import {
  type InstallmentState,
  installmentAfter,
  type StateBeforeBlock,
  type TransactionState,
} from '../transaction.ts';

type ChangeState = 'waiting' | 'applied' | 'refused';
type ChangeEnd = 'apply' | 'refuse';

/** Null means that the event cannot happen in that state. */
export const CHANGE_MOVES = {
  waiting: { apply: 'applied', refuse: 'refused' },
  applied: { apply: null, refuse: null },
  refused: { apply: null, refuse: null },
} as const satisfies Record<ChangeState, Record<ChangeEnd, ChangeState | null>>;

/** A change as the acquirer brought it, kept until it is applied or refused. */
export type WaitingChange = AnyWaitingChange & {
  /** Of the charge; ours are the ids of transactions. */
  readonly reference: string;
  readonly installmentNumber: number;
  /** Business time. */
  readonly happenedAt: Instant;
};

/** The facts that decide a change, as they stand under lock. */
export type ChangeGround = {
  readonly event: ChangeEvent;
  /** Whether an earlier change of the same installment still waits. */
  readonly isBehindEarlier: boolean;
  /**
   * A chargeback that came by the other way before, by the acquirer's feed or by its file: of its
   * installment and amount more came by that way than by this one.
   */
  readonly isTakenAlready: boolean;
  /** Null: there is no such transaction. */
  readonly transactionState: TransactionState | null;
  /** Whether a cancel of it is unanswered (`canceling`), or accepted and not decided; null: neither. */
  readonly openCancel: 'canceling' | 'pending' | null;
  /** Null: there is no such installment. */
  readonly installment: {
    readonly state: InstallmentState;
    readonly stateBeforeBlock: StateBeforeBlock | null;
    /** Cents of it that were not given back. */
    readonly rest: number;
  } | null;
  /**
   * Cents that a chargeback took back, a part of its installment or more than it has; null: the
   * rest of it.
   */
  readonly amount: number | null;
  /** Cents of the other installments that were not given back; only a chargeback needs them. */
  readonly restOfOthers: number;
};

/** Why a change is refused for good. */
export type ChangeRefusal =
  | 'unknownTransaction'
  | 'notCharged'
  | 'unknownInstallment'
  | 'forbiddenMove'
  | 'otherAmount'
  | 'takenAlready';
export type ChangeDelay = 'behindEarlier' | 'beingCharged' | 'beingCanceled';

export type ChangeDecision =
  | { readonly kind: 'apply'; readonly state: InstallmentState; readonly before: InstallmentState }
  /** A chargeback: cents that come off its own installment, and off the others. */
  | { readonly kind: 'takeBack'; readonly own: number; readonly beyond: number }
  | { readonly kind: 'refuse'; readonly reason: ChangeRefusal }
  | { readonly kind: 'wait'; readonly reason: ChangeDelay };

/**
 * A change waits for whatever may still end in a state that it applies to: the charge itself, a
 * cancel, and the earlier changes of the same installment.
 */
export function decideChange(ground: ChangeGround): ChangeDecision {
  const { event, transactionState, installment } = ground;
  if (ground.isBehindEarlier) return { kind: 'wait', reason: 'behindEarlier' };
  if (transactionState === null) return { kind: 'refuse', reason: 'unknownTransaction' };
  const unfit = refusalOfState(transactionState);
  if (unfit !== null) return unfit;
  if (installment === null) return { kind: 'refuse', reason: 'unknownInstallment' };
  // The acquirer decides a pending cancel after this change; but a chargeback may take what it holds.
  if (ground.openCancel === 'canceling' || (ground.openCancel === 'pending' && event === 'chargeback'))
    return { kind: 'wait', reason: 'beingCanceled' };
  if (ground.isTakenAlready) return { kind: 'refuse', reason: 'takenAlready' };
  if (event === 'chargeback') return decideChargeback(ground, installment.rest);
  const next = installmentAfter(installment.state, event, installment.stateBeforeBlock);
  if (next === null) return { kind: 'refuse', reason: 'forbiddenMove' };
  return { kind: 'apply', state: next, before: installment.state };
}

/**
 * Of a transaction without installments, or with installments that are still to come; null: it is
 * approved.
 */
function refusalOfState(state: TransactionState): ChangeDecision | null {
  switch (state) {
    case 'charging':
    case 'unresolved':
    case 'capturing':
      return { kind: 'wait', reason: 'beingCharged' };
    case 'preauthorized':
    case 'declined':
    case 'voided':
      return { kind: 'refuse', reason: 'notCharged' };
    case 'approved':
      return null;
  }
}

/**
 * What a chargeback took comes off its installment first. A cancel that the acquirer booked after
 * the chargeback, before we knew of it, came off this installment here and off another one there:
 * what the installment lacks comes off the others, and the sums are equal again. More than all of
 * them have left is refused: the acquirer took back what was never sold.
 */
function decideChargeback({ amount, restOfOthers }: ChangeGround, rest: number): ChangeDecision {
  const taken = amount ?? rest;
  if (taken === 0) return { kind: 'refuse', reason: 'forbiddenMove' };
  const own = Math.min(taken, rest);
  const beyond = taken - own;
  return beyond > restOfOthers
    ? { kind: 'refuse', reason: 'otherAmount' }
    : { kind: 'takeBack', own, beyond };
}

/** `gone`: another process has ended it meanwhile. */
export type ChangeResult = 'applied' | 'gone' | ChangeRefusal | ChangeDelay;
