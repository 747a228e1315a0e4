/**
 * A soft descriptor stands on the buyer's card statement. All acquirers take this length, and the characters
 * that `isSoftDescriptor` lets through; blanks alone are refused.
 */
export const LONGEST_SOFT_DESCRIPTOR = 13;
/** Sent in place of a text, it removes the text: an empty one means no change. */
export const NO_TEXT = '.';

export function isSoftDescriptor(text: string): boolean {
  return (
    text.length <= LONGEST_SOFT_DESCRIPTOR && /^[A-Za-z0-9 .*-]+$/.test(text) && /[A-Za-z0-9]/.test(text)
  );
}
