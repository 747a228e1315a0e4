import { isReturnHeader } from './banks/return-header.ts';
import type { SettlementEvent, SettlementFileEnd } from './entry.ts';
import { FORMATS } from './formats.ts';
import { OTHER_FILES } from './other-files.ts';
import { BlankLines } from './records/blank-lines.ts';
import {
  BEHIND_TRAILER,
  EMPTY_FILE,
  FILE_OF_BANK,
  longerThan,
  noTrailer,
  otherFile,
  UNKNOWN_FORMAT,
} from './records/faults.ts';
import { type FileReading, Findings } from './records/findings.ts';
import type { Format } from './records/format.ts';
import type { Sentence } from './sentence.ts';
import { isNothing, LineSplitter, LONGEST_LINE } from './text-lines.ts';

export class SettlementReading {
  readonly #findings = new Findings();
  readonly #splitter = new LineSplitter();
  readonly #blanks = new BlankLines();
  #file: FileReading | null = null;
  #lineCount = 0;
  #byteCount = 0;
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  push(bytes: Uint8Array): SettlementEvent[] {
    if (this.#isOver) return [];
    this.#byteCount += bytes.length;
    const lines = this.#splitter.push(bytes);
    for (const line of lines ?? []) {
      if (!this.#isOver) this.#take(line);
    }
    if (lines === null && !this.#isOver) {
      const place = { lineNumber: this.#lineCount + 1, record: null };
      const known = this.#file === null ? recognizedFormat(this.#splitter.start) : UNKNOWN_FORMAT;
      const isNamed = 'pt' in known && known !== UNKNOWN_FORMAT;
      this.#findings.fault(place, null, isNamed ? known : longerThan(LONGEST_LINE));
      this.#isOver = true;
    }
    return this.#findings.drain();
  }

  /** For bytes that are no text. */
  refuse(sentence: Sentence): void {
    this.#findings.fault({ lineNumber: 1, record: null }, null, sentence);
    this.#isOver = true;
  }

  finish(sha256: () => string): SettlementEvent[] {
    for (const line of this.#isOver ? [] : this.#splitter.last()) {
      if (!this.#isOver) this.#take(line);
    }
    const { faults, isClean } = this.#findings;
    const place = { lineNumber: Math.max(this.#lineCount, 1), record: null };
    if (isClean && this.#file === null) this.#findings.fault(place, null, EMPTY_FILE);
    else if (isClean && this.#file?.isEnded() === false) {
      this.#findings.fault(place, null, noTrailer(this.#file.trailer));
    }
    if (faults.length > 0) {
      const placed = faults.map((one) => ({ ...one, lineNumber: this.#blanks.lineOf(one.lineNumber) }));
      return [{ type: 'refused', faults: placed }];
    }
    return [...this.#findings.drain(), { type: 'end', end: this.#end(sha256()) }];
  }

  #take(line: string): void {
    if (isNothing(line)) {
      this.#blanks.add(this.#lineCount);
      return;
    }
    const isEnded = this.#file?.isEnded() === true;
    this.#lineCount += 1;
    const place = { lineNumber: this.#lineCount, record: null };
    if (isEnded) {
      this.#findings.fault(place, null, BEHIND_TRAILER);
      this.#isOver = true;
      return;
    }
    if (this.#file === null) {
      const recognized = recognizedFormat(line);
      if ('open' in recognized) this.#file = recognized.open(this.#findings);
      else this.#findings.fault(place, null, recognized);
    }
    this.#file?.take(line, this.#lineCount);
    // Without a good header nothing after it can be understood.
    const isLost = this.#lineCount === 1 && !this.#findings.isClean;
    this.#isOver = isLost || this.#findings.isEnough;
  }

  #end(sha256: string): SettlementFileEnd {
    const { entryCount, leftOut, otherEstablishments, days } = this.#findings;
    if (days === null) throw new Error('a file without a head has no end');
    return {
      sha256,
      byteCount: this.#byteCount,
      lineCount: this.#lineCount,
      entryCount,
      ...days,
      leftOut,
      otherEstablishments,
    };
  }
}

function recognizedFormat(line: string): Format | Sentence {
  const format = FORMATS.find(({ isHeader }) => isHeader(line));
  if (format !== undefined) return format;
  const other = OTHER_FILES.find(({ isHeader }) => isHeader(line));
  if (other !== undefined) return otherFile(other.title, other.about);
  return isReturnHeader(line) ? FILE_OF_BANK : UNKNOWN_FORMAT;
}
