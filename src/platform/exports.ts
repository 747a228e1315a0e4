import { setTimeout as pause } from 'node:timers/promises';
import type { AnswerStream } from './http/endpoint.ts';
import type { Reader } from './postgres/database.ts';
import { DatabaseUnavailable } from './postgres/database-errors.ts';
import type { Search } from './postgres/searches.ts';
import { linesOf, type RowFormat } from './row-format.ts';
import { FairLine, Overloaded } from './work/fair-line.ts';

/** The exports of each process. An export reads its pages in the line of searches. */
const EXPORTS = { name: 'exports', slots: 8, waiting: 16, longestWaitMilliseconds: 2_000 };
const ROWS_OF_PAGE = 1_000;
/** The longest period of an export: ten years in one file. */
export const MOST_DAYS_OF_EXPORT = 3_660;
/** How long a page is asked for again while searches are full or the database is away. */
const PATIENCE_MILLISECONDS = 30_000;
const PAUSE_MILLISECONDS = 500;

/** The rows after the row `after`, in order; null: from the beginning. */
export type ReadPage<Row> = (database: Reader, after: Row | null, limit: number) => Promise<readonly Row[]>;

export type Export<Row> = {
  readonly pages: AsyncIterable<readonly Row[]>;
  readonly signal: AbortSignal;
  readonly close: () => void;
};

/**
 * Opens an export, whose parts follow each other. No connection is held between two pages. Throws
 * `Overloaded`.
 */
export type OpenExport = <Row>(merchantId: string, parts: readonly ReadPage<Row>[]) => Promise<Export<Row>>;

export function openExports(search: Search): {
  readonly openExport: OpenExport;
  /** Ends running exports, for which a stop would wait. */
  readonly stopExports: () => void;
} {
  const line = new FairLine(EXPORTS);
  const stopping = new AbortController();
  return {
    async openExport(merchantId, parts) {
      const place = { merchantId };
      if (!line.take(place)) await line.wait(place);
      let isOpen = true;
      return {
        pages: pagesOf(search, merchantId, parts, () => isOpen),
        signal: stopping.signal,
        close() {
          if (isOpen) line.giveBack(place);
          isOpen = false;
        },
      };
    },
    stopExports: () => stopping.abort(),
  };
}

async function* pagesOf<Row>(
  search: Search,
  merchantId: string,
  parts: readonly ReadPage<Row>[],
  isOpen: () => boolean,
): AsyncGenerator<readonly Row[]> {
  for (const readPage of parts) yield* pagesOfPart(search, merchantId, readPage, isOpen);
}

async function* pagesOfPart<Row>(
  search: Search,
  merchantId: string,
  readPage: ReadPage<Row>,
  isOpen: () => boolean,
): AsyncGenerator<readonly Row[]> {
  let after: Row | null = null;
  for (;;) {
    const last: Row | null = after;
    const page: readonly Row[] = await patiently(
      () => search(merchantId, (database) => readPage(database, last, ROWS_OF_PAGE)),
      isOpen,
    );
    if (page.length > 0) yield page;
    if (page.length < ROWS_OF_PAGE) return;
    after = page.at(-1) ?? null;
  }
}

/** A long export survives a short loss of the database, or a moment with too many searches. */
export async function patiently<T>(read: () => Promise<T>, isAwaited = () => true): Promise<T> {
  const endsAt = performance.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const isPassing = error instanceof Overloaded || error instanceof DatabaseUnavailable;
      if (!isPassing || !isAwaited() || performance.now() > endsAt) throw error;
      await pause(PAUSE_MILLISECONDS);
    }
  }
}

export function streamOf<Row>({ pages, signal, close }: Export<Row>, format: RowFormat<Row>): AnswerStream {
  return { type: format.type, pieces: piecesOf(pages, format), signal, close };
}

async function* piecesOf<Row>(
  pages: AsyncIterable<readonly Row[]>,
  { head, line }: RowFormat<Row>,
): AsyncGenerator<string> {
  if (head !== '') yield head;
  for await (const page of pages) yield linesOf(page, line);
}
