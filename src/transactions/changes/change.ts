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

/** Null: the event cannot happen in that state. */
export const CHANGE_MOVES = {
  waiting: { apply: 'applied', refuse: 'refused' },
  applied: { apply: null, refuse: null },
  refused: { apply: null, refuse: null },
} as const satisfies Record<ChangeState, Record<ChangeEnd, ChangeState | null>>;

/** Kept as the acquirer reported it until it is applied or refused. */
export type WaitingChange = AnyWaitingChange & {
  /** The charge's reference; for our charges, the transaction's id. */
  readonly reference: string;
  readonly installmentNumber: number;
  /** Business time. */
  readonly happenedAt: Instant;
};

/** What a change is decided by, read under lock. */
export type ChangeGround = {
  readonly event: ChangeEvent;
  /** An earlier change of the same installment still waits. */
  readonly isBehindEarlier: boolean;
  /** The other source (feed or file) has reported more chargebacks of this installment and amount. */
  readonly isTakenAlready: boolean;
  /** Null if there is no such transaction. */
  readonly transactionState: TransactionState | null;
  /** `canceling`: a cancel is unanswered. `pending`: it is accepted and not decided. Null: neither. */
  readonly openCancel: 'canceling' | 'pending' | null;
  /** Null if there is no such installment. */
  readonly installment: {
    readonly state: InstallmentState;
    readonly stateBeforeBlock: StateBeforeBlock | null;
    /** Cents not given back. */
    readonly rest: number;
  } | null;
  /** Cents that a chargeback took back, perhaps more than its installment has; null: the rest of it. */
  readonly amount: number | null;
  /** Cents of the other installments that were not given back. Only a chargeback needs them. */
  readonly restOfOthers: number;
};

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
  /** A chargeback takes `own` cents off its installment and `beyond` cents off the others. */
  | { readonly kind: 'takeBack'; readonly own: number; readonly beyond: number }
  | { readonly kind: 'refuse'; readonly reason: ChangeRefusal }
  | { readonly kind: 'wait'; readonly reason: ChangeDelay };

/** A change waits while the charge, a cancel or an earlier change of the installment may still end. */
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

/** Null: the transaction is approved and has its installments. */
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
 * A chargeback comes off its own installment first. But if the acquirer booked a cancel after the chargeback,
 * and we recorded the cancel before we knew of that, the cancel came off this installment here and off
 * another one there. So what is missing comes off the others, and the sums are equal again. More than all
 * installments have left is refused: the acquirer took back what was never sold.
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

/** `gone`: another process ended it meanwhile. */
export type ChangeResult = 'applied' | 'gone' | ChangeRefusal | ChangeDelay;
