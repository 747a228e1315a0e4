import { isDeepStrictEqual } from 'node:util';
import { crc32, createInflateRaw } from 'node:zlib';
import { type ByteSource, TOO_LARGE } from './byte-source.ts';
import type { Sentence } from './sentence.ts';
import { UnreadableFile } from './unreadable-file.ts';

const BROKEN: Sentence = {
  pt: 'O arquivo compactado (zip) está danificado: baixe-o de novo.',
  en: 'The compressed file (zip) is damaged: download it again.',
};
const EMPTY: Sentence = { pt: 'O zip não traz nenhum arquivo.', en: 'The zip has no file.' };
const MANY: Sentence = {
  pt: 'O zip traz mais de um arquivo: extraia dele os arquivos, e importe um de cada vez.',
  en: 'The zip has more than one file: extract the files, and import one at a time.',
};
const ENCRYPTED: Sentence = {
  pt: 'O zip pede senha: extraia dele o arquivo de texto que o banco ou a adquirente fez.',
  en: 'The zip asks for a password: extract the text file that the bank or the acquirer made.',
};
const COMMENTED: Sentence = {
  pt: 'O zip traz um comentário: extraia dele o arquivo de texto que o banco ou a adquirente fez.',
  en: 'The zip has a comment: extract the text file that the bank or the acquirer made.',
};
const UNKNOWN: Sentence = {
  pt: 'O zip está em uma forma que não é lida: extraia dele o arquivo de texto que o banco ou a adquirente fez.',
  en: 'The zip is in a form that is not read: extract the text file that the bank or the acquirer made.',
};
export const SPREADSHEET: Sentence = {
  pt: 'O arquivo é uma planilha: baixe o arquivo de texto.',
  en: 'The file is a spreadsheet: download the text file.',
};

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const DESCRIPTOR = 0x08074b50;

const STORED = 0;
const DEFLATED = 8;
const IN_ZIP64 = 0xffffffff;
const CIPHER_FLAGS = 0x2041;
const DESCRIPTOR_FLAG = 0x0008;

/** With what stands beside the file. */
const MOST_ENTRIES = 1_000;
const LONGEST_NAME = 4096;
const MOST_BYTES_BESIDE = 16 * 2 ** 20;

/** What archivers and desktops write beside the files. */
const BESIDE = /\/$|^__MACOSX\/|(?:^|\/)(?:\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini)$/i;
const OF_SPREADSHEET = /^(?:\[Content_Types\]\.xml$|_rels\/|docProps\/|xl\/|mimetype$)/;

type Sums = { readonly crc: number; readonly packed: number; readonly size: number };
type Head = {
  readonly flags: number;
  readonly method: number;
  /** Zeros if they stand behind the content. */
  readonly sums: Sums;
  readonly name: string;
};
type Entry = Pick<Head, 'method' | 'sums' | 'name'> & { readonly at: number };

/** The one file of a zip, by PKWARE's APPNOTE. It is whole only at the end. Throws `UnreadableFile`. */
export async function* unzipped(source: ByteSource): AsyncGenerator<Buffer> {
  const entries: Entry[] = [];
  let hasFile = false;
  let sizeBeside = 0;
  while ((await source.peek(4)).equals(uint32(LOCAL))) {
    if (entries.length === MOST_ENTRIES) throw new UnreadableFile(TOO_LARGE);
    const at = source.position;
    const head = await localHead(source);
    const fault = faultOf(head, hasFile);
    if (fault !== null) throw new UnreadableFile(fault);
    const isFile = !BESIDE.test(head.name);
    hasFile ||= isFile;
    let crc = 0;
    let size = 0;
    const start = source.position;
    for await (const piece of contentOf(source, head)) {
      crc = crc32(piece, crc);
      size += piece.length;
      if (isFile) yield piece;
      else sizeBeside += piece.length;
      if (sizeBeside > MOST_BYTES_BESIDE) throw new UnreadableFile(TOO_LARGE);
    }
    const sums = { crc, packed: source.position - start, size };
    check(isDeepStrictEqual(sums, hasDescriptor(head) ? await descriptor(source) : head.sums));
    entries.push({ at, name: head.name, method: head.method, sums });
  }
  await readDirectory(source, entries);
  if (!hasFile) throw new UnreadableFile(EMPTY);
}

