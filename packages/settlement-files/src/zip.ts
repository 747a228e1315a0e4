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
const DESCRIPTOR = 0x08074b50;

const STORED = 0;
const DEFLATED = 8;
/** Of what is stored or deflated, without Zip64. */
const NEWEST_VERSION = 20;
const IN_ZIP64 = 0xffffffff;
const CIPHER_FLAGS = 0x2041;
const DESCRIPTOR_FLAG = 0x0008;

/** With what stands beside the file. */
const MOST_ENTRIES = 1_000;

/** What archivers write beside the files. */
const BESIDE = /\/$|^__MACOSX\/|(?:^|\/)\.DS_Store$/;
const OF_SPREADSHEET = /^(?:\[Content_Types\]\.xml$|_rels\/|docProps\/|xl\/|mimetype$)/;

type Sums = { readonly crc: number; readonly packed: number; readonly size: number };
type Entry = Sums & { readonly name: string; readonly isStored: boolean; readonly hasDescriptor: boolean };
type Placed = Sums & { readonly at: number };

/** The one file of a zip, by PKWARE's APPNOTE. It is whole only at the end. Throws `UnreadableFile`. */
export async function* unzipped(source: ByteSource): AsyncGenerator<Buffer> {
  let file: Placed | null = null;
  let count = 0;
  for (; (await source.peek(4)).equals(uint32(LOCAL)); count += 1) {
    if (count === MOST_ENTRIES) throw new UnreadableFile(TOO_LARGE);
    const at = source.position;
    const entry = await localHead(source);
    const isFile = !BESIDE.test(entry.name);
    if (OF_SPREADSHEET.test(entry.name)) throw new UnreadableFile(SPREADSHEET);
    if (isFile && file !== null) throw new UnreadableFile(MANY);
    let crc = 0;
    let size = 0;
    const start = source.position;
    for await (const piece of contentOf(source, entry)) {
      crc = crc32(piece, crc);
      size += piece.length;
      if (isFile) yield piece;
    }
    const sums = { crc, packed: source.position - start, size };
    check(isSame(sums, entry.hasDescriptor ? await descriptor(source) : entry));
    if (isFile) file = { ...sums, at };
  }
  await readDirectory(source, file, count);
  if (file === null) throw new UnreadableFile(EMPTY);
}

async function localHead(source: ByteSource): Promise<Entry> {
  const head = await taken(source, 30);
  const [version, flags, method] = [head[4] ?? 0, head.readUInt16LE(6), head.readUInt16LE(8)];
  const name = (await taken(source, head.readUInt16LE(26))).toString('latin1');
  await taken(source, head.readUInt16LE(28));
  const sums = sumsOf(head, 14);
  const isStored = method === STORED;
  const hasDescriptor = (flags & DESCRIPTOR_FLAG) !== 0;
  if ((flags & CIPHER_FLAGS) !== 0) throw new UnreadableFile(ENCRYPTED);
  const isKnown = (isStored || method === DEFLATED) && version <= NEWEST_VERSION;
  // Nothing tells where stored bytes end whose size stands behind them.
  const isEndless = isStored && hasDescriptor && sums.packed === 0 && !name.endsWith('/');
  const is64 = sums.packed === IN_ZIP64 || sums.size === IN_ZIP64;
  if (!isKnown || isEndless || is64) throw new UnreadableFile(UNKNOWN);
  return { ...sums, name, isStored, hasDescriptor };
}

async function* contentOf(source: ByteSource, { isStored, packed }: Entry): AsyncGenerator<Buffer> {
  if (!isStored) {
    yield* source.inflated(createInflateRaw(), BROKEN);
    return;
  }
  for (let left = packed; left > 0; ) {
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

/** The central directory must tell of the same entries, and be the end. */
async function readDirectory(source: ByteSource, file: Placed | null, count: number): Promise<void> {
  const start = source.position;
  let listed = 0;
  let isListed = file === null;
  for (; (await source.peek(4)).equals(uint32(CENTRAL)); listed += 1) {
    check(listed < count);
    const head = await taken(source, 46);
    isListed ||= file !== null && head.readUInt32LE(42) === file.at && isSame(sumsOf(head, 16), file);
    for (const at of [28, 30, 32]) await taken(source, head.readUInt16LE(at));
  }
  const end = await taken(source, 22);
  if (end.readUInt32LE(0) === END_64) throw new UnreadableFile(UNKNOWN);
  check(end.readUInt32LE(0) === END && isListed && listed === count);
  check(end.readUInt16LE(10) === count && end.readUInt32LE(16) === start);
  await taken(source, end.readUInt16LE(20));
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

function isSame(one: Sums, other: Sums): boolean {
  return one.crc === other.crc && one.packed === other.packed && one.size === other.size;
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
