import type { Day } from '../day.ts';

/** First and last position from 1, and the text there. Positions without a field are blank. */
export type WrittenField = readonly [from: number, to: number, text: string];

/** Throws RangeError for a text that does not fit: a file is right or not written. */
export function writeRecord(length: number, fields: readonly WrittenField[]): string {
  let line = '';
  for (const [from, to, text] of fields) {
    if (from <= line.length || text.length !== to - from + 1)
      throw new RangeError(`positions ${from} to ${to} cannot hold ${text.length} characters`);
    line = line.padEnd(from - 1) + text;
  }
  if (line.length > length) throw new RangeError(`a record of ${length} positions ends at ${line.length}`);
  return line.padEnd(length);
}

/** Padded with zeros. Throws RangeError if it is too long, or no number. */
export function digits(value: number | string, length: number): string {
  const text = String(value);
  if (!/^\d*$/.test(text) || text.length > length) throw new RangeError(`${text} has not ${length} digits`);
  return text.padStart(length, '0');
}

/** Capital letters without accents, as all banks take them, cut at the end of the bank's field. */
export function text(value: string, length: number): string {
  const plain = value
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9 .,/&()-]/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
  return plain.slice(0, length).padEnd(length);
}

/** CPF, or CNPJ with letters since 2026. */
export function documentOf(number: string): readonly [kind: '01' | '02', fourteen: string] {
  return [number.length === 11 ? '01' : '02', number.padStart(14, '0')];
}

/** DDMMYY. */
export function shortDay(day: Day): string {
  return `${day.slice(8)}${day.slice(5, 7)}${day.slice(2, 4)}`;
}

/** YYYYMMDD. */
export function yearDay(day: Day): string {
  return day.replaceAll('-', '');
}

/** DDMMYYYY. */
export function longDay(day: Day): string {
  return `${day.slice(8)}${day.slice(5, 7)}${day.slice(0, 4)}`;
}

/** Interest for each day of a month of thirty, in cents. */
export function interestOfDay(amount: number, portionOfMonth: number | null): number {
  return portionOfMonth === null ? 0 : Math.round((amount * portionOfMonth) / 300_000);
}

export function dayAfter(day: Day): Day {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10) as Day;
}
