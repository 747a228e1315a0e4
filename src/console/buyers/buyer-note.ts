import { holdsCardNumber } from '../../values/card-number-in-text.ts';

/** On a page: the newest. */
export const MOST_NOTES = 50;
export const LONGEST_NOTE = 500;

/** In English. */
export function noteFault(note: string): string | null {
  if (note === '' || [...note].length > LONGEST_NOTE) return 'Write a note, of up to 500 characters.';
  return holdsCardNumber(note) ? 'A note holds no card number.' : null;
}
