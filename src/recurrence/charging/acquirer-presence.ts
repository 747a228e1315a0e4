/**
 * What became of a charge, as far as it tells whether the acquirer is there: null, nothing. An answer that did not come in time is no
 * absence: settling asks for the charge at once, and hears whether anybody answers at all. While nobody does (`isAway`) such a charge
 * was the one that tried, and puts the next try off.
 */
export function isAcquirerThere(
  outcome: 'approved' | 'declined' | 'unknown' | 'notSent',
  isAway: boolean,
): boolean | null {
  switch (outcome) {
    case 'approved':
    case 'declined':
      return true;
    case 'unknown':
      return isAway ? false : null;
    case 'notSent':
      return null;
  }
}
