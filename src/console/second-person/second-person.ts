import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import type { Form } from '../parts/screen.ts';
import type { User } from '../parts/user.ts';
import type { ReachedHand } from '../users/hands.sql.ts';
import type { Person } from '../users/user.ts';

/** A request to move more than the limit allows. It never changes after it was written. */
export type SecondPersonRequest = {
  readonly requestId: string;
  /** Null: the operator's pages, which merchant users cannot see. */
  readonly merchantId: string | null;
  readonly requestedBy: string;
  readonly operation: string;
  /** The path of the form, with `/console`. */
  readonly path: string;
  readonly fields: Form;
  readonly reason: string;
  readonly amount: Cents;
  readonly standing: string;
  readonly requestedAt: Instant;
  readonly expiresAt: Instant;
};

export const REQUEST_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** Per person, so that the list stays readable. */
export const MOST_WAITING = 20;

/** Limits waiting requests and decided ones, each. */
export const MOST_REQUESTS_SHOWN = 100;

/** The sealed text covers every field. */
export function requestText(request: SecondPersonRequest): string {
  const fields = Object.entries(request.fields).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `console request|${JSON.stringify([
    request.requestId,
    request.merchantId,
    request.requestedBy,
    request.operation,
    request.path,
    fields,
    request.reason,
    request.amount,
    request.standing,
    request.requestedAt,
    request.expiresAt,
  ])}`;
}

export const DECISIONS = ['approved', 'declined'] as const;
export const OUTCOMES = ['done', 'refused'] as const;

/** `outcome` null: not known, or under way. */
export type SecondPersonDecision = {
  readonly decision: (typeof DECISIONS)[number];
  readonly decidedBy: Person;
  readonly reason: string;
  readonly decidedAt: Instant;
  readonly outcome: (typeof OUTCOMES)[number] | null;
  readonly refusal: string | null;
};

/** `now` is the database's clock, which decides expiry. */
export type FoundRequest = {
  readonly request: SecondPersonRequest;
  readonly seal: Buffer;
  readonly requester: User;
  readonly isRequesterLockedOut: boolean;
  readonly decision: SecondPersonDecision | null;
  readonly now: Instant;
};

export type RequestState = 'waiting' | 'expired' | SecondPersonDecision['decision'];

export function stateOf({ request, decision, now }: FoundRequest): RequestState {
  if (decision !== null) return decision.decision;
  return now < request.expiresAt ? 'waiting' : 'expired';
}

/**
 * `oneHand`: one may have invented the other. `newcomer`, `newRequester`: invited within the last day, so the
 * inviter may have invented the user. `underWay`: an act on the same object is not finished. `notAllowed`:
 * one of the two lacks the right.
 */
export type DecisionFault =
  | 'decided'
  | 'expired'
  | 'samePerson'
  | 'oneHand'
  | 'newcomer'
  | 'newRequester'
  | 'underWay'
  | 'notAllowed'
  | 'requesterLockedOut'
  | 'altered'
  | 'changed';

export type Decider = {
  readonly user: Pick<User, 'userId'>;
  /** The decider and the requester may be one person. */
  readonly isOneHand: boolean;
  readonly isNewcomer: boolean;
  readonly isRequesterNew: boolean;
  readonly mayBoth: boolean;
};

export function approvalFault(
  found: FoundRequest,
  { user, isOneHand, isNewcomer, isRequesterNew, mayBoth }: Decider,
): DecisionFault | null {
  const state = stateOf(found);
  if (state === 'expired') return 'expired';
  if (state !== 'waiting') return 'decided';
  if (user.userId === found.request.requestedBy) return 'samePerson';
  if (found.isRequesterLockedOut) return 'requesterLockedOut';
  if (!mayBoth) return 'notAllowed';
  if (isOneHand) return 'oneHand';
  if (isNewcomer) return 'newcomer';
  return isRequesterNew ? 'newRequester' : null;
}

/** The requester may withdraw the request. */
export function declineFault(
  found: FoundRequest,
  mayDecider: boolean,
  user: Pick<User, 'userId'>,
): DecisionFault | null {
  const state = stateOf(found);
  if (state === 'expired') return 'expired';
  if (state !== 'waiting') return 'decided';
  return mayDecider || user.userId === found.request.requestedBy ? null : 'notAllowed';
}

/** The chain of invitations and role grants that leads to the user's present access, with the user. */
export type Hands = ReadonlySet<string>;

/** Per user. A longer chain is not followed to its end. */
export const MOST_HANDS = 200;

/** A user counts as one person over all grants: somebody invited again may be the same person. */
export function handsOf(reached: readonly ReachedHand[]): ReadonlyMap<string, Hands> {
  const hands = new Map<string, Set<string>>();
  for (const { ofUser, userId } of reached) hands.getOrInsertComputed(ofUser, () => new Set()).add(userId);
  return hands;
}

/** Somebody who invites others can have invented both, or one of them, however long ago. */
export function isOneHand(one: Hands | undefined, other: Hands | undefined): boolean {
  // An incomplete chain counts as connected.
  return one === undefined || other === undefined || !one.isDisjointFrom(other);
}
