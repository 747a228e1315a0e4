/** Why a connection is cut, or ended after its pending answers. */
export type CutReason = 'unreadAnswer' | 'slowBody' | 'pipelining' | 'roomForOthers';

/**
 * How long a stranger's connection, over which no token was accepted, is kept for a next request. The answer
 * states this time.
 */
export const STRANGER_IDLE_SECONDS = 10;
/** A little longer than stated, for a request sent at the last moment. */
export const STRANGER_IDLE_MILLISECONDS = 12_000;

/**
 * During a stop: a kept connection that brings nothing for so long is idle. Its last bytes may have been a
 * part of a next request, whose rest is on the way.
 */
export const REST_MILLISECONDS = 300;

/** How long a body may take from the beginning of its request's turn. `known`: a token was accepted. */
const BODY_MILLISECONDS = { known: 20_000, unknown: 5_000 };
/**
 * How long a reader may take over a finished answer. `ofPart`: for its next part (`answerInParts`), which
 * Node counts when the system has taken it whole. `inAll`: for all of it.
 */
const UNREAD_MILLISECONDS = { ofPart: 10_000, inAll: 60_000 };

export function isBodyLate(
  { begunAt, isKnown }: { readonly begunAt: number; readonly isKnown: boolean },
  now: number,
): boolean {
  return now - begunAt >= (isKnown ? BODY_MILLISECONDS.known : BODY_MILLISECONDS.unknown);
}

/**
 * A finished answer that is not fully read. `since`: when that was first seen. `taken`: the bytes taken from
 * the socket by `movedAt`, when its reader last took some.
 */
export type Unread = { readonly since: number; readonly taken: number; readonly movedAt: number };

export function unreadNow(before: Unread | null, taken: number, now: number): Unread {
  if (before === null) return { since: now, taken, movedAt: now };
  return before.taken === taken ? before : { ...before, taken, movedAt: now };
}

export function isUnreadTooLong({ since, movedAt }: Unread, now: number): boolean {
  return now - movedAt >= UNREAD_MILLISECONDS.ofPart || now - since >= UNREAD_MILLISECONDS.inAll;
}
