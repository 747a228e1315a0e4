import { isHeard } from '../../../platform/channels/unclear.ts';
import type { VoidAnswer } from '../../../providers/acquirers/acquirer.ts';
import { VOID_ACCEPTED } from '../../../providers/acquirers/direct-acquirer.ts';
import { type Postponement, secondsUntilNextLook } from '../../transaction.ts';
import { LONGEST_PROMISE_MILLISECONDS } from '../../unresolved/unresolved.ts';
import type { UnresolvedCharge } from './resolutions.sql.ts';

export function isVoidAccepted({ unknownReason }: Pick<UnresolvedCharge, 'unknownReason'>): boolean {
  return unknownReason === VOID_ACCEPTED;
}

/** A void that was accepted stands, whatever a repetition of it is answered that says nothing else. */
export function isPromised(charge: Pick<UnresolvedCharge, 'unknownReason'>, voided: VoidAnswer): boolean {
  if (voided.kind !== 'unknown') return false;
  if (voided.promise === 'made') return true;
  return isVoidAccepted(charge) && (voided.promise === 'ofEarlier' || !isHeard(voided));
}

/**
 * Acquirers do what they accepted the day after, and tell of none that failed: so it is sent again, ever more
 * rarely, which of the whole is harmless.
 */
export function promised({
  tries,
  searchedMilliseconds,
}: Pick<UnresolvedCharge, 'tries' | 'searchedMilliseconds'>): {
  readonly state: 'waits' | 'doubtful';
  readonly postponement: Postponement;
} {
  const postponement = { seconds: secondsUntilNextLook(tries), reason: VOID_ACCEPTED };
  const isOverdue = searchedMilliseconds > LONGEST_PROMISE_MILLISECONDS;
  return { state: isOverdue ? 'doubtful' : 'waits', postponement };
}
