import type { SettlementEvent } from '../src/entry.ts';
import { readSettlementEvents } from '../src/read-settlement-events.ts';

/**
 * Texts by their first position, from 1; blanks between them. Positions are typed from the published
 * layouts.
 */
export type Texts = Readonly<Record<number, string>>;

export function line(length: number, texts: Texts): string {
  const signs = Array.from({ length }, () => ' ');
  for (const [from, text] of Object.entries(texts)) {
    for (const [index, sign] of [...text].entries()) signs[Number(from) - 1 + index] = sign;
  }
  return signs.join('');
}

/** A number with zeros before it. */
export function digits(value: number | string, length: number): string {
  return String(value).padStart(length, '0');
}

/** The line with another text at a position. */
export function withText(text: string, from: number, other: string): string {
  return text.slice(0, from - 1) + other + text.slice(from - 1 + other.length);
}

export function bytesOf(lines: readonly string[], newLine = '\r\n'): Uint8Array {
  return Buffer.from(lines.map((one) => one + newLine).join(''), 'latin1');
}

/** Each chunk is overwritten when the next one is asked for, as a source may do. */
export async function* chunksOf(bytes: Uint8Array, size = bytes.length || 1): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) {
    const chunk = Buffer.from(bytes.subarray(start, start + size));
    yield chunk;
    chunk.fill(0xee);
  }
}

export async function eventsOf(bytes: Uint8Array, size?: number): Promise<SettlementEvent[]> {
  return Array.fromAsync(readSettlementEvents(chunksOf(bytes, size)));
}

export async function readLines(lines: readonly string[]) {
  const events = await eventsOf(bytesOf(lines));
  const last = events.at(-1);
  return {
    events,
    head: events.flatMap((event) => (event.type === 'head' ? [event.head] : []))[0],
    entries: events.flatMap((event) => (event.type === 'entry' ? [event.entry] : [])),
    masked: events.flatMap((event) => (event.type === 'entry' ? [event.maskedLine] : [])),
    end: last?.type === 'end' ? last.end : null,
    faults: last?.type === 'refused' ? last.faults : [],
  };
}

/** Line and field of the first fault; null of a file that is taken. */
export async function firstFault(lines: readonly string[]): Promise<[number, string | null] | null> {
  const { faults } = await readLines(lines);
  const [first] = faults;
  return first === undefined ? null : [first.lineNumber, first.field];
}
