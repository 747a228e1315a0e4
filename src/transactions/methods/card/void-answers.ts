import { behindAnswer, isHeard, type UnclearCause } from '../../../platform/channels/unclear.ts';
import type { FoundCharge, VoidAnswer } from '../../../providers/acquirers/acquirer.ts';
import { VOID_ACCEPTED } from '../../../providers/acquirers/direct-acquirer.ts';
import { type Postponement, secondsUntilNextLook, secondsUntilNextResolveTry } from '../../transaction.ts';
import { LONGEST_PROMISE_MILLISECONDS } from '../../unresolved/unresolved.ts';
import type { UnresolvedCharge } from './resolutions.sql.ts';

/**
 * What a void tells of its acquirer behind a look-up of the charge. `isLook`: no more than that look-up did,
 * because it found nothing to send, or could not say.
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

/** By the void's own look-up. */
export function wasSeenLive(voided: VoidAnswer): boolean {
  if (voided.kind === 'voided') return (voided.charges ?? 0) > 0;
  return (voided.kind === 'unknown' || voided.kind === 'notSent') && voided.wasLive === true;
}

export function isVoidAccepted({ unknownReason }: Pick<UnresolvedCharge, 'unknownReason'>): boolean {
  return unknownReason === VOID_ACCEPTED;
}

/** A void that was accepted stands, where a repetition is answered by what it explains. */
export function isPromised(charge: Pick<UnresolvedCharge, 'unknownReason'>, voided: VoidAnswer): boolean {
  if (voided.kind !== 'unknown' || voided.promise === undefined) return false;
  return voided.promise === 'made' || isVoidAccepted(charge);
}

type Promised = { readonly state: 'waits' | 'doubtful'; readonly postponement: Postponement };

/** What is sent again may end another one of the same charge, too. */
export const LONGEST_VOID_PAUSE_SECONDS = 900;

/**
 * Acquirers do what they accepted the day after, and tell of none that failed: so it is sent again, ever more
 * rarely, which of the whole is harmless.
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

/** What was not answered takes no promise back, and comes again as soon as ever. */
export function unlessPromised(
  charge: Pick<UnresolvedCharge, 'tries' | 'searchedMilliseconds' | 'unknownReason'>,
  answer: { readonly kind: string; readonly cause?: UnclearCause; readonly reason: string },
): Promised | string {
  const isHeardNow = answer.kind !== 'notSent' && isHeard(answer);
  if (!isVoidAccepted(charge) || isHeardNow) return answer.reason;
  return promisedIn(charge, secondsUntilNextResolveTry(charge.tries));
}
