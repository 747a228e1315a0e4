import type { Sentence } from '../../platform/http/sentence.ts';
import type { Day } from '../../values/instant.ts';
import type {
  SettlementEntry,
  SettlementEvent,
  SettlementFault,
  SettlementFileHead,
} from '../settlement-entry.ts';

/** More faults than a person reads at once; the file is not read on behind them. */
const MOST_FAULTS = 20;

/** Where a fault or an entry stands. */
export type Place = { readonly lineNumber: number; readonly record: string | null };

/** What reading has found until now: events to hand on, faults, and what the end will say. */
export class Findings {
  readonly faults: SettlementFault[] = [];
  readonly leftOut: Record<string, number> = {};
  entryCount = 0;
  #events: SettlementEvent[] = [];
  #stated: { readonly from: Day; readonly to: Day } | null = null;
  #seen: { readonly from: Day; readonly to: Day } | null = null;

  /** Nothing further of the file matters. */
  get isEnough(): boolean {
    return this.faults.length >= MOST_FAULTS;
  }

  get isClean(): boolean {
    return this.faults.length === 0;
  }

  fault(place: Place, field: string | null, sentence: Sentence): void {
    if (this.isEnough) return;
    const { pt, en } = sentence;
    this.faults.push({ lineNumber: place.lineNumber, record: place.record, field, sentence: { pt, en } });
  }

  head(head: SettlementFileHead): void {
    this.#events.push({ type: 'head', head });
    this.#stated = { from: head.from, to: head.to };
  }

  /** Behind a fault there are no entries any more. */
  entry(entry: SettlementEntry, maskedLine: string): void {
    if (!this.isClean) return;
    this.entryCount += 1;
    this.#events.push({ type: 'entry', entry, maskedLine });
  }

  leave(what: string): void {
    this.leftOut[what] = (this.leftOut[what] ?? 0) + 1;
  }

  /** A day of the movement that stands behind the head. */
  span(day: Day): void {
    const { from, to } = this.#seen ?? { from: day, to: day };
    this.#seen = { from: day < from ? day : from, to: day > to ? day : to };
  }

  /** The movement as the lines have it, else as the head has it. */
  get days(): { readonly from: Day; readonly to: Day } | null {
    return this.#seen ?? this.#stated;
  }

  /** The events since the last call. */
  drain(): SettlementEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** Reads the lines of a file of one format, in order; what it finds goes into its findings. */
export type FileReading = {
  /** The record that ends the file. */
  readonly trailer: string;
  readonly take: (line: string, lineNumber: number) => void;
  /** Whether the trailer was read, good or not. */
  readonly isEnded: () => boolean;
};
