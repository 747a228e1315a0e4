import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Needle } from './needles.ts';

export type Hit = { readonly number: string; readonly encoding: string; readonly place: string };

export type Scanner = (bytes: Uint8Array, place: string) => Hit[];

/** A leak in a loop would fill the memory with hits: so many in one place are enough. */
const MOST_HITS = 50;

/**
 * Looks for all needles in one pass: a bitmap of their first three bytes says where it is worth to
 * look closer.
 */
export function openScanner(needles: readonly Needle[]): Scanner {
  const bitmap = new Uint32Array(2 ** 19);
  const byKey = Map.groupBy(needles, ({ bytes }) => keyAt(bytes, 0));
  for (const key of byKey.keys()) bitmap[key >>> 5] = (bitmap[key >>> 5] as number) | (1 << (key & 31));
  return (bytes, place) => {
    const hits: Hit[] = [];
    let key = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
    for (let end = 2; end < bytes.length; end += 1) {
      key = ((key << 8) | (bytes[end] as number)) & 0xff_ffff;
      if (((bitmap[key >>> 5] as number) & (1 << (key & 31))) === 0) continue;
      for (const { number, encoding, bytes: wanted } of byKey.get(key) ?? []) {
        if (isAt(bytes, end - 2, wanted)) hits.push({ number, encoding, place });
      }
      if (hits.length >= MOST_HITS) return hits;
    }
    return hits;
  };
}

function keyAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
}

function isAt(bytes: Uint8Array, from: number, wanted: Uint8Array): boolean {
  if (from + wanted.length > bytes.length) return false;
  for (let index = 0; index < wanted.length; index += 1)
    if (bytes[from + index] !== wanted[index]) return false;
  return true;
}

/**
 * How often each number of three or four digits stands by itself, between neighbours that are
 * neither letter nor digit.
 */
export type TokenCounts = { readonly three: Uint32Array; readonly four: Uint32Array };

export function emptyCounts(): TokenCounts {
  return { three: new Uint32Array(1_000), four: new Uint32Array(10_000) };
}

const OTHER = 0;
const DIGIT = 1;
const LETTER = 2;
const CLASSES = Uint8Array.from({ length: 256 }, (_, code) => {
  const letter = String.fromCharCode(code);
  return /[0-9]/.test(letter) ? DIGIT : /[A-Za-z]/.test(letter) ? LETTER : OTHER;
});

export function countTokens(bytes: Uint8Array, counts: TokenCounts): void {
  let digits = 0;
  let value = 0;
  for (let at = 0; at <= bytes.length; at += 1) {
    const code = at < bytes.length ? (bytes[at] as number) : 0;
    const kind = CLASSES[code];
    if (kind === DIGIT) {
      digits += 1;
      value = (value * 10 + code - 48) % 10_000;
    } else if (kind === LETTER) {
      // A word: it goes on until a neighbour that is neither.
      while (at < bytes.length && CLASSES[bytes[at] as number] !== OTHER) at += 1;
      digits = 0;
      value = 0;
    } else {
      if (digits === 3) counts.three[value] = (counts.three[value] as number) + 1;
      if (digits === 4) counts.four[value] = (counts.four[value] as number) + 1;
      digits = 0;
      value = 0;
    }
  }
}

/** All files of a folder, with their bytes, one after another. Sockets and the like hold nothing. */
export async function* filesOf(
  folder: string,
): AsyncGenerator<{ readonly place: string; readonly bytes: Buffer }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    yield { place: relative(folder, file), bytes: await readFile(file) };
  }
}
