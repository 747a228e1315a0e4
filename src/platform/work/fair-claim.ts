import { mayTake } from './fair-share.ts';

export type OfMerchant = { readonly merchantId: string; readonly underWay: number };

export type FairClaim = {
  readonly free: number;
  /** Merchants that have their share, or may not be asked about now. */
  readonly passedOver: readonly string[];
  readonly underWay: readonly OfMerchant[];
  /** At most one task of this merchant is claimed, to find out whether it gets answers again. */
  readonly probed: string | null;
};

/** `silent`: the merchant that may have one task under way, and whether it may begin now. */
export function fairClaim(
  free: number,
  underWay: readonly OfMerchant[],
  silent: { readonly merchantId: string; readonly mayBegin: boolean } | null,
): FairClaim {
  const inAll = underWay.reduce((sum, one) => sum + one.underWay, 0);
  const hasItsShare = (one: OfMerchant) => !mayTake(inAll + free, { inAll, ofMerchant: one.underWay });
  const passedOver = underWay.filter(hasItsShare).map(({ merchantId }) => merchantId);
  if (silent !== null && !silent.mayBegin) passedOver.push(silent.merchantId);
  return { free, passedOver, underWay, probed: silent?.merchantId ?? null };
}
