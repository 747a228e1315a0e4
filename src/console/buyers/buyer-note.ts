import { holdsCardNumber } from '../../values/card-number-in-text.ts';

export const MOST_NOTES = 50;
export const LONGEST_NOTE = 500;

export function noteFault(note: string): string | null {
  if (note === '' || [...note].length > LONGEST_NOTE) return 'Write a note, of up to 500 characters.';
  return holdsCardNumber(note) ? 'A note holds no card number.' : null;
}
