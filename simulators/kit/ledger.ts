import fs from 'node:fs';
import { join } from 'node:path';

const FILE_NAME = 'ledger.jsonl';
/** A line is made of one request, whose body is bounded; a longer one was not written here. */
const LONGEST_LINE_BYTES = 64 * 1024;
const READ_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/** The file cannot be believed, and whoever runs the simulator must look at it. */
export class BrokenLedger extends Error {}

/** A line that cannot follow those before it. */
export class ContradictoryEntry extends Error {}

/**
 * An append-only file of lines. What is appended while a write is on its way to the disk gathers
 * and goes with the next one, so that many charges share one fsync; a lone one waits for nobody.
 * Nothing may be answered before `afterDurable` calls.
 */
export class Ledger {
  readonly #file: number;
  readonly #sync: boolean;
  readonly #onFailure: (error: Error) => void;
  #isClosed = false;
  #lines: string[] = [];
  /** The callers that wait for the lines above. */
  #waiting: (() => void)[] = [];
  /** The callers that wait for the lines that are being written; null when none are. */
  #written: (() => void)[] | null = null;

  /**
   * `onFailure` must end the process: after a failed write or fsync nobody knows what the disk
   * holds.
   */
  constructor(file: number, sync: boolean, onFailure: (error: Error) => void) {
    this.#file = file;
    this.#sync = sync;
    this.#onFailure = onFailure;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  append(line: string): void {
    // Its descriptor may be another file's by now.
    if (this.#isClosed) throw new Error('the ledger is closed');
    this.#lines.push(line);
    if (this.#written === null) {
      this.#written = [];
      // Not at once, so that the requests which the same turn of the event loop brings go together.
      setImmediate(() => this.#write());
    }
  }

  /** Calls when all that was appended before is on the disk: at once when it is. */
  afterDurable(act: () => void): void {
    if (this.#lines.length > 0) this.#waiting.push(act);
    else if (this.#written !== null) this.#written.push(act);
    else act();
  }

  /** Nothing is appended any more. */
  close(): void {
    this.#isClosed = true;
    fs.closeSync(this.#file);
  }

  #write(): void {
    const lines = this.#lines;
    this.#written = this.#waiting;
    this.#lines = [];
    this.#waiting = [];
    try {
      writeWhole(this.#file, Buffer.from(`${lines.join('\n')}\n`));
    } catch (error) {
      this.#onFailure(error as Error);
      return;
    }
    if (!this.#sync) {
      this.#settle();
      return;
    }
    // The data and the file's length, which is what reading it back takes.
    fs.fdatasync(this.#file, (error) => {
      if (error === null) this.#settle();
      else this.#onFailure(error);
    });
  }

  #settle(): void {
    const settled = this.#written ?? [];
    this.#written = null;
    if (this.#lines.length > 0) this.#write();
    for (const act of settled) act();
  }
}

/**
 * Opens the ledger in the folder, makes it if there is none, and hands over every whole line in
 * order. The rest behind the last line feed is what a killed process was writing: nobody was
 * answered for it, and it is cut off.
 *
 * @returns The open file, at whose end is the next line.
 */
export function openLedgerFile(folder: string, onLine: (line: string, number: number) => void): number {
  const path = join(folder, FILE_NAME);
  const isNew = !fs.existsSync(path);
  const file = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_APPEND, 0o600);
  const wholeBytes = readLines(file, onLine);
  if (wholeBytes < fs.fstatSync(file).size) {
    fs.ftruncateSync(file, wholeBytes);
    fs.fsyncSync(file);
  }
  if (isNew) syncFolder(folder);
  return file;
}

/** @returns How many bytes the whole lines take. */
function readLines(file: number, onLine: (line: string, number: number) => void): number {
  const chunk = Buffer.alloc(READ_BYTES);
  let rest = Buffer.alloc(0);
  let wholeBytes = 0;
  let number = 0;
  for (let position = 0; ; ) {
    const size = fs.readSync(file, chunk, 0, READ_BYTES, position);
    if (size === 0) return wholeBytes;
    position += size;
    const bytes = Buffer.concat([rest, chunk.subarray(0, size)]);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      number += 1;
      onLine(bytes.toString('utf8', start, end), number);
      start = end + 1;
    }
    wholeBytes += start;
    rest = bytes.subarray(start);
    if (rest.length > LONGEST_LINE_BYTES) {
      throw new BrokenLedger(`line ${number + 1} of the ledger is too long`);
    }
  }
}

/** A write may take a part only. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    written += fs.writeSync(file, bytes, written, bytes.length - written);
  }
}

/** The name of a new file is safe only when its folder is. */
function syncFolder(folder: string): void {
  const handle = fs.openSync(folder, fs.constants.O_RDONLY);
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
