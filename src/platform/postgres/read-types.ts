import pg from 'pg';

const INT8 = 20;
const TIMESTAMPTZ = 1184;
const INT8_ARRAY = 1016;
const DATE = 1082;
const DATE_ARRAY = 1182;
const TEXT_ARRAY = 1009;

/**
 * Whole numbers of 64 bits are cents and counters, all far under 2^53; anything larger is a bug and
 * must not be rounded.
 */
function readInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`an int8 of ${text} does not fit`);
  return value;
}

/** Elements of an array, which may be null. */
function readInt8Array(text: string): (number | null)[] {
  if (text === '{}') return [];
  return text
    .slice(1, -1)
    .split(',')
    .map((each) => (each === 'NULL' ? null : readInt8(each)));
}

/** `2026-11-21 13:00:00.123456+00` (the sessions run in UTC) as milliseconds since the epoch. */
function readTimestamptz(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11).replace('+00', 'Z')}`);
}

/** How values of PostgreSQL are read: exactly, or not at all. */
export const READ_TYPES = {
  getTypeParser(oid: number, format?: string) {
    if (oid === INT8) return readInt8;
    if (oid === TIMESTAMPTZ) return readTimestamptz;
    // Days stay text: `2026-11-21`.
    if (oid === DATE) return (text: string) => text;
    if (oid === DATE_ARRAY) return pg.types.getTypeParser(TEXT_ARRAY as number, 'text');
    if (oid === INT8_ARRAY) return readInt8Array;
    return pg.types.getTypeParser(oid, format as 'text');
  },
} as unknown as pg.CustomTypesConfig;
