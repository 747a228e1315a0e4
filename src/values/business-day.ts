import { addDays, type Day } from './instant.ts';

const FIXED_HOLIDAYS = ['01-01', '04-21', '05-01', '09-07', '10-12', '11-02', '11-15', '12-25'];
/** Zumbi and Black Consciousness Day, a national holiday since 2024. */
const BLACK_CONSCIOUSNESS = '11-20';
const FIRST_YEAR_OF_BLACK_CONSCIOUSNESS = 2024;
/** From Easter Sunday: both days of carnival, Good Friday, Corpus Christi. */
const DAYS_FROM_EASTER = [-48, -47, -2, 60];

/** Whether banks settle on the day. State and town holidays do not count: a boleto may be paid anywhere. */
export function isBusinessDay(day: Day): boolean {
  return !isWeekend(day) && !isBankHoliday(day);
}

export function businessDayFrom(day: Day): Day {
  let found = day;
  while (!isBusinessDay(found)) found = addDays(found, 1);
  return found;
}

/** Negative if `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000;
}

function isWeekend(day: Day): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday === 0 || weekday === 6;
}

function isBankHoliday(day: Day): boolean {
  const year = Number(day.slice(0, 4));
  const monthAndDay = day.slice(5);
  if (FIXED_HOLIDAYS.includes(monthAndDay)) return true;
  if (monthAndDay === BLACK_CONSCIOUSNESS) return year >= FIRST_YEAR_OF_BLACK_CONSCIOUSNESS;
  return DAYS_FROM_EASTER.includes(daysBetween(easterSunday(year), day));
}

/** By the Gregorian computus, the usual arithmetic for the date of Easter. */
export function easterSunday(year: number): Day {
  const century = Math.floor(year / 100);
  const golden = year % 19;
  const skippedLeapDays = century - Math.floor(century / 4);
  const moonCorrection = Math.floor((8 * century + 13) / 25);
  const epact = (19 * golden + skippedLeapDays - moonCorrection + 15) % 30;
  const isLateMoon = epact === 29 || (epact === 28 && golden > 10);
  const fullMoon = isLateMoon ? epact - 1 : epact;
  const weekday = (year + Math.floor(year / 4) + fullMoon + 2 - skippedLeapDays) % 7;
  const fromMarch = fullMoon - weekday + 28;
  const month = fromMarch > 31 ? 4 : 3;
  const dayOfMonth = fromMarch > 31 ? fromMarch - 31 : fromMarch;
  return `${String(year).padStart(4, '0')}-0${month}-${String(dayOfMonth).padStart(2, '0')}` as Day;
}
