import { randomInt } from 'node:crypto';
import { inCell } from '../../values/cell.ts';

/** Letters and digits that are not mistaken for one another: no 0 O 1 I l i L o. */
const CLEAR_ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789';
const CLEAR_SMALL_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
/** 32 of 54 characters: 184 random bits. */
const PASSWORD_LENGTH = 32;

/** A password that no one chose: always with letters and digits (PCI DSS 8.3.6 asks for both). */
export function createPassword(): string {
  while (true) {
    const password = randomText(CLEAR_ALPHABET, PASSWORD_LENGTH);
    if (/[a-z]/.test(password) && /[A-Z]/.test(password) && /\d/.test(password)) return password;
  }
}

const LONGEST_USER_NAME = 30;

/** A user name that cannot be guessed from the merchant's id, so that a stranger has nothing to lock. */
export function createUserName(merchantId: string, cell: string | null): string {
  const name = inCell(cell, `${merchantId}-`);
  // Six at the least: an id has twenty characters at most.
  return name + randomText(CLEAR_SMALL_ALPHABET, Math.min(8, LONGEST_USER_NAME - name.length));
}

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}
