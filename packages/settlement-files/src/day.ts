declare const brand: unique symbol;

/** A day of the calendar, `YYYY-MM-DD`, from 1920-01-01 to 9999-12-31. Days compare as text. */
export type Day = string & { readonly [brand]: 'Day' };

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const FIRST_YEAR = 1920;

export function isDay(text: string): text is Day {
  const match = DAY.exec(text);
  if (match === null) return false;
  const [year, month, dayOfMonth] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year < FIRST_YEAR || month < 1 || month > 12 || dayOfMonth < 1) return false;
  return dayOfMonth <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

export function dayBefore(day: Day): Day {
  const [year, month, dayOfMonth] = [day.slice(0, 4), day.slice(5, 7), day.slice(8)].map(Number);
  const before = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, (dayOfMonth ?? 1) - 1)).toISOString();
  return before.slice(0, 10) as Day;
}
