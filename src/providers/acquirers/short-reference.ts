import { createHash } from 'node:crypto';

/** Crockford's base32: no I, L, O or U. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BITS_OF_DIGIT = 5n;
const LENGTH = 16;
const BYTES = 10;

/**
 * What an acquirer that takes short references gets for one of ours: 80 bits of its hash, so that no map is
 * needed. Two of ten million references share one with a chance below one in ten billion.
 */
export function shortReference(reference: string): string {
  const hash = createHash('sha256').update(reference.toLowerCase(), 'utf8').digest();
  let bits = BigInt(`0x${hash.subarray(0, BYTES).toString('hex')}`);
  let text = '';
  for (let place = 0; place < LENGTH; place += 1) {
    text = `${DIGITS[Number(bits & 31n)]}${text}`;
    bits >>= BITS_OF_DIGIT;
  }
  return text;
}
