import type { Doubt } from './entries.ts';

/** What the asker may be made to wait for, in vain or not. */
export const OPERATIONS = ['token', 'authorize', 'check', 'capture', 'refund', 'find'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Of these nothing is done; of all others what was asked for is done, and its answer spoiled. */
export const BEFORE = ['silent', 'closed', 'unavailable', 'unauthorized', 'notFound'] as const;
export const AFTER = [
  ...(['booksButSilent', 'booksButClosed', 'booksButUnavailable', 'booksButCut'] as const),
  ...(['late', 'garbage'] as const),
] as const;
export type Fault = (typeof BEFORE)[number] | (typeof AFTER)[number];
export const FAULTS = [...BEFORE, ...AFTER] as const;

/** What a test asks of one request. */
export type Step = {
  readonly on: Operation;
  readonly fault: Fault | null;
  /** How long the request travels before it is looked at, whether or not its asker still waits. */
  readonly delayMilliseconds: number;
  /** Of an authorization: how many more times its request arrives, and each how much later. */
  readonly copies: number;
  readonly copiesAfterMilliseconds: number;
  readonly outcome: 'approved' | 'declined' | null;
  /** Of a decline: what ABECS numbers so, or the brand's own codes. */
  readonly meaning: string | null;
  readonly responseCode: string | null;
  readonly adviceCode: string | null;
  /** The acquirer's own code, in place of what would be answered; nothing is done unless it `books`. */
  readonly returnCode: string | null;
  readonly books: boolean;
  /** Of an authorization: the acquirer does not know. Null: how long it takes is the acquirer's horizon. */
  readonly doubt: (Pick<Doubt, 'status' | 'becomes'> & { readonly afterMilliseconds: number | null }) | null;
  /** Of a refund: accepted, and decided later. */
  readonly pending: { readonly afterMilliseconds: number; readonly fails: boolean } | null;
  readonly feePortion: number;
};

/** Whether nothing of what was asked for is done. */
export function isUndone(fault: Fault | null): boolean {
  return (BEFORE as readonly (Fault | null)[]).includes(fault);
}
