import { type Day, isDay } from '../day.ts';

/** In the last format the time is checked and dropped. */
type DayForm = 'YYYYMMDD' | 'DDMMYYYY' | 'DDMMYY' | 'YYMMDD' | 'YYYYMMDDhhmmss';

/**
 * `= X`: the text X. `digits`: a numeric identifier; `count`: a quantity. `cents`: unsigned; `sign cents`:
 * after `+` or `-`. `code X`: from table X; the reader makes no money of an unknown code. `hint X`: from
 * table X, without effect. `later text`: of a later version; lines may end before it. `card` and `document`
 * (CPF, CNPJ, bank account) never leave the reader whole. `any` is not read. With `?` the field may be blank
 * or zeros (`cents?`, `sign cents?`: blank only, and then 0).
 */
export type FieldKind =
  | `= ${string}`
  | `${'digits' | 'count' | 'text' | 'cents' | 'sign cents' | 'time'}${'' | '?'}`
  | `day ${DayForm}${'' | '?'}`
  | `code ${string}`
  | `hint ${string}?`
  | 'later text?'
  | 'card?'
  | 'document?'
  | 'any';

/** Name, first and last position from 1, kind, meaning. */
export type Field = readonly [name: string, from: number, to: number, kind: FieldKind, meaning: string];

export type CodeTable = Readonly<Record<string, string>>;

export type RecordLayout<F extends readonly Field[] = readonly Field[]> = {
  readonly type: string;
  readonly title: string;
  readonly use: string;
  readonly length: number;
  /** The last field that is read ends here. Reserved space after it may be missing. */
  readonly shortest: number;
  readonly fields: F;
  readonly codes: Readonly<Record<string, CodeTable>>;
  /** By commas: see columns.ts. */
  readonly isSeparated: boolean;
};

type ValueOf<K extends FieldKind> = K extends 'count' | `${'cents' | 'sign cents'}${'' | '?'}`
  ? number
  : K extends 'count?'
    ? number | null
    : K extends `day ${DayForm}`
      ? Day
      : K extends `day ${DayForm}?`
        ? Day | null
        : K extends `${string}?`
          ? string | null
          : string;

/** Text values are trimmed. */
export type RecordValues<R extends RecordLayout> = {
  readonly [F in R['fields'][number] as F[3] extends 'any' | `= ${string}` ? never : F[0]]: ValueOf<F[3]>;
};

export type FieldFault = 'literal' | 'digits' | 'empty' | 'tooLarge' | 'sign' | 'day' | 'time' | 'text';

export type FaultOfField = {
  readonly field: string;
  readonly from: number;
  readonly to: number;
  /** From 1, where commas separate the fields. */
  readonly column: number | null;
  readonly fault: FieldFault;
  /** A code, a day or an amount of the file; null: anything that may be a person's. */
  readonly found: string | null;
};

/** Keeps the field names in the type. */
export function recordLayout<const F extends readonly Field[]>(
  type: string,
  title: string,
  use: string,
  fields: F,
  codes: Readonly<Record<string, CodeTable>> = {},
): RecordLayout<F> {
  const shortest = fields.findLast(([, , , kind]) => kind !== 'any' && kind !== 'later text?')?.[2] ?? 0;
  return { type, title, use, length: fields.at(-1)?.[2] ?? 0, shortest, fields, codes, isSeparated: false };
}

const LONGEST_CODE = 4;

function shownText(text: string): string | null {
  const found = text.trim();
  if (found.length <= LONGEST_CODE) return found;
  return /^[\d ,.+-]{1,18}$/.test(found) && !/\d{11}/.test(found) ? found : null;
}

type Reading = { readonly value: string | number | null; readonly fault: FieldFault | null };
const valued = (value: string | number | null): Reading => ({ value, fault: null });
const faulty = (fault: FieldFault): Reading => ({ value: null, fault });
const NOTHING = valued(null);
type Slot = {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly column: number | null;
  readonly isKept: boolean;
  readonly read: (text: string) => Reading;
  /** Most fields repeat the text of the previous line, so its reading is kept. */
  lastText: string | null;
  lastReading: Reading;
};

export type RecordReader<R extends RecordLayout> = (line: string) => {
  readonly values: RecordValues<R>;
  readonly faults: readonly FaultOfField[];
};

const NO_FAULTS: readonly FaultOfField[] = [];

/** A faulty field is null or 0: then the values only serve to look for more faults. */
export function recordReader<R extends RecordLayout>(layout: R): RecordReader<R> {
  const slots: Slot[] = layout.fields
    .map((field, index) => ({ field, column: layout.isSeparated ? index + 1 : null }))
    .filter(({ field: [, , , kind] }) => kind !== 'any')
    .map(({ field: [name, from, to, kind], column }) => ({
      ...{ name, from, to, column },
      isKept: !kind.startsWith('= '),
      read: readerOf(kind),
      lastText: null,
      lastReading: NOTHING,
    }));
  return (line) => {
    const values: Record<string, string | number | null> = {};
    let faults: FaultOfField[] | null = null;
    for (const slot of slots) {
      const text = line.slice(slot.from - 1, slot.to);
      if (text !== slot.lastText) {
        slot.lastReading = slot.read(text);
        slot.lastText = text;
      }
      const { name, from, to, column, lastReading } = slot;
      if (lastReading.fault !== null) {
        faults ??= [];
        faults.push({ field: name, from, to, column, fault: lastReading.fault, found: shownText(text) });
        values[name] = null;
      } else if (slot.isKept) {
        values[name] = lastReading.value;
      }
    }
    return { values: values as RecordValues<R>, faults: faults ?? NO_FAULTS };
  };
}

