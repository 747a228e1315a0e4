/** Slots that are taken: in all, by a merchant, for a kind of work, and by this merchant for this kind. */
export type Taken = {
  readonly inAll: number;
  readonly ofMerchant: number;
  readonly ofKind: number;
  readonly ofBoth: number;
};

/** For each slot that is free a kind may have so many: alone it gets three quarters. */
const KIND_FACTOR = 3;

/**
 * Whether a merchant may have one more of so many slots, or places to wait: while it has fewer than are
 * free. One alone gets half, two that want all get a third each, three a quarter each; whatever others have,
 * some are free for a merchant that has none.
 */
export function mayTake(slots: number, { inAll, ofMerchant }: Pick<Taken, 'inAll' | 'ofMerchant'>): boolean {
  return ofMerchant < slots - inAll;
}

/**
 * The same where slots are of kinds (card brands, say), any of which may become slow by itself. A kind gets
 * at most three quarters of all slots, and of those that a merchant may have: the other kinds of the same
 * merchant go on. Within a kind a merchant may have as many as the kind has left: its other merchants go on.
 */
export function mayTakeOfKind(slots: number, { inAll, ofMerchant, ofKind, ofBoth }: Taken): boolean {
  const free = slots - inAll;
  return ofBoth < KIND_FACTOR * (free - ofMerchant) && ofBoth < KIND_FACTOR * free - ofKind;
}
