import { isDay } from '../kit/days.ts';
import { type FieldReader, INSTANT } from '../kit/field-reader.ts';

const FIRST = Date.parse('2000-01-01T00:00:00Z');
const LAST = Date.parse('2199-12-31T23:59:59Z');
const DAY = /^2[01]\d\d-\d\d-\d\d$/;

/** Of these two centuries: what is computed from it is a moment too. */
export function readDay(fields: FieldReader, name: string): string {
  const day = fields.text(name, DAY);
  if (!isDay(day)) fields.refuse(name);
  return day;
}

export function readMoment(fields: FieldReader, name: string): number {
  const at = fields.instant(name);
  if (at >= FIRST && at <= LAST) return at;
  fields.refuse(name);
  return FIRST;
}

export function readMomentOrNull(fields: FieldReader, name: string): number | null {
  return fields.instantOrNull(name) === null ? null : readMoment(fields, name);
}

/** Of a header; null: it says none. */
export function momentOf(text: string | undefined): number | null {
  const at = INSTANT.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN;
  return at >= FIRST && at <= LAST ? at : null;
}
