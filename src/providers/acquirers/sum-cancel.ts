import { forPerson, isHeard, unusable } from '../../platform/channels/unclear.ts';
import type { CancelAnswer, CancelHistory, NotSent, Unknown } from './acquirer.ts';

/** What the acquirer says that it gave back of a charge, in cents. */
export type GivenBack = {
  readonly done: number;
  /** Accepted, and not done yet. */
  readonly underWay: number;
  /** The acquirer's identifiers of those that are under way. */
  readonly underWayIds: readonly string[];
  /** The acquirer's identifiers of those that it accepted and could not do. */
  readonly failed: readonly string[];
};

export type AskedCancel = { readonly amount: number; readonly history: CancelHistory };

/** `send`: it is not booked, and no earlier request of it will be any more. */
type Step = CancelAnswer | { readonly kind: 'send' };

/**
 * A cancel that could not be looked up is not sent, and is not kept if it never was. Where the answer was of
 * no use, asking again brings nothing.
 */
export function unsentCancel({ sinceLastSend }: CancelHistory, look: Unknown | NotSent): CancelAnswer {
  if (sinceLastSend !== null || look.kind === 'notSent') return look;
  return { kind: 'notSent', reason: look.reason, cause: look.cause ?? 'silent', isForPerson: isHeard(look) };
}

/**
 * A cancel of a charge that the acquirer does not show. The charge was shown before the request, so after a
 * while this is no lag: the acquirer shows it no longer, and asking again brings nothing.
 */
export function unseenCancel(history: CancelHistory, reason: string): CancelAnswer {
  const { sinceLastSend } = history;
  if (sinceLastSend !== null) return behindLag(sinceLastSend, reason);
  return unsentCancel(history, unusable(reason));
}

function behindLag(sinceLastSend: number, reason: string): Unknown {
  return sinceLastSend < LAG_MILLISECONDS ? unusable(reason) : forPerson(reason);
}

/**
 * What became of a cancel at an acquirer that knows no reference of it. Such cancels of a charge come one
 * after the other, so the sum is what the others gave back, with this one or without it. `silence`: real
 * milliseconds from the last request until it surely will not be booked any more. An accepted one is refused
 * only where the acquirer says so of itself: a list that does not show it may be old. One that was said no to
 * is sent no more.
 */
export function stepOfCancel({ amount, history }: AskedCancel, sums: GivenBack, silence: number): Step {
  const { givenBack, sinceLastSend, isAccepted, refundId, isDenied } = history;
  const { done, underWay, underWayIds } = sums;
  if (sinceLastSend === null) return firstStep(givenBack, sums);
  if (underWay === 0 && done === givenBack + amount) return { kind: 'canceled' };
  // Its own identifier is kept: by it alone a failure is told from those of others.
  if (underWay === amount && done === givenBack)
    return { kind: 'pending', refundId: underWayIds.length === 1 ? (underWayIds[0] ?? null) : null };
  if (isBehind(givenBack, sums, givenBack + amount)) return behindLag(sinceLastSend, BEHIND);
  if (underWay !== 0 || done !== givenBack)
    return forPerson('what the acquirer gave back fits no cancel on record');
  if (refundId !== null && sums.failed.includes(refundId)) return { kind: 'refused', reason: 'failed' };
  const isSilent = sinceLastSend >= silence;
  if (isAccepted)
    return { kind: 'pending', overdue: isSilent ? 'the acquirer accepted it, and does not show it' : null };
  if (isDenied || !isSilent) return { kind: 'notFound', reason: 'the acquirer has not given it back' };
  return { kind: 'send' };
}

const BEHIND = 'the acquirer shows less than it gave back';

/** The other cancels were decided before this one was sent: after this time look-ups show them. */
const LAG_MILLISECONDS = 600_000;

/** Whether some of `givenBack` is not shown as done yet. More than `most` in all: somebody else gave back. */
function isBehind(givenBack: number, { done, underWay }: GivenBack, most: number): boolean {
  const isAll = done + underWay === most && underWay > 0;
  return isAll || (done < givenBack && done + underWay <= most);
}

function firstStep(givenBack: number, sums: GivenBack): Step {
  const { done, underWay } = sums;
  if (underWay === 0 && done === givenBack) return { kind: 'send' };
  if (isBehind(givenBack, sums, givenBack)) return { kind: 'notSent', reason: BEHIND, isForPerson: true };
  // Somebody gave back at the acquirer's own desk: sums would tell nothing of this cancel.
  return { kind: 'refused', reason: 'failed' };
}
