/**
 * Why a request gets no place: all are taken, its merchant has its share, or callers who are not known have
 * theirs.
 */
export const NO_PLACE_REASONS = ['full', 'merchant', 'unknown'] as const;
export type NoPlaceReason = (typeof NO_PLACE_REASONS)[number];

/** How many places are taken: by all, by callers who are not known, and by the merchant that asks for one. */
export type Taken = { readonly inAll: number; readonly unknown: number; readonly byMerchant: number };

/** After a request found no place at all, the places count as crowded for so long. */
const CROWDED_MILLISECONDS = 5_000;

/**
 * Of all places: what callers who are not known may take, which stays free for them; what one merchant may
 * take, and what it may take while it is crowded. A merchant and all strangers together are less than a
 * crowd: it takes several merchants to make one, and each of them gives way to the others.
 */
const SHARES = { unknown: 1 / 8, merchant: 1 / 2, merchantInCrowd: 1 / 4, crowd: 3 / 4 };

/** Crowded: three quarters of the places are taken, or a moment ago somebody found none. */
export function isCrowded(places: number, { inAll }: Taken, fullAt: number | null, now: number): boolean {
  return inAll >= places * SHARES.crowd || (fullAt !== null && now - fullAt < CROWDED_MILLISECONDS);
}

/** Whether a known caller gets a place; null when it does. */
export function whyNoPlace(places: number, taken: Taken, crowded: boolean): NoPlaceReason | null {
  const share = places * (crowded ? SHARES.merchantInCrowd : SHARES.merchant);
  if (taken.byMerchant >= share) return 'merchant';
  return taken.inAll - taken.unknown >= places * (1 - SHARES.unknown) ? 'full' : null;
}

/** The same for a caller who is not known. */
export function whyNoPlaceForUnknown(places: number, taken: Taken): NoPlaceReason | null {
  return taken.unknown >= places * SHARES.unknown ? 'unknown' : null;
}
