import type { Day } from '../day.ts';
import type { SettlementEntry, SettlementEvent, SettlementFault, SettlementFileHead } from '../entry.ts';
import type { Sentence } from '../sentence.ts';

/** Reading stops there: nobody reads more faults at once. */
const MOST_FAULTS = 20;
/** Named in the result; further ones are not. */
const MOST_ESTABLISHMENTS = 20;

export type Place = { readonly lineNumber: number; readonly record: string | null };

export class Findings {
  readonly faults: SettlementFault[] = [];
  readonly leftOut: Record<string, number> = {};
  entryCount = 0;
  readonly otherEstablishments: Record<string, number> = {};
  #establishment: string | null = null;
  #events: SettlementEvent[] = [];
  #stated: { readonly from: Day; readonly to: Day } | null = null;
  #seen: { readonly from: Day; readonly to: Day } | null = null;

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
    this.#establishment = head.establishment;
  }

  /** After a fault no more entries are yielded. */
  entry(entry: SettlementEntry, maskedLine: string): void {
    if (!this.isClean) return;
    this.entryCount += 1;
    if (entry.establishment !== this.#establishment) this.#otherEstablishment(entry.establishment);
    this.#events.push({ type: 'entry', entry, maskedLine });
  }

  #otherEstablishment(establishment: string): void {
    const count = this.otherEstablishments[establishment];
    const isRoom = Object.keys(this.otherEstablishments).length < MOST_ESTABLISHMENTS;
    if (count !== undefined || isRoom) this.otherEstablishments[establishment] = (count ?? 0) + 1;
  }

  leave(what: string): void {
    this.leftOut[what] = (this.leftOut[what] ?? 0) + 1;
  }

  span(day: Day): void {
    const { from, to } = this.#seen ?? { from: day, to: day };
    this.#seen = { from: day < from ? day : from, to: day > to ? day : to };
  }

  /** From the lines, or from the header if no line has a day. */
  get days(): { readonly from: Day; readonly to: Day } | null {
    return this.#seen ?? this.#stated;
  }

  drain(): SettlementEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

export type FileReading = {
  readonly trailer: string;
  readonly take: (line: string, lineNumber: number) => void;
  /** True also after a bad trailer. */
  readonly isEnded: () => boolean;
};
