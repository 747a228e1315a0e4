/** Stored as the reason of a look that found nothing, and compared: open rows have these words. */
export const ABSENT = 'the bank has nothing under this name';
/** What contradicts itself is looked at so often, minutes apart by then: a bank's records may lag. */
export const DOUBTFUL_LOOKS = 8;

type Looked = { readonly tries: number; readonly unknownReason: string | null };

/**
 * A request that was not answered may still be on its way, and a bank's records may lag: absence is believed
 * behind so many unclear answers, and when the look before has found nothing either.
 */
export function isSurelyAbsent({ tries, unknownReason }: Looked): boolean {
  return tries >= DOUBTFUL_LOOKS && unknownReason === ABSENT;
}