function readerOf(kind: FieldKind): (text: string) => Reading {
  if (kind.startsWith('= ')) return readLiteral(kind.slice(2));
  const isOptional = kind.endsWith('?');
  const [name = '', form = ''] = (isOptional ? kind.slice(0, -1) : kind).split(' ');
  switch (name) {
    case 'digits':
      return readDigits(isOptional);
    case 'count':
      return readCount(isOptional);
    case 'cents':
      return readCents(isOptional);
    case 'sign':
      return readSignedCents(isOptional);
    case 'day':
      return readDay(form as DayForm, isOptional);
    case 'time':
      return readTime(isOptional);
    case 'code':
      return (text) => valued(text.trim());
    case 'hint':
      return readText(true);
    case 'card':
      return (text) => valued(lastFourOf(text));
    case 'document':
      return () => NOTHING;
    default:
      return readText(isOptional);
  }
}

const EMPTY = faulty('empty');
const NOT_DIGITS = faulty('digits');
const TOO_LARGE = faulty('tooLarge');
const NOT_A_DAY = faulty('day');

function readLiteral(literal: string): (text: string) => Reading {
  return (text) => (text === literal ? NOTHING : faulty('literal'));
}

/** Leading zeros are dropped: acquirers pad identifiers to different lengths. */
function readDigits(isOptional: boolean): (text: string) => Reading {
  return (text) => {
    const digits = text.trim();
    if (digits !== '' && !isDigits(digits)) return NOT_DIGITS;
    const value = digits.replace(/^0+/, '');
    if (value === '') return isOptional ? NOTHING : EMPTY;
    return valued(value);
  };
}

function readCount(isOptional: boolean): (text: string) => Reading {
  return (text) => {
    if (isOptional && isBlank(text)) return NOTHING;
    return isDigits(text) ? valued(Number(text)) : NOT_DIGITS;
  };
}

function readCents(isOptional: boolean): (text: string) => Reading {
  return (text) => {
    if (isOptional && isBlank(text.replace(/^0+/, ''))) return valued(0);
    if (!isDigits(text)) return NOT_DIGITS;
    const value = Number(text);
    return Number.isSafeInteger(value) ? valued(value) : TOO_LARGE;
  };
}

function readSignedCents(isOptional: boolean): (text: string) => Reading {
  return (text) => {
    if (isOptional && isBlank(text)) return valued(0);
    const sign = text[0];
    if (sign !== '+' && sign !== '-') return faulty('sign');
    const digits = text.slice(1);
    if (!isDigits(digits)) return NOT_DIGITS;
    const value = Number(digits);
    if (!Number.isSafeInteger(value)) return TOO_LARGE;
    return valued(sign === '-' && value !== 0 ? -value : value);
  };
}

/** Cielo writes "no day" as 1 January 1001, banks write "when presented" in nines or eights. */
const NO_DAY = /^(?: *|0*|01011001|10010101|9{6}|9{8}|8{6}|8{8})$/;

function readDay(form: DayForm, isOptional: boolean): (text: string) => Reading {
  return (text) => {
    if (isOptional && NO_DAY.test(text)) return NOTHING;
    if (!isDigits(text)) return NOT_A_DAY;
    if (form === 'YYYYMMDDhhmmss' && !isTime(text.slice(8))) return faulty('time');
    const value = dayText(text, form);
    return isDay(value) ? valued(value) : NOT_A_DAY;
  };
}

function dayText(text: string, form: DayForm): string {
  switch (form) {
    case 'DDMMYYYY':
      return `${text.slice(4)}-${text.slice(2, 4)}-${text.slice(0, 2)}`;
    case 'DDMMYY':
      return `20${text.slice(4)}-${text.slice(2, 4)}-${text.slice(0, 2)}`;
    case 'YYMMDD':
      return `20${text.slice(0, 2)}-${text.slice(2, 4)}-${text.slice(4)}`;
    default:
      return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`;
  }
}

function readTime(isOptional: boolean): (text: string) => Reading {
  return (text) => {
    if (isOptional && isBlank(text)) return NOTHING;
    return isTime(text) ? valued(text) : faulty('time');
  };
}

/** Acquirers fill an absent text with zeros. */
function readText(isOptional: boolean): (text: string) => Reading {
  return (text) => {
    const value = text.trim();
    if (value === '' || (isOptional && isZeros(value))) return isOptional ? NOTHING : EMPTY;
    return valued(value);
  };
}

/** null: the last four digits are masked too. */
function lastFourOf(text: string): string | null {
  const last = text.trim().slice(-4);
  return last.length === 4 && isDigits(last) && !isZeros(text.trim()) ? last : null;
}

function isDigits(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 48 || code > 57) return false;
  }
  return text.length > 0;
}

function isZeros(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text[index] !== '0') return false;
  return true;
}

function isBlank(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text[index] !== ' ') return false;
  return true;
}

const TIME = /^(?:[01]\d|2[0-3])[0-5]\d[0-5]\d$/;

function isTime(text: string): boolean {
  return TIME.test(text);
}
