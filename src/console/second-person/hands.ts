import type { ReachedHand } from '../users/hands.sql.ts';

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
