import type { SettlementEvent, SettlementFileEnd, SettlementFormat } from '../settlement-entry.ts';
import { AdiqFile } from './adiq-file.ts';
import { CieloFile } from './cielo-file.ts';
import type { FileReading } from './file-reading.ts';
import { Findings } from './findings.ts';
import { recognizedFormat } from './recognized-format.ts';
import { RedeEefiFile } from './rede-eefi-file.ts';
import { RedeEevcFile } from './rede-eevc-file.ts';
import { BEHIND_TRAILER, EMPTY_FILE, longerThan, noTrailer } from './settlement-faults.ts';
import { LineSplitter, LONGEST_LINE } from './split-lines.ts';

const READINGS: Readonly<Record<SettlementFormat, new (findings: Findings) => FileReading>> = {
  adiq: AdiqFile,
  cielo04: CieloFile,
  redeEevc: RedeEevcFile,
  redeEefi: RedeEefiFile,
};

/** The reading of one file, from its bytes to what they say; holds a line, and what belongs to it. */
export class SettlementReading {
  readonly #findings = new Findings();
  readonly #splitter = new LineSplitter();
  #file: FileReading | null = null;
  #lineCount = 0;
  #byteCount = 0;
  #isOver = false;

  /** Nothing that comes would change the answer: the rest of the file needs not be read. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The events that the bytes gave. */
  push(bytes: Uint8Array): SettlementEvent[] {
    if (this.#isOver) return [];
    this.#byteCount += bytes.length;
    const lines = this.#splitter.push(bytes);
    for (const line of lines ?? []) {
      if (!this.#isOver) this.#take(line);
    }
    if (lines === null && !this.#isOver) {
      const place = { lineNumber: this.#lineCount + 1, record: null };
      this.#findings.fault(place, null, longerThan(LONGEST_LINE));
      this.#isOver = true;
    }
    return this.#findings.drain();
  }

  /** The last events, when there are no bytes any more. */
  finish(sha256: () => string): SettlementEvent[] {
    const line = this.#splitter.last();
    if (line !== null && !this.#isOver) this.#take(line);
    const { faults, isClean } = this.#findings;
    const place = { lineNumber: Math.max(this.#lineCount, 1), record: null };
    if (isClean && this.#file === null) this.#findings.fault(place, null, EMPTY_FILE);
    else if (isClean && this.#file?.isEnded() === false) {
      this.#findings.fault(place, null, noTrailer(this.#file.trailer));
    }
    if (faults.length > 0) return [{ type: 'refused', faults }];
    return [...this.#findings.drain(), { type: 'end', end: this.#end(sha256()) }];
  }

  #take(line: string): void {
    this.#lineCount += 1;
    const place = { lineNumber: this.#lineCount, record: null };
    if (this.#file?.isEnded()) {
      this.#findings.fault(place, null, BEHIND_TRAILER);
      this.#isOver = true;
      return;
    }
    if (this.#file === null) {
      const recognized = recognizedFormat(line);
      if ('sentence' in recognized) this.#findings.fault(place, null, recognized.sentence);
      else this.#file = new READINGS[recognized.format](this.#findings);
    }
    this.#file?.take(line, this.#lineCount);
    // Without a good header nothing behind it can be understood.
    const isLost = this.#lineCount === 1 && !this.#findings.isClean;
    this.#isOver = isLost || this.#findings.isEnough;
  }

  #end(sha256: string): SettlementFileEnd {
    const { entryCount, leftOut, days } = this.#findings;
    if (days === null) throw new Error('a file without a head has no end');
    return {
      sha256,
      byteCount: this.#byteCount,
      lineCount: this.#lineCount,
      entryCount,
      ...days,
      leftOut,
    };
  }
}
