import type { SettlementEvent, SettlementFileEnd } from './entry.ts';
import { FORMATS, OTHER_FILES } from './formats.ts';
import {
  BEHIND_TRAILER,
  EMPTY_FILE,
  longerThan,
  noTrailer,
  otherFile,
  UNKNOWN_FORMAT,
} from './records/faults.ts';
import { type FileReading, Findings } from './records/findings.ts';
import type { Format } from './records/format.ts';
import type { Sentence } from './sentence.ts';

export class SettlementReading {
  readonly #findings = new Findings();
  readonly #splitter = new LineSplitter();
  #file: FileReading | null = null;
  #lineCount = 0;
  #byteCount = 0;
  #isOver = false;

  /** True if no further byte can change the answer. */
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
      this.#findings.fault(place, null, longerThan(LONGEST_LINE));
      this.#isOver = true;
    }
    return this.#findings.drain();
  }

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
      if ('open' in recognized) this.#file = recognized.open(this.#findings);
      else this.#findings.fault(place, null, recognized);
    }
    this.#file?.take(line, this.#lineCount);
    // Without a good header nothing after it can be understood.
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

function recognizedFormat(line: string): Format | Sentence {
  const format = FORMATS.find(({ isHeader }) => isHeader(line));
  if (format !== undefined) return format;
  const other = OTHER_FILES.find(({ isHeader }) => isHeader(line));
  return other === undefined ? UNKNOWN_FORMAT : otherFile(other.title);
}

/** No format has lines longer than this. */
const LONGEST_LINE = 4096;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Splits ISO-8859-1 at LF or CR LF. An incomplete line waits for the next bytes. */
class LineSplitter {
  #rest: Buffer = Buffer.alloc(0);

  /** Null if a line is too long. */
  push(bytes: Uint8Array): string[] | null {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const lines: string[] = [];
    let start = 0;
    for (;;) {
      const end = all.indexOf(LINE_FEED, start);
      if (end === -1) break;
      lines.push(textOf(all, start, end));
      start = end + 1;
    }
    // A copy, because the caller may reuse its buffer.
    this.#rest = Buffer.from(all.subarray(start));
    return this.#rest.length > LONGEST_LINE ? null : lines;
  }

  last(): string | null {
    return this.#rest.length === 0 ? null : textOf(this.#rest, 0, this.#rest.length);
  }
}

function textOf(bytes: Buffer, start: number, end: number): string {
  const isReturn = end > start && bytes[end - 1] === CARRIAGE_RETURN;
  return bytes.toString('latin1', start, isReturn ? end - 1 : end);
}
