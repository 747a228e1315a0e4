export type Payout = {
  readonly fee: number;
  /** For paying ahead of the day. */
  readonly anticipationFee?: number;
  readonly net: number;
};

/** What the acquirer keeps of an installment, to the cent, and what it pays. */
export function payoutOf(
  { feePortion }: { readonly feePortion: number },
  rest: number,
  anticipationFee: number | null,
): Payout {
  const fee = Math.round((rest * feePortion) / 10_000);
  if (anticipationFee === null) return { fee, net: rest - fee };
  return { fee, anticipationFee, net: rest - fee - anticipationFee };
}
