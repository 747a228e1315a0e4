import { type Cents, cents } from '../../values/cents.ts';
import { type Day, isDay } from '../../values/instant.ts';

export const MOST_BUYERS = 10;

export type NamedBuyers = {
  /** The CPF or CNPJ of each buyer, or the id of a purchase without one. The latest buyer comes first. */
  readonly buyers: readonly string[];
  /** More buyers have such a name than were looked at, so some may be missing. */
  readonly isCut: boolean;
};

export type Sought = {
  readonly amount: Cents | null;
  readonly day: Day | null;
  readonly lastFour: string | null;
};

type Kind = keyof Sought;

/**
 * What the text says of a sale. Null: it says something else too, or one thing twice, or only four digits.
 */
export function readSought(text: string, today: Day): Sought | null {
  const found: { [Name in Kind]: Sought[Name] } = { amount: null, day: null, lastFour: null };
  const parts = text
    .replaceAll(/R\$\s*/gi, 'R$')
    .replaceAll(/(?:final|[•*]{4})\s*(?=\d{4}\b)/gi, '')
    .split(/\s+/);
  for (const part of parts) {
    const read = { amount: amountIn(part), day: dayIn(part, today), lastFour: lastFourIn(part) };
    const kind = (Object.keys(read) as Kind[]).find((name) => read[name] !== null);
    if (kind === undefined || found[kind] !== null) return null;
    Object.assign(found, { [kind]: read[kind] });
  }
  return found.amount === null && found.day === null ? null : found;
}

/** A number is an amount if it has cents (259,90) or the sign R$. */
function amountIn(text: string): Cents | null {
  const match = /^(R\$)?(\d{1,3}(?:\.\d{3}){1,3}|\d{1,8})(?:,(\d{2}))?$/i.exec(text);
  const [, sign, whole = '', fraction] = match ?? [];
  if (match === null || (sign === undefined && fraction === undefined)) return null;
  return cents(Number(whole.replaceAll('.', '')) * 100 + Number(fraction ?? 0));
}

/** A day without a year is the latest such day. */
function dayIn(text: string, today: Day): Day | null {
  if (isDay(text)) return text;
  const [, day = '', month = '', year] = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?$/.exec(text) ?? [];
  const of = (which: number) => `${which}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const thisYear = Number(today.slice(0, 4));
  const read = year === undefined && of(thisYear) > today ? of(thisYear - 1) : of(Number(year ?? thisYear));
  return day !== '' && isDay(read) ? read : null;
}

function lastFourIn(text: string): string | null {
  return /^\d{4}$/.test(text) ? text : null;
}
