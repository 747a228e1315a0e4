/** Longest line that is looked at; every format has shorter ones. */
export const LONGEST_LINE = 4096;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Cuts bytes into lines of ISO-8859-1, without the LF or CR LF behind them. What is not yet a line
 * waits for the next bytes, and is never longer than a line may be.
 */
export class LineSplitter {
  #rest: Buffer = Buffer.alloc(0);

  /** Null when a line is longer than any may be. */
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
    // A copy: the caller may use its bytes again.
    this.#rest = Buffer.from(all.subarray(start));
    return this.#rest.length > LONGEST_LINE ? null : lines;
  }

  /** The line that the file ends with, when nothing ends the line. */
  last(): string | null {
    return this.#rest.length === 0 ? null : textOf(this.#rest, 0, this.#rest.length);
  }
}

function textOf(bytes: Buffer, start: number, end: number): string {
  const isReturn = end > start && bytes[end - 1] === CARRIAGE_RETURN;
  return bytes.toString('latin1', start, isReturn ? end - 1 : end);
}
