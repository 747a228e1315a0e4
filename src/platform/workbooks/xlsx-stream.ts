import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import {
  contentTypesXml,
  MOST_ROWS,
  RELATIONS_XML,
  SHEET_END,
  type SheetCell,
  STYLES_XML,
  sheetBegin,
  sheetRow,
  workbookRelationsXml,
  workbookXml,
} from './xlsx.ts';

type Rows = readonly (readonly SheetCell[])[];

const PIECE_BYTES = 64 * 1024;
/** The level of compression: most of the gain for half of the time. */
const LEVEL = 3;

/**
 * A workbook of any length, made while its rows are read; rows beyond one sheet go on in the next. If `rows`
 * fails it breaks off and fails too. `mostRows`: the most rows of a sheet.
 */
export async function* xlsxStream(
  heads: readonly string[],
  rows: AsyncIterable<Rows>,
  mostRows = MOST_ROWS,
): AsyncGenerator<Uint8Array> {
  const zip = new Zip();
  const source = rows[Symbol.asyncIterator]();
  const queue = new RowQueue(source);
  try {
    let sheets = 0;
    do {
      sheets += 1;
      yield* zip.entry(`xl/worksheets/sheet${sheets}.xml`, sheetOf(heads, queue, mostRows));
    } while (await queue.hasMore());
    const rest = {
      'xl/styles.xml': STYLES_XML,
      'xl/workbook.xml': workbookXml(sheets),
      'xl/_rels/workbook.xml.rels': workbookRelationsXml(sheets),
      '_rels/.rels': RELATIONS_XML,
      '[Content_Types].xml': contentTypesXml(sheets),
    };
    for (const [name, text] of Object.entries(rest)) yield* zip.entry(name, [text]);
    yield zip.end();
  } finally {
    await source.return?.();
  }
}

class RowQueue {
  readonly #source: AsyncIterator<Rows>;
  #waiting: Rows = [];

  constructor(source: AsyncIterator<Rows>) {
    this.#source = source;
  }

  async hasMore(): Promise<boolean> {
    while (this.#waiting.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) return false;
      this.#waiting = next.value;
    }
    return true;
  }

  take(most: number): Rows {
    const taken = this.#waiting.slice(0, most);
    this.#waiting = this.#waiting.slice(most);
    return taken;
  }
}

async function* sheetOf(heads: readonly string[], queue: RowQueue, most: number): AsyncGenerator<string> {
  yield sheetBegin(heads);
  let last = 1;
  while (last < most && (await queue.hasMore())) {
    const first = last + 1;
    const rows = queue.take(most - last);
    last += rows.length;
    yield rows.map((cells, index) => sheetRow(cells, first + index)).join('');
  }
  yield SHEET_END;
}

/** Larger files would need ZIP64. */
const LARGEST = 0xff_ff_ff_ff;
const LOCAL = 0x04_03_4b_50;
const DESCRIPTOR = 0x08_07_4b_50;
const CENTRAL = 0x02_01_4b_50;
const END = 0x06_05_4b_50;
/** Bits 3 and 11 of an entry's flags: its sizes follow its content, and its name is UTF-8. */
const FLAGS = 0x08_08;
const DEFLATED = 8;
const VERSION = 20;
/** The day of every entry, 1980-01-01: the name of the downloaded file has the real day. */
const DAY = 0x21;

type Entry = { readonly name: Buffer; readonly at: number; crc: number; packed: number; size: number };

/** Writes a ZIP file by PKWARE's APPNOTE, without ZIP64, encryption and several parts. */
class Zip {
  readonly #entries: Entry[] = [];
  #at = 0;

  async *entry(name: string, texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Uint8Array> {
    const entry: Entry = { name: Buffer.from(name), at: this.#at, crc: 0, packed: 0, size: 0 };
    this.#entries.push(entry);
    yield this.#counted(Buffer.concat([fieldsOf(LOCAL, [...common(entry, false), [0, 2]]), entry.name]));
    for await (const piece of deflated(texts, entry)) {
      entry.packed += piece.length;
      yield this.#counted(piece);
    }
    if (entry.size > LARGEST || this.#at > LARGEST) throw new Error('a workbook is larger than 4 GB');
    yield this.#counted(
      fieldsOf(DESCRIPTOR, [
        [entry.crc, 4],
        [entry.packed, 4],
        [entry.size, 4],
      ]),
    );
  }

  end(): Uint8Array {
    const heads = this.#entries.flatMap((entry) => [
      fieldsOf(CENTRAL, [
        [VERSION, 2],
        ...common(entry, true),
        [0, 2],
        [0, 2],
        [0, 2],
        [0, 2],
        [0, 4],
        [entry.at, 4],
      ]),
      entry.name,
    ]);
    const size = heads.reduce((sum, { length }) => sum + length, 0);
    const count = this.#entries.length;
    const end = fieldsOf(END, [
      [0, 2],
      [0, 2],
      [count, 2],
      [count, 2],
      [size, 4],
      [this.#at, 4],
      [0, 2],
    ]);
    return Buffer.concat([...heads, end]);
  }

  #counted(piece: Uint8Array): Uint8Array {
    this.#at += piece.length;
    return piece;
  }
}

type Field = readonly [value: number, bytes: 2 | 4];

/** The fields that the local and the central head of an entry share, up to the length of the extra field. */
function common({ name, crc, packed, size }: Entry, isKnown: boolean): Field[] {
  const known = (value: number): Field => [isKnown ? value : 0, 4];
  return [
    [VERSION, 2],
    [FLAGS, 2],
    [DEFLATED, 2],
    [0, 2],
    [DAY, 2],
    known(crc),
    known(packed),
    known(size),
    [name.length, 2],
  ];
}

function fieldsOf(signature: number, fields: readonly Field[]): Buffer {
  const all: readonly Field[] = [[signature, 4], ...fields];
  const bytes = Buffer.alloc(all.reduce((sum, [, length]) => sum + length, 0));
  let at = 0;
  for (const [value, length] of all) at = bytes.writeUIntLE(value, at, length);
  return bytes;
}

async function* deflated(
  texts: Iterable<string> | AsyncIterable<string>,
  entry: Entry,
): AsyncGenerator<Uint8Array> {
  async function* counted() {
    for await (const text of texts) {
      const bytes = Buffer.from(text);
      entry.crc = crc32(bytes, entry.crc);
      entry.size += bytes.length;
      yield bytes;
    }
  }
  const deflate = createDeflateRaw({ level: LEVEL, chunkSize: PIECE_BYTES });
  // An error of the texts destroys the deflation, which throws it below.
  pipeline(Readable.from(counted(), { objectMode: false }), deflate, () => {});
  for await (const piece of deflate) yield piece as Buffer;
}
