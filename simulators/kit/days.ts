const HOUR_MILLISECONDS = 3_600_000;
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;
/** São Paulo is three hours behind UTC, all the year. */
const BEHIND_UTC_MILLISECONDS = 3 * HOUR_MILLISECONDS;

/** `2026-11-21` of an instant in milliseconds since 1970. */
export function saoPauloDayOf(at: number): string {
  return new Date(at - BEHIND_UTC_MILLISECONDS).toISOString().slice(0, 10);
}

/** `130000`: the time of day in São Paulo. */
export function saoPauloTimeOf(at: number): string {
  return new Date(at - BEHIND_UTC_MILLISECONDS).toISOString().slice(11, 19).replaceAll(':', '');
}

/** The first instant behind the day. */
export function endOfDay(day: string): number {
  return atHour(day, 24);
}

/** The instant of an hour of the day in São Paulo. */
export function atHour(day: string, hour: number): number {
  return Date.parse(`${day}T00:00:00Z`) + hour * HOUR_MILLISECONDS + BEHIND_UTC_MILLISECONDS;
}

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

/** Whole days from one day to another. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MILLISECONDS;
}

/** A day is `YYYY-MM-DD`, so that days compare in order as text. */
export function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
