import { saoPauloDayOf } from '../kit/days.ts';
import type { Charge } from './charge.ts';

/**
 * What names an approval on the acquirer's papers, twenty digits: the day on which it was given,
 * and its NSU. Null: it was not approved.
 */
export function tidOf({ at, decision }: Pick<Charge, 'at' | 'decision'>): string | null {
  if (decision.outcome !== 'approved') return null;
  return saoPauloDayOf(at).replaceAll('-', '') + String(decision.nsu).padStart(12, '0').slice(-12);
}
