import { addDays, type Day, type Instant, instant, startOfSaoPauloDay } from '../../values/instant.ts';

/**
 * The hours over which a day's charges are spread, in seconds of São Paulo's day. Both 0: all are due at its
 * beginning.
 */
export type ChargeWindow = { readonly startSeconds: number; readonly endSeconds: number };

export const NO_WINDOW: ChargeWindow = { startSeconds: 0, endSeconds: 0 };

/** Every billing has one fixed turn of the day; turns are evenly spread. */
export const TURNS = 65_536;
/** A subscription's first charge comes just after the enrolment: before all turns, outside any window. */
export const FIRST_CHARGE_TURN = -1;

const LAST_SECOND = 24 * 3_600 - 1;

/** Reads `06:00-20:00`; null if malformed. Ends before midnight: a day's charges belong to that day. */
export function readChargeWindow(text: string): ChargeWindow | null {
  const [, ...parts] = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (parts.length === 0) return null;
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = parts.map(Number);
  const startSeconds = fromHour * 3_600 + fromMinute * 60;
  const endSeconds = Math.min(toHour * 3_600 + toMinute * 60, LAST_SECOND);
  return startSeconds < endSeconds ? { startSeconds, endSeconds } : null;
}

/**
 * When the turn has surely come. Claims compute the reverse: which turns have come. One second more covers
 * rounding.
 */
export function dueInstant(day: Day, turn: number, { startSeconds, endSeconds }: ChargeWindow): Instant {
  const dayStart = startOfSaoPauloDay(day);
  if (turn === FIRST_CHARGE_TURN || endSeconds === 0) return dayStart;
  const passed = Math.ceil(((endSeconds - startSeconds) * turn) / TURNS) + 1;
  return instant(dayStart + Math.min(startSeconds + passed, endSeconds) * 1_000);
}

/** `day`, or the day after if `day` begins before `moment`. */
export function firstDayFrom(moment: Instant, day: Day): Day {
  return startOfSaoPauloDay(day) < moment ? addDays(day, 1) : day;
}
