import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type WrittenFile = { readonly name: string; readonly lines: Iterable<string> };

const PIECE_CHARACTERS = 64 * 1024;

/** Line by line, as fast as the asker reads; one that goes away ends it. */
export function sendFile(response: ServerResponse, { name, lines }: WrittenFile): void {
  response.writeHead(200, [
    'content-type',
    'text/plain; charset=us-ascii',
    'content-disposition',
    `attachment; filename="${name}"`,
  ]);
  // The asker's side of a broken connection says all that there is to say.
  pipeline(Readable.from(piecesOf(lines), { objectMode: false }), response).catch(() => response.destroy());
}

/** Few large pieces in place of many lines. */
function* piecesOf(lines: Iterable<string>): Generator<string> {
  let piece = '';
  for (const line of lines) {
    piece += `${line}\r\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
