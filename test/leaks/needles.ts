import { hash } from 'node:crypto';

/** One way in which a card number could stand somewhere. */
export type Needle = { readonly number: string; readonly encoding: string; readonly bytes: Buffer };

type Encodings = Record<string, Buffer>;

/** Every form in which a number could be kept or sent without being sealed. */
export function needlesOf(number: string): Needle[] {
  const encodings = {
    ...texts(number),
    ...escapes(number),
    ...base64s(number),
    ...binaries(number),
    ...hashes(number),
  };
  const seen = new Set<string>();
  return Object.entries(encodings)
    .map(([encoding, bytes]) => ({ number, encoding, bytes }))
    .filter(({ bytes }) => !seen.has(bytes.toString('hex')) && seen.add(bytes.toString('hex')));
}

/** Every form in which the proof of an authentication could be kept. No hash of it leads back to it. */
export function needlesOfProof(cavv: string): Needle[] {
  const bytes = Buffer.from(cavv, 'base64');
  const hex = bytes.toString('hex');
  const encodings = {
    plain: Buffer.from(cavv),
    base64url: Buffer.from(bytes.toString('base64url')),
    'its bytes': bytes,
    hexadecimal: Buffer.from(hex),
    'hexadecimal, capital letters': Buffer.from(hex.toUpperCase()),
    ...base64s(cavv),
  };
  return Object.entries(encodings).map(([encoding, bytes]) => ({ number: cavv, encoding, bytes }));
}

/**
 * More than first six and last four is too much: so is the number without its last three digits, or
 * its first three.
 */
const LEFT_OUT = 3;

function texts(number: string): Encodings {
  const groups = number.length === 15 ? [4, 6, 5] : [4, 4, 4, 4, 3];
  const separated = (separator: string) => Buffer.from(grouped(number, groups).join(separator), 'utf8');
  return {
    plain: Buffer.from(number),
    'without its last digits': Buffer.from(number.slice(0, -LEFT_OUT)),
    'without its first digits': Buffer.from(number.slice(LEFT_OUT)),
    reversed: Buffer.from([...number].reverse().join('')),
    'with spaces': separated(' '),
    'with no-break spaces': separated('\u00a0'),
    'with hyphens': separated('-'),
    'with underscores': separated('_'),
    'with dots': separated('.'),
    'digit by digit': Buffer.from([...number].join(' ')),
    'as a list of digits': Buffer.from([...number].join(',')),
    'UTF-16, little end first': Buffer.from(number, 'utf16le'),
    'UTF-16, big end first': Buffer.from(number, 'utf16le').swap16(),
    'in full-width digits': Buffer.from(
      [...number].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join(''),
    ),
  };
}

function grouped(number: string, sizes: readonly number[]): string[] {
  const groups: string[] = [];
  let at = 0;
  for (const size of sizes) {
    if (at < number.length) groups.push(number.slice(at, at + size));
    at += size;
  }
  return groups;
}

function escapes(number: string): Encodings {
  const codes = [...Buffer.from(number)].map((code) => code.toString(16));
  const each = (prefix: string, suffix = '') =>
    Buffer.from(codes.map((code) => prefix + code + suffix).join(''));
  return {
    'hexadecimal, small letters': Buffer.from(Buffer.from(number).toString('hex')),
    'hexadecimal, capital letters': Buffer.from(Buffer.from(number).toString('hex').toUpperCase()),
    'percent-encoded': each('%'),
    'JSON escapes': each('\\u00'),
    'JavaScript escapes': each('\\x'),
    'XML references': each('&#x', ';'),
    'hexadecimal of the number': Buffer.from(BigInt(number).toString(16)),
    'hexadecimal of the number, capital letters': Buffer.from(BigInt(number).toString(16).toUpperCase()),
  };
}

/**
 * In base64 the letters depend on what stands before: three alignments, less the letters that
 * neighbours share.
 */
function base64s(number: string): Encodings {
  const encodings: Encodings = {};
  for (const before of [0, 1, 2]) {
    const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(number)]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((whole.length * 8) / 6);
    encodings[`base64, ${before} bytes in`] = Buffer.from(whole.toString('base64').slice(from, to));
    encodings[`base64url, ${before} bytes in`] = Buffer.from(whole.toString('base64url').slice(from, to));
  }
  return encodings;
}

function binaries(number: string): Encodings {
  const even = number.length % 2 === 0;
  const packed = (digits: string) => Buffer.from(digits, 'hex');
  const swapped = (digits: string) =>
    packed([...digits.matchAll(/../g)].map(([pair]) => [...pair].reverse().join('')).join(''));
  const integer = Buffer.alloc(8);
  integer.writeBigUInt64BE(BigInt(number));
  const float = Buffer.alloc(8);
  float.writeDoubleBE(Number(number));
  return {
    'packed BCD': packed(even ? number : `0${number}`),
    'packed BCD, filled up behind': packed(even ? number : `${number}f`),
    'packed BCD, halves swapped': swapped(even ? number : `${number}f`),
    'packed BCD, reversed': Buffer.from(packed(even ? number : `0${number}`)).reverse(),
    'unpacked BCD': Buffer.from([...number].map(Number)),
    'integer, big end first': integer,
    'integer, little end first': Buffer.from(integer).reverse(),
    'float, big end first': float,
    'float, little end first': Buffer.from(float).reverse(),
    ...numerics(number),
  };
}

/** PostgreSQL keeps `numeric` as groups of four digits in two bytes each. */
function numerics(number: string): Encodings {
  const padded = number.padStart(Math.ceil(number.length / 4) * 4, '0');
  const bytes = Buffer.concat(
    grouped(padded, [4, 4, 4, 4, 4]).map((group) => {
      const pair = Buffer.alloc(2);
      pair.writeUInt16LE(Number(group));
      return pair;
    }),
  );
  return {
    'numeric of PostgreSQL, on disk': bytes,
    'numeric of PostgreSQL, on the wire': Buffer.from(bytes).swap16(),
  };
}

/**
 * How much of a hash is looked for: no two things share these by chance, and a shortened hash is
 * found too.
 */
const HASH_BYTES = 9;

/** A hash without a key reveals the number to an attacker who tries all numbers: there are few. */
function hashes(number: string): Encodings {
  const encodings: Encodings = {};
  for (const algorithm of ['sha256', 'sha1', 'md5', 'sha512', 'sha3-256']) {
    const digest = hash(algorithm, number, 'buffer').subarray(0, HASH_BYTES);
    encodings[`${algorithm} without a key`] = digest;
    encodings[`${algorithm} without a key, hexadecimal`] = Buffer.from(digest.toString('hex'));
    encodings[`${algorithm} without a key, hexadecimal in capital letters`] = Buffer.from(
      digest.toString('hex').toUpperCase(),
    );
    encodings[`${algorithm} without a key, base64`] = Buffer.from(digest.toString('base64'));
    encodings[`${algorithm} without a key, base64url`] = Buffer.from(digest.toString('base64url'));
  }
  return encodings;
}
