/** Why a connection is cut, or ends behind its pending answers. */
export type CutReason = 'unreadAnswer' | 'slowBody' | 'pipelining' | 'roomForOthers';

/** As an answer to a stranger says it: so long its connection is kept for a next request. */
export const STRANGER_IDLE_SECONDS = 10;
/** A little later, for what is sent in the last moment. */
export const STRANGER_IDLE_MILLISECONDS = 12_000;

/** From the beginning of its turn: of a request whose token was accepted, and of any other. */
const BODY_MILLISECONDS = { known: 20_000, unknown: 5_000 };
/** Without a byte of an answer being read, and for all of an answer. */
const UNREAD_MILLISECONDS = { without: 10_000, inAll: 60_000 };

export function isBodyLate(
  { begunAt, isKnown }: { readonly begunAt: number; readonly isKnown: boolean },
  now: number,
): boolean {
  return now - begunAt >= (isKnown ? BODY_MILLISECONDS.known : BODY_MILLISECONDS.unknown);
}

/**
 * An answer that is not read in whole: since when, how much was left when it moved last, and when
 * that was.
 */
export type Unread = { readonly since: number; readonly left: number; readonly movedAt: number };

export function unreadNow(before: Unread | null, left: number, now: number): Unread {
  if (before === null) return { since: now, left, movedAt: now };
  return before.left === left ? before : { ...before, left, movedAt: now };
}

export function isUnreadTooLong({ since, movedAt }: Unread, now: number): boolean {
  return now - movedAt >= UNREAD_MILLISECONDS.without || now - since >= UNREAD_MILLISECONDS.inAll;
}
