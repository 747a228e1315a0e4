import { mayTake } from '../work/fair-share.ts';

/**
 * Why a request gets no place: all are taken, its merchant has its share, or unknown callers have
 * theirs.
 */
export const NO_PLACE_REASONS = ['full', 'merchant', 'unknown'] as const;
export type NoPlaceReason = (typeof NO_PLACE_REASONS)[number];

/** Of all places, for callers who are not known: it stays free for them, and is all that they get. */
const SHARE_OF_UNKNOWN = 1 / 8;

/** Parts for merchants and for unknown callers, of places or of bytes. */
export function divideCapacity(capacity: number): { readonly known: number; readonly unknown: number } {
  const unknown = Math.ceil(capacity * SHARE_OF_UNKNOWN);
  return { known: capacity - unknown, unknown };
}

/** Whether a merchant gets one of so many places; null when it does. */
export function whyNoPlace(
  places: number,
  taken: { readonly inAll: number; readonly ofMerchant: number },
): NoPlaceReason | null {
  if (mayTake(places, taken)) return null;
  return taken.inAll < places ? 'merchant' : 'full';
}
