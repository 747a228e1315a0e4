/**
 * Of a user, those who let this one in or gave the role, those who did so of these, and so on to the first;
 * the user too.
 */
export type Hands = ReadonlySet<string>;

/** Of one user; a chain that is longer than anybody would make is not followed to its end. */
export const MOST_HANDS = 200;

/**
 * Whether two users may be one person: somebody who lets others in can have made both up, or one of them
 * beside himself, however long ago.
 */
export function isOneHand(one: Hands | undefined, other: Hands | undefined): boolean {
  // What is not known is not two.
  return one === undefined || other === undefined || !one.isDisjointFrom(other);
}
