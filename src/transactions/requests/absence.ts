/** Stored as the reason of a look that found nothing, and compared: open rows have these words. */
export const ABSENT = 'the bank has nothing under this name';
/** What contradicts itself is looked at so often, minutes apart by then: a bank's records may lag. */
export const DOUBTFUL_LOOKS = 8;

/** Stored and compared likewise. */
export const REFUSED_ANEW = 'the bank refuses what an earlier request may still make there';

type Looked = { readonly tries: number; readonly unknownReason: string | null };

/**
 * A request that was not answered may still be on its way, and a bank's records may lag: absence is believed
 * behind so many unclear answers, and when the look before has found nothing either.
 */
export function isSurelyAbsent({ tries, unknownReason }: Looked): boolean {
  return tries >= DOUBTFUL_LOOKS && unknownReason === ABSENT;
}

/** A refusal of the first request of all is believed at once; of a further one as late as absence is. */
export function isSurelyRefused({ tries, unknownReason }: Looked): boolean {
  return tries >= DOUBTFUL_LOOKS && unknownReason === REFUSED_ANEW;
}
