import { isUtf8 } from 'node:buffer';
import { pathText, placeOf } from './json-place.ts';

declare global {
  interface JSON {
    /** Missing in TypeScript's library: a value that JSON.stringify prints exactly as `text`. */
    rawJSON(text: string): object;
  }
}

type JsonObject = { [key: string]: JsonValue };
export type JsonValue = null | boolean | number | string | ExactNumber | JsonValue[] | JsonObject;

type JsonFaultKind =
  | 'syntax'
  | 'duplicateKey'
  | 'forbiddenKey'
  | 'nul'
  | 'loneSurrogate'
  | 'tooDeep'
  | 'notUtf8'
  | 'numberTooLong';

/** `path`: for example `payment.amount` or `configSplit[0].percent`; empty: the whole text. */
export type JsonFault = {
  kind: JsonFaultKind;
  path: string;
  /** Where reading stopped, as an editor counts: from 1, in UTF-16 units. */
  line: number;
  column: number;
};
export type JsonReading = { ok: true; value: JsonValue } | { ok: false; fault: JsonFault };

/** In characters. A longer number can only waste time. */
const LONGEST_NUMBER = 64;
/** Nested levels; the deepest body of the contract has three. */
const USUAL_DEPTH = 32;
/** The reader is recursive: more levels could overflow the stack. */
const GREATEST_DEPTH = 512;
/** Digits that `decimalParts` writes, before and after the point together. */
const MOST_DECIMAL_DIGITS = 64;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A JSON number that JavaScript cannot hold exactly. JSON.stringify prints its digits unchanged. */
export class ExactNumber {
  readonly source: string;

  /** Throws RangeError unless a JSON number of up to 64 characters. */
  constructor(source: string) {
    if (source.length > LONGEST_NUMBER || !NUMBER.test(source)) throw new RangeError('not a JSON number');
    this.source = source;
    Object.freeze(this);
  }

  toJSON(): object {
    return JSON.rawJSON(this.source);
  }
}

/**
 * Reads JSON (RFC 8259) strictly, also after a byte order mark. Refuses what two readers could read
 * differently or the database cannot store: duplicate names, `__proto__`, NUL and lone surrogates, bytes that
 * are not UTF-8, more than `maxDepth` levels (32 by default, at most 512), numbers over 64 characters. A
 * number is a JavaScript number if that prints the same value (`1.0` is 1, negative zero is 0), else an
 * ExactNumber. Reports the first fault; if it is in a name, `path` is that of the object. Takes linear time.
 * A string of the result may keep the whole text in memory.
 */
export function readExactJson(
  source: Buffer | Uint8Array | string,
  limits: { maxDepth?: number } = {},
): JsonReading {
  const maxDepth = limits.maxDepth ?? USUAL_DEPTH;
  if (!Number.isInteger(maxDepth) || maxDepth < 0 || maxDepth > GREATEST_DEPTH) {
    throw new RangeError('maxDepth must be an integer from 0 to 512');
  }
  const text = typeof source === 'string' ? source : utf8Text(source);
  if (text === undefined) return { ok: false, fault: { kind: 'notUtf8', path: '', line: 1, column: 1 } };

  const reader: Reader = {
    text,
    at: 0,
    stoppedAt: 0,
    levelsLeft: maxDepth,
    isWellFormed: typeof source !== 'string' || source.isWellFormed(),
    fault: undefined,
    path: [],
  };
  let value = readValue(reader, skipSpace(text, text.startsWith('\ufeff') ? 1 : 0));
  if (value !== undefined) {
    const end = skipSpace(text, reader.at);
    if (end < text.length) value = faultOf(reader, 'syntax', end);
  }
  if (value === undefined) {
    const place = placeOf(text, reader.stoppedAt);
    return { ok: false, fault: { kind: reader.fault ?? 'syntax', path: pathText(reader.path), ...place } };
  }
  return { ok: true, value };
}

/**
 * A number in plain decimal digits: no exponent, no leading or trailing zeros, no negative zero. null for
 * more than 64 digits, NaN and infinities.
 */
export function decimalParts(
  value: number | ExactNumber,
): { negative: boolean; integer: string; fraction: string } | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  const { negative, digits, exponent } = scientific(typeof value === 'number' ? String(value) : value.source);
  if (digits === '') return { negative: false, integer: '0', fraction: '' };

  // `point` digits stand before the point; exponents are compared before any text grows by them.
  const point = digits.length + exponent;
  const integerDigits = Math.max(point, 1);
  const fractionDigits = Math.max(-exponent, 0);
  if (integerDigits + fractionDigits > MOST_DECIMAL_DIGITS) return null;
  if (point <= 0) return { negative, integer: '0', fraction: '0'.repeat(-point) + digits };
  return { negative, integer: digits.slice(0, point).padEnd(point, '0'), fraction: digits.slice(point) };
}

