import { holdsCardNumber, isCardNumber } from '../card-number.ts';
import { columnReader } from './columns.ts';
import {
  behindRecord,
  controlFault,
  EMPTY_LINE,
  fewerColumns,
  fieldSentence,
  longerThan,
  shorterThan,
  unknownRecord,
} from './faults.ts';
import type { Findings, Place } from './findings.ts';
import { type RecordLayout, type RecordValues, recordReader } from './fixed-width.ts';
import type { FormatLayout } from './format.ts';

export type GoodLine = Place & { readonly record: string; readonly masked: () => string };

export type RecordHandler = {
  readonly type: string;
  readonly take: (line: string, place: Place & { readonly record: string }, findings: Findings) => void;
};

export function onRecord<R extends RecordLayout>(
  layout: R,
  handle: (values: RecordValues<R>, line: GoodLine) => void,
): RecordHandler {
  const read = recordReader(layout);
  const mask = lineMasker(layout);
  return {
    type: layout.type,
    take: (line, place, findings) => {
      // This record has another record's positions, so it is read with that record's type.
      const written = place.record === layout.type ? line : layout.type + line.slice(layout.type.length);
      const { values, faults } = read(written);
      for (const fault of faults) findings.fault(place, fault.field, fieldSentence(fault));
      if (faults.length === 0) handle(values, { ...place, masked: () => mask(line) });
    },
  };
}

export function recordLines(
  { records, alike, leftOut, typeLength, longestLine, isTailFree }: FormatLayout,
  handlers: readonly RecordHandler[],
  findings: Findings,
): (line: string, lineNumber: number) => void {
  const layouts = new Map(records.map((layout) => [layout.type, layout]));
  const fullColumns = columnReader();
  const byType = new Map(handlers.map((handler) => [handler.type, handler]));
  return (line, lineNumber) => {
    const plain = lineFault(line, longestLine);
    if (plain !== null) {
      findings.fault({ lineNumber, record: null }, null, plain);
      return;
    }
    const record = line.slice(0, typeLength);
    const what = leftOut[record];
    if (what !== undefined) {
      findings.leave(what);
      return;
    }
    const type = alike[record]?.as ?? record;
    const [layout, handler] = [layouts.get(type), byType.get(type)];
    if (layout === undefined || handler === undefined) {
      findings.fault({ lineNumber, record: null }, null, unknownRecord(record));
      return;
    }
    const place = { lineNumber, record };
    const written = layout.isSeparated ? fullColumns(line, layout) : line;
    if (typeof written !== 'string') findings.fault(place, written.field, written.sentence);
    else if (written.length < layout.shortest) findings.fault(place, null, tooShort(layout, record, line));
    else if (!isTailFree && line.slice(layout.length).trim() !== '') {
      findings.fault(place, null, behindRecord(record, layout.length));
    } else handler.take(written, place, findings);
  };
}

function tooShort({ isSeparated, fields, length, shortest }: RecordLayout, record: string, line: string) {
  const columns = fields.filter(([, , to]) => to <= shortest).length;
  return isSeparated ? fewerColumns(record, columns) : shorterThan(record, length, line.length);
}

function lineFault(line: string, longestLine: number): { pt: string; en: string } | null {
  if (line === '') return EMPTY_LINE;
  if (line.length > longestLine) return longerThan(longestLine);
  return controlFault(line);
}

const HIDDEN = '*';
const SHORTEST_CARD = 13;
/** The first six and last four digits are shown. */
const MOST_SHOWN = 10;

/** Keeps at most six first and four last card digits. Removes CPF, CNPJ, bank accounts and unnamed fields. */
function lineMasker({ fields }: RecordLayout): (line: string) => string {
  const parts = fields.flatMap(([, from, to, kind], index) => {
    const mask = maskOf(kind, to - from + 1);
    const before = fields[index - 1]?.[2] ?? 0;
    const separator = before === from - 1 ? [] : [{ from: before, to: from - 1, mask: null }];
    return [...separator, { from: from - 1, to, mask }];
  });
  const joined: { from: number; to: number; mask: ((text: string) => string) | null }[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last !== undefined && last.mask === null && part.mask === null) last.to = part.to;
    else joined.push({ ...part });
  }
  return (line) => {
    let masked = '';
    for (const { from, to, mask } of joined) {
      const text = line.slice(from, to);
      masked += mask === null ? text : mask(text);
    }
    return masked.trimEnd();
  };
}

function maskOf(kind: string, length: number): ((text: string) => string) | null {
  if (kind === 'card?') return maskedCardField;
  if (kind === 'document?' || kind === 'any') return blanksFor;
  return kind.startsWith('text') && length >= SHORTEST_CARD ? maskedText : null;
}

function blanksFor(text: string): string {
  return ' '.repeat(text.length);
}

/** Padding stays, so that positions do not move. */
function maskedCardField(text: string): string {
  const [, before = '', number = '', behind = ''] = /^([ 0]*)(.*?)( *)$/.exec(text) ?? [];
  const places = [...number.matchAll(/\d/g)].map(({ index }) => index);
  if (places.length <= MOST_SHOWN) return text;
  const shown = new Set([...places.slice(0, 6), ...places.slice(-4)]);
  const masked = [...number].map((sign, index) => (isDigit(sign) && !shown.has(index) ? HIDDEN : sign));
  return before + masked.join('') + behind;
}

/** A text with a card number loses all its digits. */
function maskedText(text: string): string {
  return isRevealing(text) ? text.replaceAll(/\d/g, HIDDEN) : text;
}

export function isRevealing(text: string): boolean {
  const plain = text.trim();
  if (plain.length < SHORTEST_CARD) return false;
  if (/^\d+$/.test(plain)) return isCardNumber(plain);
  return plain.includes(' ') && holdsCardNumber(plain);
}

function isDigit(sign: string): boolean {
  return sign >= '0' && sign <= '9';
}
