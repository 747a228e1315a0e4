import { addDays, isDay } from '../../values/instant.ts';

export const MOST_DISPUTES_SHOWN = 200;
const MOST_DAYS = 366;

export function isPeriod({ from, to }: { readonly from: string; readonly to: string }): boolean {
  return (
    isDay(from) && isDay(to) && '1990' < from && to < '9000' && from <= to && to < addDays(from, MOST_DAYS)
  );
}