/**
 * The state of a reading. `read…` functions leave `at` after what they read and return undefined after a
 * fault. Each level adds its step to `path`, innermost first.
 */
type Reader = {
  readonly text: string;
  at: number;
  stoppedAt: number;
  levelsLeft: number;
  /** True: the text has no lone surrogate, so its strings need no check. UTF-8 bytes never have one. */
  readonly isWellFormed: boolean;
  fault: JsonFaultKind | undefined;
  readonly path: (string | number)[];
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const POINT = 0x2e;
const PLUS = 0x2b;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

function utf8Text(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function faultOf(reader: Reader, kind: JsonFaultKind, at: number): undefined {
  reader.fault = kind;
  reader.stoppedAt = at;
  return undefined;
}

function faultAt(reader: Reader, step: string | number, kind?: JsonFaultKind): undefined {
  if (kind !== undefined) reader.fault = kind;
  reader.path.push(step);
  return undefined;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === SPACE || code === 0x0a || code === 0x0d || code === 0x09) at += 1;
    else return at;
  }
}

function readValue(reader: Reader, at: number): JsonValue | undefined {
  const code = reader.text.charCodeAt(at);
  if (code === QUOTE) return readString(reader, at);
  if (code === MINUS || (code >= ZERO && code <= NINE)) return readNumber(reader, at);
  if (code === OPEN_BRACE) return readObject(reader, at);
  if (code === OPEN_BRACKET) return readArray(reader, at);
  if (reader.text.startsWith('true', at)) return wordRead(reader, at + 4, true);
  if (reader.text.startsWith('false', at)) return wordRead(reader, at + 5, false);
  if (reader.text.startsWith('null', at)) return wordRead(reader, at + 4, null);
  return faultOf(reader, 'syntax', at);
}

function wordRead<Word>(reader: Reader, end: number, word: Word): Word {
  reader.at = end;
  return word;
}

function readObject(reader: Reader, start: number): JsonObject | undefined {
  if (reader.levelsLeft === 0) return faultOf(reader, 'tooDeep', start);
  reader.levelsLeft -= 1;
  const { text } = reader;
  const object: JsonObject = {};
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_BRACE) {
    reader.levelsLeft += 1;
    reader.at = at + 1;
    return object;
  }
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) return faultOf(reader, 'syntax', at);
    const key = readString(reader, at);
    if (key === undefined) return undefined;
    // On an ordinary object this name would set the prototype.
    if (key === '__proto__') return faultAt(reader, key, 'forbiddenKey');
    if (Object.hasOwn(object, key)) return faultAt(reader, key, 'duplicateKey');

    at = skipSpace(text, reader.at);
    if (text.charCodeAt(at) !== COLON) return faultOf(reader, 'syntax', at);
    const value = readValue(reader, skipSpace(text, at + 1));
    if (value === undefined) return faultAt(reader, key);
    object[key] = value;

    at = skipSpace(text, reader.at);
    const code = text.charCodeAt(at);
    if (code === CLOSE_BRACE) break;
    if (code !== COMMA) return faultOf(reader, 'syntax', at);
    at = skipSpace(text, at + 1);
  }
  reader.levelsLeft += 1;
  reader.at = at + 1;
  return object;
}

function readArray(reader: Reader, start: number): JsonValue[] | undefined {
  if (reader.levelsLeft === 0) return faultOf(reader, 'tooDeep', start);
  reader.levelsLeft -= 1;
  const { text } = reader;
  const array: JsonValue[] = [];
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_BRACKET) {
    reader.levelsLeft += 1;
    reader.at = at + 1;
    return array;
  }
  for (;;) {
    const value = readValue(reader, at);
    if (value === undefined) return faultAt(reader, array.length);
    array.push(value);

    at = skipSpace(text, reader.at);
    const code = text.charCodeAt(at);
    if (code === CLOSE_BRACKET) break;
    if (code !== COMMA) return faultOf(reader, 'syntax', at);
    at = skipSpace(text, at + 1);
  }
  reader.levelsLeft += 1;
  reader.at = at + 1;
  return array;
}

