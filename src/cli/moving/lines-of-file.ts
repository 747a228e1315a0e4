import { createReadStream } from 'node:fs';

/** Bytes, as many as the largest body of a request. */
export const LONGEST_LINE = 64 * 1024;

const LINE_FEED = 10;
const BLANK = 32;

/** `bytes` null: the line is too long. */
export type NumberedLine = { readonly line: number; readonly bytes: Buffer | null };

/** The lines of a file that are not blank. At most two chunks of the file are in memory. */
export async function* linesOf(path: string): AsyncGenerator<NumberedLine> {
  let line = 0;
  for await (const bytes of splitFile(path)) {
    line += 1;
    if (bytes === null || bytes.some((byte) => byte > BLANK)) yield { line, bytes };
  }
}

async function* splitFile(path: string): AsyncGenerator<Buffer | null> {
  let rest = Buffer.alloc(0);
  let isTooLong = false;
  for await (const chunk of createReadStream(path)) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      const bytes = Buffer.concat([rest, chunk.subarray(from, end)]);
      yield isTooLong || bytes.length > LONGEST_LINE ? null : bytes;
      [rest, isTooLong, from] = [Buffer.alloc(0), false, end + 1];
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > LONGEST_LINE) [rest, isTooLong] = [Buffer.alloc(0), true];
  }
  if (isTooLong) yield null;
  else if (rest.length > 0) yield rest;
}
