import { createHash } from 'node:crypto';

/** Of this bank, which there is not. */
export const ISPB = '99999008';
const HOST = 'pix.bank.invalid/qr/v2';
const TAIL_LENGTH = 11;

/** 32 characters: the bank, the minute in UTC, and a tail that `of` decides. */
export function endToEndIdOf(letter: 'E' | 'D', at: number, of: string): string {
  const minute = new Date(at).toISOString().slice(0, 16).replace(/\D/g, '');
  return `${letter}${ISPB}${minute}${tailOf(of, TAIL_LENGTH)}`;
}

/** Where a payer's bank reads the charge or the authorization: without a scheme, at most 77 characters. */
export function locationOf(kind: 'cob' | 'cobv' | 'rec', of: string): string {
  return `${HOST}/${kind === 'cob' ? '' : `${kind}/`}${tailOf(`${kind} ${of}`, 32)}`;
}

/** A txid of the bank's own. */
export function txidOf(of: string): string {
  return tailOf(`txid ${of}`, 32);
}

/** At most 32 digits and small letters, the same for the same text. */
export function tailOf(of: string, length: number): string {
  const hash = createHash('sha256').update(of).digest('hex');
  return BigInt(`0x${hash}`).toString(36).padStart(50, '0').slice(-length);
}

/** 29 characters: a head of two, the bank, the day, and a tail. */
export function recurringIdOf(head: 'RR' | 'RN' | 'SC', day: string, of: string): string {
  return `${head}${ISPB}${day.replaceAll('-', '')}${tailOf(of, TAIL_LENGTH)}`;
}
