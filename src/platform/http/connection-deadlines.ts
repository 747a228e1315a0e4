/** Why a connection is cut, or ended after its pending answers. */
export type CutReason = 'unreadAnswer' | 'slowBody' | 'pipelining' | 'roomForOthers';

/** How long a stranger's connection is kept for a next request. The answer states this time. */
export const STRANGER_IDLE_SECONDS = 10;
/** A little longer than stated, for a request sent at the last moment. */
export const STRANGER_IDLE_MILLISECONDS = 12_000;

/** Half a next request that came with the last one has this long to go on from where a stop begins. */
export const REST_MILLISECONDS = 300;

/** From when the request's turn begins. `known`: its token was accepted. */
const BODY_MILLISECONDS = { known: 20_000, unknown: 5_000 };
/** `ofPart`: of an answer (`answerInParts`); Node counts it when the system has taken it whole. */
const UNREAD_MILLISECONDS = { ofPart: 10_000, inAll: 60_000 };

export function isBodyLate(
  { begunAt, isKnown }: { readonly begunAt: number; readonly isKnown: boolean },
  now: number,
): boolean {
  return now - begunAt >= (isKnown ? BODY_MILLISECONDS.known : BODY_MILLISECONDS.unknown);
}

/** An answer not fully read: since when, the bytes taken when it last moved, and when it last moved. */
export type Unread = { readonly since: number; readonly taken: number; readonly movedAt: number };

export function unreadNow(before: Unread | null, taken: number, now: number): Unread {
  if (before === null) return { since: now, taken, movedAt: now };
  return before.taken === taken ? before : { ...before, taken, movedAt: now };
}

export function isUnreadTooLong({ since, movedAt }: Unread, now: number): boolean {
  return now - movedAt >= UNREAD_MILLISECONDS.ofPart || now - since >= UNREAD_MILLISECONDS.inAll;
}
