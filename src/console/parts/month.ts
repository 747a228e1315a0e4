import { addDays, type Day, instant, isDay, saoPauloDay } from '../../values/instant.ts';
import type { Visit } from './screen.ts';

export type Month = {
  readonly first: Day;
  readonly last: Day;
  readonly today: Day;
};

export function monthOf({ query, now }: Pick<Visit, 'query' | 'now'>): Month {
  const today = saoPauloDay(instant(now));
  const wanted = query.day !== undefined && isReadable(query.day) ? query.day : today;
  const first = `${wanted.slice(0, 8)}01` as Day;
  const last = addDays(`${addDays(first, 31).slice(0, 8)}01` as Day, -1);
  return { first, last, today };
}

/** Leaves room for the months before and after, which the calendar links to. */
function isReadable(text: string): text is Day {
  return isDay(text) && text > '1921' && text < '9000';
}

export function daysOfMonth({ first, last }: Month): readonly Day[] {
  const days: Day[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

/** 0 for a Sunday. */
export function daysIntoWeek(day: Day): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}
