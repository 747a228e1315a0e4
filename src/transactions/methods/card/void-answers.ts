import { behindAnswer, isHeard, type UnclearCause } from '../../../platform/channels/unclear.ts';
import type { FoundCharge, VoidAnswer } from '../../../providers/acquirers/acquirer.ts';
import { VOID_ACCEPTED } from '../../../providers/acquirers/direct-acquirer.ts';
import { type Postponement, secondsUntilNextLook, secondsUntilNextResolveTry } from '../../transaction.ts';
import { LONGEST_PROMISE_MILLISECONDS } from '../../unresolved/unresolved.ts';
import type { UnresolvedCharge } from './resolutions.sql.ts';

/**
 * What the answer to a void says about the acquirer, if a look-up of the charge came before it. `isLook`: the
 * void says no more than a look-up does, because it found nothing to void, or could not tell.
 */
export function behindLook(
  found: FoundCharge,
  voided: VoidAnswer,
): { readonly answer: VoidAnswer; readonly isLook: boolean } {
  const isLook =
    voided.kind === 'notFound' ||
    voided.kind === 'declined' ||
    (voided.kind === 'voided' && voided.charges === 0) ||
    (voided.kind === 'unknown' && found.kind === 'unknown');
  return { answer: isHeard(found) ? behindAnswer(voided) : voided, isLook };
}

/** Whether the void's own look-up showed the charge as live. */
export function wasSeenLive(voided: VoidAnswer): boolean {
  if (voided.kind === 'voided') return (voided.charges ?? 0) > 0;
  return (voided.kind === 'unknown' || voided.kind === 'notSent') && voided.wasLive === true;
}

export function isVoidAccepted({ unknownReason }: Pick<UnresolvedCharge, 'unknownReason'>): boolean {
  return unknownReason === VOID_ACCEPTED;
}

/**
 * Whether the acquirer has accepted a void of the charge, now or earlier. An accepted void still stands if
 * its repetition gets a "no" that the accepted one would explain (`ofEarlier`).
 */
export function isPromised(charge: Pick<UnresolvedCharge, 'unknownReason'>, voided: VoidAnswer): boolean {
  if (voided.kind !== 'unknown' || voided.promise === undefined) return false;
  return voided.promise === 'made' || isVoidAccepted(charge);
}

type Promised = { readonly state: 'waits' | 'doubtful'; readonly postponement: Postponement };

/** The longest pause before a void is sent again: a repetition may also end a twin of the charge. */
export const LONGEST_VOID_PAUSE_SECONDS = 900;

/**
 * Acquirers carry out an accepted void the day after, and do not report that one failed. So the void is sent
 * again, ever more rarely; to repeat the void of a whole charge is harmless.
 */
export function promised(charge: Pick<UnresolvedCharge, 'tries' | 'searchedMilliseconds'>): Promised {
  return promisedIn(charge, Math.min(LONGEST_VOID_PAUSE_SECONDS, secondsUntilNextLook(charge.tries)));
}

function promisedIn(
  { searchedMilliseconds }: Pick<UnresolvedCharge, 'searchedMilliseconds'>,
  seconds: number,
): Promised {
  const isOverdue = searchedMilliseconds > LONGEST_PROMISE_MILLISECONDS;
  return { state: isOverdue ? 'doubtful' : 'waits', postponement: { seconds, reason: VOID_ACCEPTED } };
}

/**
 * A void that was accepted stands if this try was not answered, and the next try comes as soon as without a
 * void. Otherwise returns why the outcome is not known yet.
 */
export function unlessPromised(
  charge: Pick<UnresolvedCharge, 'tries' | 'searchedMilliseconds' | 'unknownReason'>,
  answer: { readonly kind: string; readonly cause?: UnclearCause; readonly reason: string },
): Promised | string {
  const isHeardNow = answer.kind !== 'notSent' && isHeard(answer);
  if (!isVoidAccepted(charge) || isHeardNow) return answer.reason;
  return promisedIn(charge, secondsUntilNextResolveTry(charge.tries));
}
