/**
 * The reason that is stored when a look found nothing. Must not change, because it is compared with the
 * reasons of open rows.
 */
export const ABSENT = 'the bank has nothing under this name';
/**
 * So many tries pass before an answer is believed that an earlier request may yet contradict. The last of
 * them are minutes apart, because a bank's records may lag.
 */
export const DOUBTFUL_LOOKS = 8;

/** The reason of a refusal while an earlier request may yet be done. Stored and compared as `ABSENT` is. */
export const REFUSED_ANEW = 'the bank refuses what an earlier request may still make there';

type Looked = { readonly tries: number; readonly unknownReason: string | null };

/**
 * A request that was not answered may still be on its way, and a bank's records may lag. So absence is
 * believed after `DOUBTFUL_LOOKS` tries, and only if the look before found nothing either.
 */
export function isSurelyAbsent({ tries, unknownReason }: Looked): boolean {
  return tries >= DOUBTFUL_LOOKS && unknownReason === ABSENT;
}

/**
 * For the refusal of a repeated request, which is believed as late as absence is. That of the very first
 * request is believed at once.
 */
export function isSurelyRefused({ tries, unknownReason }: Looked): boolean {
  return tries >= DOUBTFUL_LOOKS && unknownReason === REFUSED_ANEW;
}
