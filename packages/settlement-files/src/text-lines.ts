import { isUtf8 } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import { ByteSource, TOO_LARGE } from './byte-source.ts';
import type { Sentence } from './sentence.ts';
import { UnreadableFile } from './unreadable-file.ts';
import { SPREADSHEET, unzipped } from './zip.ts';

const OTHER_KINDS: readonly (readonly [bytes: readonly (number | null)[], sentence: Sentence])[] = [
  [
    [0x25, 0x50, 0x44, 0x46],
    {
      pt: 'O arquivo é um PDF: baixe o arquivo de texto.',
      en: 'The file is a PDF: download the text file.',
    },
  ],
  [[0xd0, 0xcf, 0x11, 0xe0], SPREADSHEET],
  ...[
    [0xff, 0xfe],
    [0xfe, 0xff],
    [null, 0],
    [0, null],
  ].map(
    (bytes) =>
      [
        bytes,
        {
          pt: 'O arquivo está em UTF-16: um editor o gravou de novo. Baixe-o outra vez, e não o abra em um editor.',
          en: 'The file is in UTF-16: an editor wrote it anew. Download it again, and do not open it in an editor.',
        },
      ] as const,
  ),
];

const BROKEN_GZIP: Sentence = {
  pt: 'O arquivo compactado (gzip) está danificado: baixe-o de novo.',
  en: 'The compressed file (gzip) is damaged: download it again.',
};

const GZIP = [0x1f, 0x8b];
const ZIPS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0x50, 0x4b, 0x05, 0x06],
];

function beginsWith(bytes: Uint8Array, start: readonly (number | null)[]): boolean {
  return start.every((byte, index) => byte === null || bytes[index] === byte);
}

/** Servers and programs pack what is packed already. */
const MOST_LAYERS = 3;

/** The bytes, unpacked if they are gzip or a zip of one file. Throws `UnreadableFile`. */
export async function* plainBytes(
  bytes: AsyncIterable<Uint8Array>,
  layers = MOST_LAYERS,
): AsyncGenerator<Uint8Array> {
  const source = new ByteSource(bytes);
  try {
    const first = await source.peek(4);
    const other = OTHER_KINDS.find(([start]) => beginsWith(first, start))?.[1];
    if (other !== undefined) throw new UnreadableFile(other);
    const unpacked = unpackedBytes(source, first);
    if (unpacked === null) yield* source.rest();
    else if (layers === 0) throw new UnreadableFile(TOO_LARGE);
    else yield* plainBytes(unpacked, layers - 1);
  } finally {
    await source.close();
  }
}

/** null: they are not packed. */
function unpackedBytes(source: ByteSource, first: Buffer): AsyncGenerator<Uint8Array> | null {
  if (beginsWith(first, GZIP)) return gunzipped(source);
  return ZIPS.some((start) => beginsWith(first, start)) ? unzipped(source) : null;
}

/** Zeros may follow, as a tape leaves them. Reads to the end: only there is what is around it checked. */
async function* gunzipped(source: ByteSource): AsyncGenerator<Uint8Array> {
  yield* source.inflated(createGunzip(), BROKEN_GZIP);
  for await (const chunk of source.rest()) {
    if (!chunk.equals(Buffer.alloc(chunk.length))) throw new UnreadableFile(BROKEN_GZIP);
  }
}

/** No format has lines longer than this. */
export const LONGEST_LINE = 4096;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const END_OF_FILE = '\u001a';
const UTF8_MARK = [0xef, 0xbb, 0xbf];

/**
 * Splits at LF, CR LF or CR, or after so many positions if a file has no line ends. Reads a line as UTF-8 if
 * it is valid UTF-8, which an accented line of ISO-8859-1 never is; otherwise as ISO-8859-1. A line of UTF-8
 * that has its length in bytes has its positions in bytes too. An incomplete line waits.
 */
export class LineSplitter {
  readonly #lengthOf: (start: string) => number | null;
  #rest: Buffer = Buffer.alloc(0);
  #isFirst = true;
  #fixed: number | null = null;
  /** null: not known, or trailing blanks are missing, so that the bytes of a line say nothing. */
  #width: number | null = null;

  /** `lengthOf`: by the first line, the positions of each line; null: line ends separate them. */
  constructor(lengthOf: (start: string) => number | null = () => null) {
    this.#lengthOf = lengthOf;
  }

  /** Of the incomplete line. */
  get start(): string {
    return this.#rest.toString('utf8', 0, LONGEST_LINE);
  }

  /** null: a line is too long. */
  push(bytes: Uint8Array): string[] | null {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#isFirst) {
      if (all.length < LONGEST_LINE && !hasEnd(all)) {
        this.#rest = Buffer.from(all);
        return [];
      }
      all = this.#begin(all);
    }
    const lines: string[] = [];
    let start = 0;
    for (;;) {
      const end = this.#endOf(all, start);
      if (end === null) break;
      lines.push(this.#textOf(all, start, end.text));
      start = end.next;
    }
    // A copy, because the caller may reuse its buffer.
    this.#rest = Buffer.from(all.subarray(start));
    return this.#rest.length > LONGEST_LINE ? null : lines;
  }

  last(): string[] {
    let all = this.#isFirst ? this.#begin(this.#rest) : this.#rest;
    // A CR that a LF might have followed.
    if (all.at(-1) === CARRIAGE_RETURN) all = all.subarray(0, -1);
    const lines: string[] = [];
    const length = this.#fixed ?? all.length;
    for (let start = 0; start < all.length; start += length) {
      lines.push(this.#textOf(all, start, Math.min(start + length, all.length)));
    }
    const last = lines.pop()?.replace(END_OF_FILE, '') ?? '';
    return last === '' ? lines : [...lines, last];
  }

  #begin(all: Buffer): Buffer {
    this.#isFirst = false;
    const text = beginsWith(all, UTF8_MARK) ? all.subarray(UTF8_MARK.length) : all;
    const start = text.toString('latin1', 0, LONGEST_LINE);
    const width = this.#lengthOf(start);
    if (!hasEnd(text)) this.#fixed = width;
    if (width !== null && !/[\n\r]/.test(start.slice(0, width))) this.#width = width;
    return text;
  }

  #textOf(bytes: Buffer, start: number, end: number): string {
    const text = bytes.toString('latin1', start, end);
    if (end - start === this.#width || !/[\u0080-\u00ff]/.test(text)) return text;
    const line = bytes.subarray(start, end);
    return isUtf8(line) ? line.toString('utf8') : text;
  }

  #endOf(all: Buffer, start: number): { readonly text: number; readonly next: number } | null {
    if (this.#fixed !== null) {
      const end = start + this.#fixed;
      return end < all.length ? { text: end, next: end } : null;
    }
    const feed = all.indexOf(LINE_FEED, start);
    const line = feed === -1 ? all.subarray(start) : all.subarray(start, feed);
    const at = line.indexOf(CARRIAGE_RETURN);
    if (at === -1) return feed === -1 ? null : { text: feed, next: feed + 1 };
    const end = start + at;
    if (feed === end + 1) return { text: end, next: feed + 1 };
    // The last byte may be half of a CR LF.
    return end === all.length - 1 ? null : { text: end, next: end + 1 };
  }
}

function hasEnd(bytes: Buffer): boolean {
  return bytes.includes(LINE_FEED) || bytes.includes(CARRIAGE_RETURN);
}

/** Not a record. If it replaces one, a count or a line number disagrees. */
export function isNothing(line: string): boolean {
  return line.replaceAll(END_OF_FILE, '').trim() === '';
}
