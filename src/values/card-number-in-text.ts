import { brandOf, isCardNumber } from './card-number.ts';
import { isCpf } from './document-number.ts';

const LEAST_DIGITS = 13;

/**
 * Whether a card's number stands somewhere in a text that is kept or passed on: 13 to 19 digits
 * that check (Luhn) and begin as those of a network do, in any script, together or in groups with
 * blanks, dots, hyphens or underscores between, percent-encoded too. Digits that are plainly
 * something else are left alone: ids, telephone numbers, longer numbers.
 */
export function holdsCardNumber(text: string): boolean {
  return readingsOf(text).some((reading) => runsOf(reading).some(holdsCard));
}

/** The text with a star for each digit of what looks like a card's number, and of what is written with it. */
export function withoutCardNumbers(text: string): string {
  if (!holdsCardNumber(text)) return text;
  const masked = text.replaceAll(ID_OR_RUN, (found) =>
    /^[\d\s\p{Pd}\p{Pc}.·+−]+$/u.test(found) && holdsCardNumber(found) ? found.replaceAll(/\d/g, '*') : found,
  );
  // In another script, encoded, or with invisible characters between: no digit of it stays.
  return holdsCardNumber(masked) ? text.replaceAll(/\p{N}/gu, '*') : masked;
}

/** The same of a value and all that is inside it, as far as it would be written as JSON. */
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

/**
 * Whether the digits of the text, whatever stands between them, hold this very number: that is no
 * chance.
 */
export function holdsNumber(text: string, number: string): boolean {
  return readingsOf(text).some((reading) => reading.replaceAll(/\D/g, '').includes(number));
}

/** An address may have been encoded by one program and then by another. */
const MOST_ENCODINGS = 3;

/**
 * The text as it stands, and as it reads without its percent codes; digits in ASCII, without
 * invisible characters.
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
 * Nearly every text ends here. One sign of another script may be several digits (⑳), and an encoded
 * digit has one in its code.
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

/**
 * `%20` is a blank, `%EF%BC%95` a digit: without this their own digits would stand between those of
 * the number.
 */
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
 * Unicode has the digits of a script one after the other from zero, several scripts' tens at most
 * side by side.
 */
function digitValue(codePoint: number): number {
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(codePoint - before - 1))) before += 1;
  return before % 10;
}

/**
 * Ids and digests: their digits mean nothing, and so many of them are made that some check by
 * chance.
 */
const IDS =
  /(?<![0-9a-z])(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?=\d*[a-f])[0-9a-f]{20,})(?![0-9a-z])/gi;

/** Groups of digits with so little between them that they may be one number. */
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

/** Digits of the longest telephone number with its country code. */
const LONGEST_TELEPHONE_NUMBER = 15;
/**
 * In a run of more digits the groups are not a card's: an invoice's key has 44, the line of a
 * boleto 47 or 48.
 */
const LONGEST_RUN = 40;

/**
 * A card may be a group by itself, or all of a run however it is divided; in a longer run, with an
 * expiry or a code beside it, the groups must be as people write a card's.
 */
function holdsCard({ groups, isAfterPlus }: Run): boolean {
  const run = groups.join('');
  if (run.length < LEAST_DIGITS) return false;
  if (isAfterPlus && run.length <= LONGEST_TELEPHONE_NUMBER) return false;
  if (isCard(run) || groups.some(isCard)) return true;
  return run.length <= LONGEST_RUN && groups.some((_, first) => beginsCard(groups.slice(first)));
}

/**
 * Whether the first groups are a card's as it is written: all of one size but perhaps the last, or
 * as Amex prints them.
 */
function beginsCard(groups: readonly string[]): boolean {
  const sizes = groups.map(({ length }) => length);
  if (sizes.slice(0, 3).join() === '4,6,5') return isCard(groups.slice(0, 3).join(''));
  const ofOneSize = sizes.findIndex((size) => size !== sizes[0]);
  const mostGroups = ofOneSize === -1 ? groups.length : ofOneSize + 1;
  return groups.some((_, last) => last < mostGroups && isCard(groups.slice(0, last + 1).join('')));
}

/**
 * Networks have all numbers of 16 digits that begin with 5 or 6, whether or not today's list has
 * them.
 */
function isCard(digits: string): boolean {
  return (brandOf(digits) !== null || /^[56]\d{15}$/.test(digits)) && isCardNumber(digits);
}

/** With its mask or without, and no part of a longer number. */
const MAYBE_CPF = /(?<![\dA-Za-z])\d{3}[. ]?\d{3}[. ]?\d{3}[-. ]?\d{2}(?![\dA-Za-z])/g;
const EMAIL = /[^\s@<>(),;:"/?&=]+@[^\s@<>(),;:"/?&=]+\.[^\s@<>(),;:"/?&=]+/g;

/** Whether a person can be found by this text: it has a CPF or an e-mail address. */
export function holdsCpfOrEmail(text: string): boolean {
  return withoutCpfAndEmail(text) !== text;
}

/** The text with stars for every CPF and e-mail address in it. */
export function withoutCpfAndEmail(text: string): string {
  return text
    .replaceAll(MAYBE_CPF, (found) =>
      isCpf(found.replaceAll(/\D/g, '')) ? found.replaceAll(/\d/g, '*') : found,
    )
    .replaceAll(EMAIL, '***@***');
}
