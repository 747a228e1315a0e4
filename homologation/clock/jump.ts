import type { ClockedKind } from '../../src/platform/work/due-work.ts';
import { addDays, type Instant, instant, saoPauloDay } from '../../src/values/instant.ts';

/** Runs by kind. */
export type Ran = Readonly<Record<ClockedKind, number>>;

export const NOTHING_RAN: Ran = {
  changes: 0,
  preauthorizations: 0,
  boletos: 0,
  pix: 0,
  billings: 0,
  notices: 0,
  deliveries: 0,
};

export type JumpRequest = { readonly advanceDays: number } | { readonly to: Instant };

/** How far business time may be ahead of real time: two years. */
export const MOST_DAYS_AHEAD = 730;
const DAY_MILLISECONDS = 86_400_000;

export type JumpRefusal = 'backward' | 'tooManyDays' | 'tooFar' | 'underWay';

/** A day is 24 hours. Forward only, up to the end of the day two years from now. */
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
  readonly target: Instant | null;
  /** Runs of the current jump, or of the last. */
  readonly ran: Ran;
};

export function addRan(ran: Ran, kind: ClockedKind, count: number): Ran {
  return { ...ran, [kind]: ran[kind] + count };
}

export type Due = { readonly kind: ClockedKind; readonly at: Instant };

/** Due work that could not be run in time: it no longer holds the clock. */
export type GivenUp = ReadonlyMap<ClockedKind, Instant>;

/** The step past work that could not be run: the rest of its kind stays in order. */
const STEP_PAST_MILLISECONDS = 3_600_000;

/** Due now, except what was given up. */
export function overdueOf(dues: readonly Due[], now: Instant, givenUp: GivenUp): Due[] {
  return dues.filter(({ kind, at }) => at <= now && givenUp.get(kind) !== at);
}

/** The earliest due instant, or the target. Called when nothing is overdue. */
export function nextInstant(dues: readonly Due[], now: Instant, target: Instant): Instant {
  const ahead = dues.map(({ at }) => (at > now ? at : now + STEP_PAST_MILLISECONDS));
  return instant(Math.min(...ahead, target));
}