async function localHead(source: ByteSource): Promise<Head> {
  const head = await taken(source, 30);
  const name = (await taken(source, head.readUInt16LE(26))).toString('latin1');
  await taken(source, head.readUInt16LE(28));
  return { flags: head.readUInt16LE(6), method: head.readUInt16LE(8), sums: sumsOf(head, 14), name };
}

function faultOf(head: Head, hasFile: boolean): Sentence | null {
  const { flags, method, sums, name } = head;
  if (OF_SPREADSHEET.test(name)) return SPREADSHEET;
  if (hasFile && !BESIDE.test(name)) return MANY;
  if ((flags & CIPHER_FLAGS) !== 0) return ENCRYPTED;
  const isKnown = (method === STORED || method === DEFLATED) && name.length <= LONGEST_NAME;
  // Nothing tells where stored bytes end whose size stands behind them.
  const isEndless = method === STORED && hasDescriptor(head) && sums.packed === 0 && !name.endsWith('/');
  const is64 = sums.packed === IN_ZIP64 || sums.size === IN_ZIP64;
  return isKnown && !isEndless && !is64 ? null : UNKNOWN;
}

function hasDescriptor({ flags }: Head): boolean {
  return (flags & DESCRIPTOR_FLAG) !== 0;
}

async function* contentOf(source: ByteSource, { method, sums }: Head): AsyncGenerator<Buffer> {
  if (method === DEFLATED) {
    yield* source.inflated(createInflateRaw(), BROKEN);
    return;
  }
  for (let left = sums.packed; left > 0; ) {
    const chunk = await source.next();
    if (chunk === null) throw new UnreadableFile(BROKEN);
    source.putBack(chunk.subarray(left));
    const piece = chunk.subarray(0, left);
    left -= piece.length;
    yield piece;
  }
}

/** With a signature or without. */
async function descriptor(source: ByteSource): Promise<Sums> {
  if ((await source.peek(4)).equals(uint32(DESCRIPTOR))) await source.take(4);
  return sumsOf(await taken(source, 12), 0);
}

/** Must tell of the same entries and be the end: other programs read it, and would show another file. */
async function readDirectory(source: ByteSource, entries: readonly Entry[]): Promise<void> {
  const start = source.position;
  for (const entry of entries) {
    const head = await taken(source, 46);
    check(head.readUInt32LE(0) === CENTRAL);
    const nameSize = head.readUInt16LE(28);
    const rest = await taken(source, nameSize + head.readUInt16LE(30));
    const [at, name] = [head.readUInt32LE(42), rest.toString('latin1', 0, nameSize)];
    const listed: Entry = { at, name, method: head.readUInt16LE(10), sums: sumsOf(head, 16) };
    check(isDeepStrictEqual(listed, entry));
    if (head.readUInt16LE(32) !== 0) throw new UnreadableFile(COMMENTED);
    // Programs look for it in the 20 bytes before the end record.
    check(Buffer.concat([head, rest]).readUInt32LE(head.length + rest.length - 20) !== LOCATOR_64);
  }
  const size = source.position - start;
  const end = await taken(source, 22);
  if (end.readUInt32LE(0) === END_64) throw new UnreadableFile(UNKNOWN);
  check(end.readUInt32LE(0) === END);
  const disksAndCounts = [4, 6, 8, 10].map((at) => end.readUInt16LE(at));
  check(isDeepStrictEqual(disksAndCounts, [0, 0, entries.length, entries.length]));
  check(end.readUInt32LE(12) === size && end.readUInt32LE(16) === start);
  if (end.readUInt16LE(20) !== 0) throw new UnreadableFile(COMMENTED);
  check((await source.next()) === null);
}

function sumsOf(bytes: Buffer, at: number): Sums {
  const [crc, packed, size] = [0, 4, 8].map((from) => bytes.readUInt32LE(at + from)) as [
    number,
    number,
    number,
  ];
  return { crc, packed, size };
}

function check(isTrue: boolean): void {
  if (!isTrue) throw new UnreadableFile(BROKEN);
}

async function taken(source: ByteSource, count: number): Promise<Buffer> {
  const bytes = await source.take(count);
  check(bytes.length === count);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
