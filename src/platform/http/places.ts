import { mayTake } from '../work/fair-share.ts';

/** `full`: all places are taken. `merchant`, `unknown`: that caller's share is taken. */
export const NO_PLACE_REASONS = ['full', 'merchant', 'unknown'] as const;
export type NoPlaceReason = (typeof NO_PLACE_REASONS)[number];

/** The share reserved for unknown callers, which is also their limit. */
const SHARE_OF_UNKNOWN = 1 / 8;

export function divideCapacity(capacity: number): { readonly known: number; readonly unknown: number } {
  const unknown = Math.ceil(capacity * SHARE_OF_UNKNOWN);
  return { known: capacity - unknown, unknown };
}

/** Null when the merchant gets a place. */
export function whyNoPlace(
  places: number,
  taken: { readonly inAll: number; readonly ofMerchant: number },
): NoPlaceReason | null {
  if (mayTake(places, taken)) return null;
  return taken.inAll < places ? 'merchant' : 'full';
}
