import { daysBetween } from '../kit/days.ts';
import type { Period } from './rec-content.ts';

const DAYS_OF_A_WEEK = 7;
const MONTHS: Readonly<Record<Exclude<Period, 'SEMANAL'>, number>> = {
  MENSAL: 1,
  TRIMESTRAL: 3,
  SEMESTRAL: 6,
  ANUAL: 12,
};

/** The number of the period that a day lies in; the first begins on `from`. Negative before that. */
export function cycleOf(period: Period, from: string, day: string): number {
  if (period === 'SEMANAL') return Math.floor(daysBetween(from, day) / DAYS_OF_A_WEEK);
  const [year = 0, month = 0, first = 0] = from.split('-').map(Number);
  const [ofYear = 0, ofMonth = 0, ofDay = 0] = day.split('-').map(Number);
  const lastOfMonth = new Date(Date.UTC(ofYear, ofMonth, 0)).getUTCDate();
  const begun = ofDay >= Math.min(first, lastOfMonth) ? 0 : 1;
  return Math.floor(((ofYear - year) * 12 + ofMonth - month - begun) / MONTHS[period]);
}
