import { addDays, type Day, isDay } from '../../values/instant.ts';

export const MOST_DISPUTES_SHOWN = 200;
const MOST_DAYS = 366;
const DAY_MILLISECONDS = 86_400_000;

export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MILLISECONDS);
}

export function isPeriod({ from, to }: { readonly from: string; readonly to: string }): boolean {
  return (
    isDay(from) && isDay(to) && '1990' < from && to < '9000' && from <= to && to < addDays(from, MOST_DAYS)
  );
}
