import { type RecordLayout, type RecordValues, recordReader } from '../layouts/fixed-width.ts';
import type { FormatLayout } from '../layouts/formats.ts';
import type { Findings, Place } from './findings.ts';
import { lineMasker } from './masked-line.ts';
import {
  behindRecord,
  CONTROL_CHARACTER,
  EMPTY_LINE,
  fieldSentence,
  longerThan,
  shorterThan,
  UNKNOWN_RECORD,
} from './settlement-faults.ts';

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

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

export function recordLines(
  { records, alike, leftOut, typeLength, longestLine, isTailFree }: FormatLayout,
  handlers: readonly RecordHandler[],
  findings: Findings,
): (line: string, lineNumber: number) => void {
  const layouts = new Map(records.map((layout) => [layout.type, layout]));
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
      findings.fault({ lineNumber, record: null }, null, UNKNOWN_RECORD);
      return;
    }
    const place = { lineNumber, record };
    const { length, shortest } = layout;
    if (line.length < shortest) findings.fault(place, null, shorterThan(record, length, line.length));
    else if (!isTailFree && line.length > length && line.slice(length).trim() !== '') {
      findings.fault(place, null, behindRecord(record, length));
    } else handler.take(line, place, findings);
  };
}

function lineFault(line: string, longestLine: number): { pt: string; en: string } | null {
  if (line === '') return EMPTY_LINE;
  if (line.length > longestLine) return longerThan(longestLine);
  return CONTROL.test(line) ? CONTROL_CHARACTER : null;
}
