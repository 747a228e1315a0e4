import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import type { Form } from '../parts/screen.ts';
import type { User } from '../parts/user.ts';
import type { ReachedHand } from '../users/hands.sql.ts';
import type { Person } from '../users/user.ts';

/**
 * A person's request to move more than the limit for one person. A second person decides it. It never
 * changes.
 */
export type SecondPersonRequest = {
  readonly requestId: string;
  /** Null: made on the operator's pages, which users of merchants cannot see. */
  readonly merchantId: string | null;
  readonly requestedBy: string;
  readonly operation: string;
  /** The path that the form was sent to, with `/console`. */
  readonly path: string;
  readonly fields: Form;
  readonly reason: string;
  readonly amount: Cents;
  readonly standing: string;
  readonly requestedAt: Instant;
  readonly expiresAt: Instant;
};

export const REQUEST_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** The most requests of one person that may wait, so that the list stays readable. */
export const MOST_WAITING = 20;

/** The most requests shown of those that wait, and of those that are over. */
export const MOST_REQUESTS_SHOWN = 100;

/**
 * The text that a request's seal is made of. It covers every field, so that no change in the database goes
 * unseen.
 */
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

/**
 * `outcome` of what was approved; null: it is under way, or not known, or the request was declined.
 * `refusal`: why it was refused then.
 */
export type SecondPersonDecision = {
  readonly decision: (typeof DECISIONS)[number];
  readonly decidedBy: Person;
  readonly reason: string;
  readonly decidedAt: Instant;
  readonly outcome: (typeof OUTCOMES)[number] | null;
  readonly refusal: string | null;
};

/** A request as it stands. `now`: the database's clock, which decides whether it has expired. */
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
 * Why a decision is refused. `oneHand`: requester and decider may be one person, who invented the other.
 * `newcomer`, `newRequester`: the decider, or the requester, was let in or got the role within the last day,
 * and may be invented. `underWay`: another act on the same thing has no known end. `notAllowed`: one of the
 * two lacks the right. `altered`: the seal does not fit the request. `changed`: the thing is not as it was
 * when the request was made.
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
  /** The decider and the requester may be one person in two names. */
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

/** Who may approve may decline, and the requester may take the request back. */
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

/**
 * The ids of a user and of all who stand behind the user's present access: who gave access or a role, who
 * gave it to them, and so on.
 */
export type Hands = ReadonlySet<string>;

/** The most ids that are read for the `Hands` of a user. A longer chain is not followed to its end. */
export const MOST_HANDS = 200;

/**
 * A user stands for all accesses that the user ever had: somebody who was let in again may be the same
 * person.
 */
export function handsOf(reached: readonly ReachedHand[]): ReadonlyMap<string, Hands> {
  const hands = new Map<string, Set<string>>();
  for (const { ofUser, userId } of reached) hands.getOrInsertComputed(ofUser, () => new Set()).add(userId);
  return hands;
}

/**
 * True if one person stands behind the access of both: that person can have invented both, or one of them,
 * however long ago.
 */
export function isOneHand(one: Hands | undefined, other: Hands | undefined): boolean {
  // A chain that was not followed to its end counts as connected.
  return one === undefined || other === undefined || !one.isDisjointFrom(other);
}
