declare const brand: unique symbol;

/**
 * Milliseconds since 1970-01-01T00:00Z, from the start of 1920 in São Paulo to the end of 9999 in UTC: in
 * this span São Paulo is always whole hours behind UTC.
 */
export type Instant = number & { readonly [brand]: 'Instant' };

/** A calendar day in São Paulo, `YYYY-MM-DD`, from 1920-01-01 to 9999-12-31. Days compare as text. */
export type Day = string & { readonly [brand]: 'Day' };

const SAO_PAULO = 'America/Sao_Paulo';
const FIRST_INSTANT = Date.UTC(1920, 0, 1, 3);
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const FIRST_YEAR = 1920;
const MILLISECONDS_PER_DAY = 86_400_000;

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
/** Clients write the second with none to nine decimals. */
const UTC_TEXT = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?Z$/;
const SAO_PAULO_TEXT = /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?$/;

/** Throws RangeError unless an integer within the span of instants. */
export function instant(milliseconds: number): Instant {
  if (!isInstant(milliseconds)) throw new RangeError(`not an instant: ${milliseconds}`);
  return (milliseconds + 0) as Instant;
}

export function isInstant(value: unknown): value is Instant {
  return (
    typeof value === 'number' && Number.isInteger(value) && value >= FIRST_INSTANT && value <= LAST_INSTANT
  );
}

/** A moment in UTC: `2026-11-21T13:00:00.123Z`. */
export function utcText(moment: Instant): string {
  return new Date(moment).toISOString();
}

/**
 * Reads `utcText`, with up to nine digits of a second, cut to milliseconds. null for other forms and offsets,
 * days that do not exist, 24:00, leap seconds, and times out of span.
 */
export function parseUtcText(text: string): Instant | null {
  const milliseconds = clockMilliseconds(text);
  return milliseconds === null ? null : instantWithin(milliseconds);
}

/** The milliseconds of a wall clock as if it showed UTC; null for other forms. */
function clockMilliseconds(text: string): number | null {
  const match = UTC_TEXT.exec(text);
  if (match === null) return null;
  const [, day = '', hours, minutes, seconds, fraction = ''] = match;
  if (!isDay(day)) return null;
  return (
    utcMidnight(day) +
    Number(hours) * 3_600_000 +
    Number(minutes) * 60_000 +
    Number(seconds) * 1_000 +
    Number(fraction.slice(0, 3).padEnd(3, '0'))
  );
}

function instantWithin(milliseconds: number): Instant | null {
  return milliseconds < FIRST_INSTANT || milliseconds > LAST_INSTANT ? null : instant(milliseconds);
}

/** Offsets of up to 14 hours: no clock on Earth has more. */
const OFFSET = /^(.{19,29})([+-])(0\d|1[0-4]):([0-5]\d)$/;

/** Reads a moment with offset or `Z`, with the limits of `parseUtcText`. */
export function parseOffsetText(text: string): Instant | null {
  const match = OFFSET.exec(text);
  if (match === null) return parseUtcText(text);
  const [, clock = '', sign, hours, minutes] = match;
  const shown = clockMilliseconds(`${clock}Z`);
  if (shown === null) return null;
  const ahead = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return instantWithin(sign === '-' ? shown + ahead : shown - ahead);
}

/** São Paulo's wall clock: `2026-11-21T10:00:00.123`. */
export function saoPauloText(moment: Instant): string {
  return new Date(moment + saoPauloOffset(moment)).toISOString().slice(0, -1);
}

/** São Paulo's wall clock with offset: `2026-11-21T10:00:00.123-03:00`. */
export function saoPauloOffsetText(moment: Instant): string {
  const hoursBehind = -saoPauloOffset(moment) / 3_600_000;
  return `${saoPauloText(moment)}-${String(hoursBehind).padStart(2, '0')}:00`;
}

/**
 * Reads `saoPauloText`, with the limits of `parseUtcText`. In an hour that summer time skipped: the later
 * moment; in a repeated hour: the earlier.
 */
export function parseSaoPauloText(text: string): Instant | null {
  const match = SAO_PAULO_TEXT.exec(text);
  if (match === null || !isDay(match[1] ?? '')) return null;
  const milliseconds = Temporal.PlainDateTime.from(text).toZonedDateTime(SAO_PAULO).epochMilliseconds;
  return milliseconds < FIRST_INSTANT || milliseconds > LAST_INSTANT ? null : instant(milliseconds);
}

export function saoPauloDay(moment: Instant): Day {
  return saoPauloText(moment).slice(0, 10) as Day;
}

/** Midnight in São Paulo, or 01:00 where daylight saving time skipped it. */
export function startOfSaoPauloDay(day: Day): Instant {
  return instant(Temporal.PlainDate.from(day).toZonedDateTime(SAO_PAULO).epochMilliseconds);
}

/** Negative counts go back. Throws RangeError outside the span of days. */
export function addDays(day: Day, count: number): Day {
  const later = new Date(utcMidnight(day) + count * MILLISECONDS_PER_DAY);
  const text =
    Number.isInteger(count) && Number.isFinite(later.getTime()) ? later.toISOString().slice(0, 10) : '';
  if (!isDay(text)) throw new RangeError(`no day ${count} days from ${day}`);
  return text;
}

/** `addDays` for a day that anybody may name: beyond the span of days it gives the first or last one. */
export function reachedFrom(day: Day, count: number): Day {
  try {
    return addDays(day, count);
  } catch {
    return (count < 0 ? FIRST_DAY : LAST_DAY) as Day;
  }
}

const FIRST_DAY = '1920-01-01';
const LAST_DAY = '9999-12-31';

/** `YYYY-MM-DD`, from 1920-01-01 to 9999-12-31. */
export function isDay(text: string): text is Day {
  const match = DAY.exec(text);
  if (match === null) return false;
  const [year, month, dayOfMonth] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year < FIRST_YEAR || month < 1 || month > 12 || dayOfMonth < 1) return false;
  return dayOfMonth <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function utcMidnight(day: Day): number {
  return Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8, 10)));
}

/** `from` is included, `until` is not. */
type OffsetSpan = { readonly from: number; readonly until: number; readonly offset: number };

/** A cache: reading the time zone's history takes microseconds, and São Paulo has one offset since 2019. */
let lastSpan: OffsetSpan = { from: 0, until: 0, offset: 0 };

/** Milliseconds to add to UTC for São Paulo's wall clock, past daylight saving included; negative. */
function saoPauloOffset(moment: Instant): number {
  if (moment < lastSpan.from || moment >= lastSpan.until) lastSpan = offsetSpanAround(moment);
  return lastSpan.offset;
}

function offsetSpanAround(moment: Instant): OffsetSpan {
  const zoned = Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(SAO_PAULO);
  // "Previous" means strictly before: asked from just after, a change at this very moment counts.
  const previous = zoned.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
  const next = zoned.getTimeZoneTransition('next');
  return {
    from: previous?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    until: next?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: zoned.offsetNanoseconds / 1_000_000,
  };
}
