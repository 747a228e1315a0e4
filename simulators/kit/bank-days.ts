import { dayAfter, daysBetween } from './days.ts';

/** Months and days on which banks in all of Brazil are closed. */
const CLOSED = new Set(['01-01', '04-21', '05-01', '09-07', '10-12', '11-02', '11-15', '11-20', '12-25']);
/** Carnival (two days), Good Friday and Corpus Christi, counted from Easter. */
const CLOSED_AROUND_EASTER = new Set([-48, -47, -2, 60]);

/** The day itself when banks move money on it, else the next on which they do. */
export function bankDayFrom(day: string): string {
  let found = day;
  while (isClosed(found)) found = dayAfter(found, 1);
  return found;
}

function isClosed(day: string): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  if (weekday === 0 || weekday === 6 || CLOSED.has(day.slice(5))) return true;
  return CLOSED_AROUND_EASTER.has(daysBetween(easterOf(Number(day.slice(0, 4))), day));
}

/** By the rule of Gauss, as it holds from 1900 to 2099. */
function easterOf(year: number): string {
  const moon = (19 * (year % 19) + 24) % 30;
  const weekday = (2 * (year % 4) + 4 * (year % 7) + 6 * moon + 5) % 7;
  const after = moon + weekday;
  const isAWeekEarlier = (moon === 29 && weekday === 6) || (moon === 28 && weekday === 6 && year % 19 > 10);
  return dayAfter(`${year}-03-22`, isAWeekEarlier ? after - 7 : after);
}
