/**
 * What the buyer reads on the card's statement. All acquirers take these signs and so many of them;
 * blanks alone would be no name.
 */
export const LONGEST_SOFT_DESCRIPTOR = 13;
/** It is no soft descriptor: takes one away where an empty text says nothing. */
export const NO_SOFT_DESCRIPTOR = '.';

export function isSoftDescriptor(text: string): boolean {
  return (
    text.length <= LONGEST_SOFT_DESCRIPTOR && /^[A-Za-z0-9 .*-]+$/.test(text) && /[A-Za-z0-9]/.test(text)
  );
}
