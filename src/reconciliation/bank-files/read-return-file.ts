import { type ReturnEntry, type ReturnFileHead, ReturnFileReader, ReturnFileRefused } from './return-file.ts';

/** More than a bank sends in a day; what is kept of them is small. */
const MOST_PAIRS = 500_000;
const LONGEST_LINE = 1_000;
/** Behind the last line some banks write the sign that ended files long ago. */
const END_OF_FILE = '\u001a';

export type ReturnFile = {
  readonly head: ReturnFileHead;
  /** Those that change a boleto. */
  readonly entries: readonly (ReturnEntry & { readonly ourNumber: string; readonly event: string })[];
  readonly lineCount: number;
  /** Pairs that change something of which our number is not known. */
  readonly foreign: number;
  /** Pairs that change nothing, by movement. */
  readonly others: Readonly<Record<string, number>>;
  /** Of them those of a movement that is not known, with our number. */
  readonly unknown: readonly (ReturnEntry & { readonly ourNumber: string })[];
};

/** Reads a whole file before anything is made of it; throws `ReturnFileRefused` at its first fault. */
export async function readReturnFile(bytes: AsyncIterable<Uint8Array>): Promise<ReturnFile> {
  const reader = new ReturnFileReader();
  const entries: ReturnFile['entries'][number][] = [];
  const others: Record<string, number> = {};
  const unknown: ReturnFile['unknown'][number][] = [];
  let [foreign, pairs, lineCount] = [0, 0, 0];
  for await (const line of linesOf(bytes)) {
    lineCount += 1;
    const entry = reader.take(line);
    if (entry === null) continue;
    pairs += 1;
    if (pairs > MOST_PAIRS) throw new ReturnFileRefused(lineCount, 'tooManyPairs');
    const { event, ourNumber, isKnown } = entry;
    if (!isKnown && ourNumber !== null) unknown.push({ ...entry, ourNumber });
    if (event === null) others[entry.movement] = (others[entry.movement] ?? 0) + 1;
    else if (ourNumber === null) foreign += 1;
    else entries.push({ ...entry, event, ourNumber });
  }
  return { head: reader.end(), entries, lineCount, foreign, others, unknown };
}

/** Each byte is a character, as in Latin-1. A line that is much too long is given cut, and refused. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  const last = rest.replace(/\r$/, '').replace(END_OF_FILE, '');
  if (last !== '') yield last;
}
