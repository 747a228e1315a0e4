import { type RefusalShape, refusal } from '../../platform/http/refusal.ts';
import { addDays, type Day, type Instant, saoPauloDay, startOfSaoPauloDay } from '../../values/instant.ts';

const USUAL_DAYS = 30;
const MOST_DAYS = 366;

export const LIFE_TEXT = `in São Paulo: today or later, ${MOST_DAYS} days ahead at most. Default: ${USUAL_DAYS} days.`;

export const LIFE_REFUSALS = {
  expired: refusal(400, 'expirationDate', { pt: 'Este dia já passou.', en: 'This day is past.' }),
  tooFarAhead: refusal(400, 'expirationDate', {
    pt: `Este dia está a mais de ${MOST_DAYS} dias.`,
    en: `This day is more than ${MOST_DAYS} days ahead.`,
  }),
} as const satisfies Record<string, RefusalShape>;

export type LifeRefusal = keyof typeof LIFE_REFUSALS;

/** Null: the last day is allowed. `now`: business time. */
export function lifeRefusal(lastDay: string | undefined, now: Instant): LifeRefusal | null {
  if (lastDay === undefined) return null;
  const today = saoPauloDay(now);
  if (lastDay < today) return 'expired';
  return lastDay > addDays(today, MOST_DAYS) ? 'tooFarAhead' : null;
}

/** The first moment after the last day of a page. */
export function endOfLife(lastDay: string | undefined, now: Instant): Instant {
  const day = (lastDay as Day | undefined) ?? addDays(saoPauloDay(now), USUAL_DAYS);
  return startOfSaoPauloDay(addDays(day, 1));
}
