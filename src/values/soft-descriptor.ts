/**
 * On the buyer's card statement. All acquirers take these characters and this length; blanks alone are
 * refused.
 */
export const LONGEST_SOFT_DESCRIPTOR = 13;
/** Removes a text; an empty one means no change. */
export const NO_TEXT = '.';

export function isSoftDescriptor(text: string): boolean {
  return (
    text.length <= LONGEST_SOFT_DESCRIPTOR && /^[A-Za-z0-9 .*-]+$/.test(text) && /[A-Za-z0-9]/.test(text)
  );
}
