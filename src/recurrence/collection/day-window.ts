import { addDays, type Day, type Instant, instant, startOfSaoPauloDay } from '../../values/instant.ts';

/**
 * The part of each day over which its charges are spread, in seconds from its beginning in São
 * Paulo. Both 0: nothing is spread, and a day's charges are due when it begins.
 */
export type ChargeWindow = { readonly startSeconds: number; readonly endSeconds: number };

export const NO_WINDOW: ChargeWindow = { startSeconds: 0, endSeconds: 0 };

/** Turns of a day: every billing has one of them for good, evenly spread. */
export const TURNS = 65_536;
/**
 * Before all turns, and without regard to the window: the first charge of a subscription, whose
 * customer has just enrolled.
 */
export const FIRST_CHARGE_TURN = -1;

const LAST_SECOND = 24 * 3_600 - 1;

/**
 * `06:00-20:00`: from when until when; null: no such window. It ends before midnight, for a day's
 * charges are that day's.
 */
export function readChargeWindow(text: string): ChargeWindow | null {
  const [, ...parts] = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (parts.length === 0) return null;
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = parts.map(Number);
  const startSeconds = fromHour * 3_600 + fromMinute * 60;
  const endSeconds = Math.min(toHour * 3_600 + toMinute * 60, LAST_SECOND);
  return startSeconds < endSeconds ? { startSeconds, endSeconds } : null;
}

/**
 * The instant at which the turn of a day has surely come. The claims reckon the other way round,
 * how far the turns are at an instant: a second more keeps both at one whatever is rounded.
 */
export function dueInstant(day: Day, turn: number, { startSeconds, endSeconds }: ChargeWindow): Instant {
  const dayStart = startOfSaoPauloDay(day);
  if (turn === FIRST_CHARGE_TURN || endSeconds === 0) return dayStart;
  const passed = Math.ceil(((endSeconds - startSeconds) * turn) / TURNS) + 1;
  return instant(dayStart + Math.min(startSeconds + passed, endSeconds) * 1_000);
}

/** The first day that begins no earlier than an instant, until which a retry has to wait. */
export function firstDayFrom(moment: Instant, day: Day): Day {
  return startOfSaoPauloDay(day) < moment ? addDays(day, 1) : day;
}
