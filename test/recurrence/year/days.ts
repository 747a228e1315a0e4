const DAY_MILLISECONDS = 86_400_000;

/** `YYYY-MM-DD`, so many days later. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

/** The scheme goes on with the 28th behind later days. */
export function dayAfterMonths(day: string, months: number): string {
  const [year = 0, month = 0, of = 0] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months, Math.min(of, 28))).toISOString().slice(0, 10);
}

/** Of banks, by the laws alone: this judges what both sides make of their own lists. */
const FIXED_HOLIDAYS = [...['01-01', '04-21', '05-01', '09-07', '10-12', '11-02', '11-15', '11-20', '12-25']];
/** Carnival, Good Friday and Corpus Christi, in days from Easter. */
const FROM_EASTER = [-48, -47, -2, 60];

/** By Gauss, for the years 1900 to 2099. */
function easterOf(year: number): string {
  const [a, b, c] = [year % 19, year % 4, year % 7];
  const d = (19 * a + 24) % 30;
  const e = (2 * b + 4 * c + 6 * d + 5) % 7;
  const isLate = (d === 29 && e === 6) || (d === 28 && e === 6 && a > 10);
  return dayAfter(`${year}-03-22`, d + e - (isLate ? 7 : 0));
}

function isBankDay(day: string): boolean {
  const weekday = new Date(day).getUTCDay();
  if (weekday === 0 || weekday === 6 || FIXED_HOLIDAYS.includes(day.slice(5))) return false;
  const easter = easterOf(Number(day.slice(0, 4)));
  return FROM_EASTER.every((days) => dayAfter(easter, days) !== day);
}

/** That day, or the next one on which banks work. */
export function bankDayFrom(day: string): string {
  return isBankDay(day) ? day : bankDayFrom(dayAfter(day, 1));
}
