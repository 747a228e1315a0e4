const DAY_MILLISECONDS = 86_400_000;
const HOUR_MILLISECONDS = 3_600_000;
/** São Paulo has had no other offset since 2019. */
const HOURS_BEHIND_UTC = 3;

/** A day is `YYYY-MM-DD`, so that days compare in order as text. */
export function isDay(text: string): boolean {
  const milliseconds = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(milliseconds) && dayOf(milliseconds) === text;
}

export function daysAfter(day: string, count: number): string {
  return dayOf(midnight(day) + count * DAY_MILLISECONDS);
}

export function daysBetween(from: string, to: string): number {
  return (midnight(to) - midnight(from)) / DAY_MILLISECONDS;
}

/** The instant of an hour of the day in São Paulo. */
export function atHour(day: string, hour: number): number {
  return midnight(day) + (hour + HOURS_BEHIND_UTC) * HOUR_MILLISECONDS;
}

export function saoPauloDay(instant: number): string {
  return dayOf(instant - HOURS_BEHIND_UTC * HOUR_MILLISECONDS);
}

function midnight(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
