/** Taken slots: in all, by this merchant, for this kind, and for both. */
export type Taken = {
  readonly inAll: number;
  readonly ofMerchant: number;
  readonly ofKind: number;
  readonly ofBoth: number;
};

/** Slots of a kind for each free slot: alone a kind gets three quarters. */
const KIND_FACTOR = 3;

/**
 * Whether a merchant may have one more slot: while it has fewer than are free. Alone it gets half; two get a
 * third each, three a quarter each. Some are always free for a newcomer.
 */
export function mayTake(slots: number, { inAll, ofMerchant }: Pick<Taken, 'inAll' | 'ofMerchant'>): boolean {
  return ofMerchant < slots - inAll;
}

/**
 * `mayTake` for slots with kinds (card brands, say) that may become slow. A kind gets at most three quarters
 * of all slots and of a merchant's, so that other kinds go on. Within a kind a merchant gets as many as are
 * left, so that other merchants go on.
 */
export function mayTakeOfKind(slots: number, { inAll, ofMerchant, ofKind, ofBoth }: Taken): boolean {
  const free = slots - inAll;
  return ofBoth < KIND_FACTOR * (free - ofMerchant) && ofBoth < KIND_FACTOR * free - ofKind;
}
