import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type pg from 'pg';

export type CopyValue = string | number | boolean | null;

export type CopyTarget = { readonly table: string; readonly columns: readonly string[] };

/** What the driver's connection can do besides what its types tell. */
type CopyConnection = {
  readonly stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
};

/** The driver's calls on the progress of a query. */
type CopyQuery = {
  submit(connection: pg.Connection): void;
  handleCopyInResponse(connection: CopyConnection): void;
  handleCommandComplete(message: { readonly text: string }): void;
  handleReadyForQuery(): void;
  handleError(error: Error): void;
};

const CHUNK_CHARACTERS = 64 * 1024;

/**
 * `COPY … FROM STDIN`, which the driver has no call for: sends the rows as fast as the server takes
 * them and gives how many it took.
 * All of them are committed, or none: an error of the server rejects with it, an error of the rows with that.
 */
export function copyRows(
  client: pg.Client,
  { table, columns }: CopyTarget,
  rows: Iterable<readonly CopyValue[]>,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let copied = 0;
  let isOver = false;
  let faultOfRows: unknown;
  const query: CopyQuery = {
    submit: (connection) =>
      (connection as unknown as CopyConnection).query(`copy ${table} (${columns.join(', ')}) from stdin`),
    handleCopyInResponse(connection) {
      sendRows(connection, rows, () => isOver).catch((error: unknown) => {
        faultOfRows = error;
        // The server answers with an error, and the copy has not been.
        connection.sendCopyFail('the rows ended with an error');
      });
    },
    handleCommandComplete({ text }) {
      copied = Number(text.split(' ').at(-1));
    },
    handleReadyForQuery() {
      isOver = true;
      resolve(copied);
    },
    handleError(error) {
      isOver = true;
      reject(faultOfRows ?? error);
    },
  };
  client.query(query);
  return promise;
}

/** Waits while the server is behind, so that memory holds a chunk or two and not the table. */
async function sendRows(
  connection: CopyConnection,
  rows: Iterable<readonly CopyValue[]>,
  isOver: () => boolean,
): Promise<void> {
  let chunk = '';
  for (const row of rows) {
    chunk += `${row.map(copyText).join('\t')}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    connection.sendCopyFromChunk(Buffer.from(chunk));
    chunk = '';
    if (connection.stream.writableNeedDrain) await drained(connection.stream);
    // The server ended it with an error and drops whatever comes; the next query must not wait behind that.
    if (isOver()) return;
  }
  if (chunk !== '') connection.sendCopyFromChunk(Buffer.from(chunk));
  connection.endCopyFrom();
}

/** A wire that is cut is never drained; the driver reports the cut to the query. */
async function drained(stream: Duplex): Promise<void> {
  const ended = new AbortController();
  const events = ['drain', 'close'].map((event) => once(stream, event, { signal: ended.signal }));
  try {
    await Promise.race(events);
  } finally {
    ended.abort();
    await Promise.allSettled(events);
  }
}

function copyText(value: CopyValue): string {
  if (value === null) return '\\N';
  if (typeof value !== 'string') return String(value);
  return /[\\\t\n\r]/.test(value) ? value.replaceAll(/[\\\t\n\r]/g, escaped) : value;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escaped(character: string): string {
  return ESCAPES[character] ?? character;
}
