import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import type { Form } from '../parts/screen.ts';
import type { User } from '../parts/user.ts';
import type { ReachedHand } from '../users/hands.sql.ts';
import type { Person } from '../users/user.ts';

/** What a person asked for that moves more than the limit: it stands as it was written. */
export type SecondPersonRequest = {
  readonly requestId: string;
  /** Null: of the operator's pages, which no merchant's user sees. */
  readonly merchantId: string | null;
  readonly requestedBy: string;
  readonly operation: string;
  /** As the form was sent to, with `/console`. */
  readonly path: string;
  readonly fields: Form;
  readonly reason: string;
  /** What will move. */
  readonly amount: Cents;
  /** How the thing stood. */
  readonly standing: string;
  readonly requestedAt: Instant;
  readonly expiresAt: Instant;
};

export const REQUEST_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** Of one person, so that the list stays one that a person reads. */
export const MOST_WAITING = 20;

/** Of those that wait, and of those that wait no more. */
export const MOST_REQUESTS_SHOWN = 100;

/** What is sealed of a request: all of it. */
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

/** What a second person said of a request. `outcome` null: it is not known, or under way. */
export type SecondPersonDecision = {
  readonly decision: (typeof DECISIONS)[number];
  readonly decidedBy: Person;
  readonly reason: string;
  readonly decidedAt: Instant;
  readonly outcome: (typeof OUTCOMES)[number] | null;
  readonly refusal: string | null;
};

/** A request with what became of it; `now` by the clock of the database, of which it expires. */
export type FoundRequest = {
  readonly request: SecondPersonRequest;
  readonly seal: Buffer;
  readonly requester: User;
  readonly isRequesterLockedOut: boolean;
  readonly decision: SecondPersonDecision | null;
  readonly now: Instant;
};

/** Where a request stands for those who look at it. */
export type RequestState = 'waiting' | 'expired' | SecondPersonDecision['decision'];

export function stateOf({ request, decision, now }: FoundRequest): RequestState {
  if (decision !== null) return decision.decision;
  return now < request.expiresAt ? 'waiting' : 'expired';
}

/**
 * Why a person may not decide. `oneHand`: the two may be one person, who let the other in. `newcomer`:
 * somebody let this person in within the last day, and may have made a second one of him;
 * `newRequester`: the same of the one who asked. `underWay`: it, or something else of the same thing, is
 * being done. `notAllowed`: the one who asked, or who decides, may not do it alone either.
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
  /** With the one who asked. */
  readonly isOneHand: boolean;
  readonly isNewcomer: boolean;
  readonly isRequesterNew: boolean;
  /** Of the person who decides and of the one who asked. */
  readonly mayBoth: boolean;
};

/** Null: the person may approve it. */
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

/** The same of declining: the one who asked may take it back. */
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
 * Of a user, all who stand behind the hand that he has now: the user, those who let in this hand or gave it a
 * role, those who did so of these, as they were then, and so on to the first.
 */
export type Hands = ReadonlySet<string>;

/** Of one user; a chain that is longer than anybody would make is not followed to its end. */
export const MOST_HANDS = 200;

/**
 * By users. Their hands are followed each as it was; here a user counts as one, whichever hand it was: who is
 * let in anew may be who he was before, with those whom he let in then.
 */
export function handsOf(reached: readonly ReachedHand[]): ReadonlyMap<string, Hands> {
  const hands = new Map<string, Set<string>>();
  for (const { ofUser, userId } of reached) hands.getOrInsertComputed(ofUser, () => new Set()).add(userId);
  return hands;
}

/**
 * Whether two users may be one person: somebody who lets others in can have made both up, or one of them
 * beside himself, however long ago.
 */
export function isOneHand(one: Hands | undefined, other: Hands | undefined): boolean {
  // Who is not followed to the end is not two.
  return one === undefined || other === undefined || !one.isDisjointFrom(other);
}
