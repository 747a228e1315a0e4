import type { ClockedKind } from '../../platform/work/due-work.ts';
import { addDays, type Instant, instant, saoPauloDay } from '../../values/instant.ts';

/** How many of each kind were run. */
export type Ran = Readonly<Record<ClockedKind, number>>;

export const NOTHING_RAN: Ran = {
  changes: 0,
  preauthorizations: 0,
  boletos: 0,
  billings: 0,
  notices: 0,
  deliveries: 0,
};

export type JumpRequest = { readonly advanceDays: number } | { readonly to: Instant };

/** How far ahead of the real day business time may run: two years. */
export const MOST_DAYS_AHEAD = 730;
const DAY_MILLISECONDS = 86_400_000;

export type JumpRefusal = 'backward' | 'tooManyDays' | 'tooFar' | 'underWay';

/**
 * A day is 24 hours; forward only, and no further than the end of a day two years from the real
 * one.
 */
export function jumpTarget(
  request: JumpRequest,
  businessNow: Instant,
  realNow: Instant,
): { readonly target: Instant } | { readonly refusal: JumpRefusal } {
  const isInDays = 'advanceDays' in request;
  const target = isInDays ? instant(businessNow + request.advanceDays * DAY_MILLISECONDS) : request.to;
  if (target <= businessNow) return { refusal: 'backward' };
  if (saoPauloDay(target) > addDays(saoPauloDay(realNow), MOST_DAYS_AHEAD))
    return { refusal: isInDays ? 'tooManyDays' : 'tooFar' };
  return { target };
}

export type ClockReading = {
  readonly now: Instant;
  /** The target of a current jump. */
  readonly target: Instant | null;
  /** What this jump has run so far, or the last one in all. */
  readonly ran: Ran;
};

export function addRan(ran: Ran, kind: ClockedKind, count: number): Ran {
  return { ...ran, [kind]: ran[kind] + count };
}

/** Something that falls due at an instant. */
export type Due = { readonly kind: ClockedKind; readonly at: Instant };

/** Due work that was awaited in vain: it holds the clock no longer. */
export type GivenUp = ReadonlyMap<ClockedKind, Instant>;

/**
 * How the clock goes on past something that could not be run: in steps that still keep the rest of
 * its kind in order.
 */
const STEP_PAST_MILLISECONDS = 3_600_000;

/** What is due now, without what was awaited in vain. */
export function overdueOf(dues: readonly Due[], now: Instant, givenUp: GivenUp): Due[] {
  return dues.filter(({ kind, at }) => at <= now && givenUp.get(kind) !== at);
}

/** The earliest due instant, or the target. Called when nothing is overdue. */
export function nextInstant(dues: readonly Due[], now: Instant, target: Instant): Instant {
  const ahead = dues.map(({ at }) => (at > now ? at : now + STEP_PAST_MILLISECONDS));
  return instant(Math.min(...ahead, target));
}
