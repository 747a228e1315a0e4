import { brandOf, isCardNumber } from './card-number.ts';
import { isCpf } from './document-number.ts';
import { isUuid } from './ids.ts';

const LEAST_DIGITS = 13;

/**
 * Whether a text that is stored or passed on contains a card number: 13 to 19 digits that pass Luhn and begin
 * like a network's, in any script, grouped or percent-encoded. Ids, telephone numbers and longer numbers are
 * skipped.
 */
export function holdsCardNumber(text: string): boolean {
  // Most texts with so many digits are ids.
  if (isUuid(text)) return false;
  return readingsOf(text).some((reading) => runsOf(reading).some(holdsCard));
}

/** Puts a star for each digit of a possible card number, and of an expiry or code written with it. */
export function withoutCardNumbers(text: string): string {
  if (!holdsCardNumber(text)) return text;
  const masked = text.replaceAll(ID_OR_RUN, (found) =>
    /^[\d\s\p{Pd}\p{Pc}.·+−]+$/u.test(found) && holdsCardNumber(found) ? found.replaceAll(/\d/g, '*') : found,
  );
  // A card number is left, in another script, encoded, or with invisible characters in it: no digit stays.
  return holdsCardNumber(masked) ? text.replaceAll(/\p{N}/gu, '*') : masked;
}

/** Does the same as `withoutCardNumbers` for a value and everything in it that JSON would print. */
export function deeplyWithoutCardNumbers(value: unknown): unknown {
  if (typeof value === 'string') return withoutCardNumbers(value);
  if (typeof value === 'number') return value < 10 ** (LEAST_DIGITS - 1) ? value : numberOrMask(value);
  if (Array.isArray(value)) return value.map(deeplyWithoutCardNumbers);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const fields = Object.entries(value).map(([name, inside]) => [name, deeplyWithoutCardNumbers(inside)]);
  return Object.fromEntries(fields);
}

function numberOrMask(value: number): number | string {
  const text = String(value);
  return holdsCardNumber(text) ? withoutCardNumbers(text) : value;
}

/** Whether the digits of the text, whatever is between them, contain this very number. */
export function holdsNumber(text: string, number: string): boolean {
  return readingsOf(text).some((reading) => reading.replaceAll(/\D/g, '').includes(number));
}

/** A web address may have been percent-encoded several times. */
const MOST_ENCODINGS = 3;

/**
 * The readings of a text: as it is, and percent-decoded. Digits are in ASCII, invisible characters removed.
 */
function readingsOf(text: string): string[] {
  if (!hasEnoughDigits(text)) return [];
  const readings = [text];
  let reading = text;
  while (readings.length <= MOST_ENCODINGS && reading.includes('%')) {
    const decoded = withoutPercentCodes(reading);
    if (decoded === reading) break;
    readings.push(decoded);
    reading = decoded;
  }
  return readings.map(withPlainDigits);
}

/**
 * A quick check that few texts pass: whether there may be 13 digits at all. A sign beyond ASCII may stand for
 * several (⑳). Digits of percent codes count as well.
 */
function hasEnoughDigits(text: string): boolean {
  let most = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) most += 1;
    else if (code > 126) most += 4;
  }
  return most >= LEAST_DIGITS;
}

/** `%20` is a blank, `%EF%BC%95` a digit: undecoded, their own digits would split the number. */
function withoutPercentCodes(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

function withPlainDigits(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{M}]/gu, '')
    .replaceAll(/(?!\d)\p{Nd}/gu, (digit) => String(digitValue(digit.codePointAt(0) ?? 0)));
}

/**
 * In Unicode each script's digits are consecutive, from zero on. The digits of several scripts may be
 * adjacent.
 */
function digitValue(codePoint: number): number {
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(codePoint - before - 1))) before += 1;
  return before % 10;
}

/** Ids and digests are no cards: among so many of them some pass Luhn by chance. */
const IDS =
  /(?<![0-9a-z])(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?=\d*[a-f])[0-9a-f]{20,})(?![0-9a-z])/gi;

const RUN = /\d+(?:[\s\p{Pd}\p{Pc}.·+−]{1,3}\d+)*/gu;
const ID_OR_RUN = new RegExp(`${IDS.source}|${RUN.source}`, 'giu');

type Run = { readonly groups: readonly string[]; readonly isAfterPlus: boolean };

function runsOf(text: string): Run[] {
  const bare = text.replaceAll(IDS, 'x');
  return [...bare.matchAll(RUN)].map(({ 0: run, index }) => ({
    groups: run.match(/\d+/g) ?? [],
    isAfterPlus: bare[index - 1] === '+',
  }));
}

/** In digits, with country code. */
const LONGEST_TELEPHONE_NUMBER = 15;
/** Longer runs are no card: an invoice key has 44 digits, a boleto's line 47 or 48. */
const LONGEST_RUN = 40;

/**
 * Whether a run of digit groups holds a card number: one of the groups, or all of them. If an expiry or code
 * stands beside it, its groups must be as people write a card.
 */
function holdsCard({ groups, isAfterPlus }: Run): boolean {
  const run = groups.join('');
  if (run.length < LEAST_DIGITS) return false;
  if (isAfterPlus && run.length <= LONGEST_TELEPHONE_NUMBER) return false;
  if (isCard(run) || groups.some(isCard)) return true;
  return run.length <= LONGEST_RUN && groups.some((_, first) => beginsCard(groups.slice(first)));
}

/**
 * Whether the first groups make a card number: all of one size except perhaps the last, or as Amex prints
 * them.
 */
function beginsCard(groups: readonly string[]): boolean {
  const sizes = groups.map(({ length }) => length);
  if (sizes.slice(0, 3).join() === '4,6,5') return isCard(groups.slice(0, 3).join(''));
  const ofOneSize = sizes.findIndex((size) => size !== sizes[0]);
  const mostGroups = ofOneSize === -1 ? groups.length : ofOneSize + 1;
  return groups.some((_, last) => last < mostGroups && isCard(groups.slice(0, last + 1).join('')));
}

/** All 16-digit numbers that begin with 5 or 6 belong to networks, whatever today's list says. */
function isCard(digits: string): boolean {
  return (brandOf(digits) !== null || /^[56]\d{15}$/.test(digits)) && isCardNumber(digits);
}

/** A CPF with or without its mask, and not part of a longer number. */
const MAYBE_CPF = /(?<![\dA-Za-z])\d{3}[. ]?\d{3}[. ]?\d{3}[-. ]?\d{2}(?![\dA-Za-z])/g;
const EMAIL = /[^\s@<>(),;:"/?&=]+@[^\s@<>(),;:"/?&=]+\.[^\s@<>(),;:"/?&=]+/g;

/** Whether a text holds a CPF or an e-mail address, by which a person can be found. */
export function holdsCpfOrEmail(text: string): boolean {
  return withoutCpfAndEmail(text) !== text;
}

export function withoutCpfAndEmail(text: string): string {
  return text
    .replaceAll(MAYBE_CPF, (found) =>
      isCpf(found.replaceAll(/\D/g, '')) ? found.replaceAll(/\d/g, '*') : found,
    )
    .replaceAll(EMAIL, '***@***');
}