function readString(reader: Reader, start: number): string | undefined {
  const { text } = reader;
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      reader.at = at + 1;
      const value = text.slice(start + 1, at);
      return reader.isWellFormed || value.isWellFormed() ? value : faultOf(reader, 'loneSurrogate', at);
    }
    if (code === BACKSLASH) return readEscapedString(reader, start, at);
    // Behind the end of the text `code` is NaN, for which `>=` is false.
    if (!(code >= SPACE)) return faultOf(reader, code === 0 ? 'nul' : 'syntax', at);
  }
}

/** Escapes are rare: only the end of the string is found here, and JSON.parse decodes them. */
function readEscapedString(reader: Reader, start: number, firstBackslash: number): string | undefined {
  const { text } = reader;
  let at = firstBackslash;
  for (let code = BACKSLASH; code !== QUOTE; code = text.charCodeAt(at)) {
    if (!(code >= SPACE)) return faultOf(reader, code === 0 ? 'nul' : 'syntax', at);
    at += code === BACKSLASH ? 2 : 1;
  }
  const value = unescaped(text.slice(start, at + 1));
  if (value === undefined) return faultOf(reader, 'syntax', start);
  if (value.includes('\0')) return faultOf(reader, 'nul', start);
  if (!value.isWellFormed()) return faultOf(reader, 'loneSurrogate', start);
  reader.at = at + 1;
  return value;
}

function unescaped(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

function readNumber(reader: Reader, start: number): number | ExactNumber | undefined {
  const { text } = reader;
  const isNegative = text.charCodeAt(start) === MINUS;
  const integerStart = isNegative ? start + 1 : start;
  let at = integerStart;
  let code = text.charCodeAt(at);
  let integer = 0;
  for (; code >= ZERO && code <= NINE; code = text.charCodeAt(at)) {
    integer = integer * 10 + (code - ZERO);
    at += 1;
  }
  if (at === integerStart) return faultOf(reader, 'syntax', at);
  if (at > integerStart + 1 && text.charCodeAt(integerStart) === ZERO) return faultOf(reader, 'syntax', at);
  const isPlain = code !== POINT && (code | SPACE) !== 0x65;
  if (isPlain && at - integerStart <= 15) {
    reader.at = at;
    return isNegative && integer !== 0 ? -integer : integer;
  }

  if (code === POINT) {
    const end = digitsEnd(text, at + 1);
    if (end === at + 1) return faultOf(reader, 'syntax', at);
    at = end;
    code = text.charCodeAt(at);
  }
  if ((code | SPACE) === 0x65) {
    const sign = text.charCodeAt(at + 1);
    const exponentStart = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
    at = digitsEnd(text, exponentStart);
    if (at === exponentStart) return faultOf(reader, 'syntax', at);
  }
  if (at - start > LONGEST_NUMBER) return faultOf(reader, 'numberTooLong', start);
  reader.at = at;
  return exactValue(text.slice(start, at));
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(at)) at += 1;
  return at;
}

/** The number if it prints the same decimal value as its source, else the exact source. */
function exactValue(source: string): number | ExactNumber {
  const value = Number(source);
  if (!Number.isFinite(value)) return new ExactNumber(source);
  const sent = scientific(source);
  if (sent.digits === '') return 0;
  // Up to 15 digits in this range survive a double: no comparison is needed.
  if (sent.digits.length <= 15 && Math.abs(sent.exponent) <= 200) return value;
  const kept = scientific(String(value));
  return sent.digits === kept.digits && sent.exponent === kept.exponent ? value : new ExactNumber(source);
}

/**
 * A number as digits × 10^exponent. The digits have no zeros at either end (empty for zero), so that equal
 * values are equal. An absurd exponent is rounded.
 */
function scientific(token: string): { negative: boolean; digits: string; exponent: number } {
  const negative = token.startsWith('-');
  const mantissaStart = negative ? 1 : 0;
  const mark = token.search(/[eE]/);
  const mantissaEnd = mark === -1 ? token.length : mark;
  const mantissa = token.slice(mantissaStart, mantissaEnd);
  const point = mantissa.indexOf('.');
  const written = point === -1 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);

  let first = 0;
  let end = written.length;
  while (written.charCodeAt(first) === ZERO) first += 1;
  while (end > first && written.charCodeAt(end - 1) === ZERO) end -= 1;
  const fractionDigits = point === -1 ? 0 : mantissa.length - point - 1;
  const exponent =
    (mark === -1 ? 0 : Number(token.slice(mark + 1))) - fractionDigits + (written.length - end);
  return { negative, digits: written.slice(first, end), exponent };
}
