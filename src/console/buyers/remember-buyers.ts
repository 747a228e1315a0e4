import type { Database, Tx } from '../../platform/postgres/database.ts';
import { sqlStateOf } from '../../platform/postgres/database-errors.ts';
import {
  type Bought,
  type BuyerWord,
  keepWords,
  lockCursor,
  moveCursor,
  type Place,
  readBought,
  SOURCES,
  type Source,
} from './buyer-words.sql.ts';
import { buyerWords } from './buyer-words.ts';

const PAGE = 500;
/** The most pages of one source in one run: the next run reads on. */
const MOST_PAGES = 20;
/** A returning buyer is written once a month, and more often if words are kept for few days. */
const DAYS_BETWEEN = 30;
const PORTION_OF_RETENTION = 20;

type Reading = { readonly source: Source; readonly behind: Place | null; readonly limit: number };

/**
 * Reads what was bought since the last run, and keeps the words by which buyers are found. Rows older than
 * half a minute are read once; newer ones again, because rows of an earlier moment may still come. An error
 * stops only its source, and a row whose data cannot be kept is passed over; the first error is thrown at the
 * end. `retentionDays` 0: words are kept without end.
 */
export async function rememberBuyers(
  database: Database,
  retentionDays: number,
  signal: AbortSignal,
): Promise<void> {
  const portion = Math.floor(retentionDays / PORTION_OF_RETENTION);
  const daysBetween = retentionDays === 0 ? DAYS_BETWEEN : Math.min(DAYS_BETWEEN, portion);
  const keep: Keep = (tx, page) => keepWords(tx, page.flatMap(wordsOf), daysBetween);
  const faults: unknown[] = [];
  for (const source of SOURCES)
    await rememberSource(database, source, keep, signal, faults).catch((error) => faults.push(error));
  if (faults.length > 0) throw faults[0];
}

type Keep = (tx: Tx, page: readonly Bought[]) => Promise<void>;

async function rememberSource(
  database: Database,
  source: Source,
  keep: Keep,
  signal: AbortSignal,
  faults: unknown[],
): Promise<void> {
  let behind: Place | null = null;
  const read = (limit: number, kept: Keep) =>
    database.transaction((tx) => rememberPage(tx, { source, behind, limit }, kept));
  /** How many rows are still read one by one, after the page of them could not be kept. */
  let alone = 0;
  for (let pages = 0; pages < MOST_PAGES && !signal.aborted; ) {
    try {
      behind = await read(alone > 0 ? 1 : PAGE, keep);
    } catch (error) {
      if (!isOfData(error)) throw error;
      if (alone === 0) {
        alone = PAGE;
        continue;
      }
      faults.push(error);
      behind = await read(1, async () => {});
    }
    if (behind === null) return;
    alone = Math.max(0, alone - 1);
    if (alone === 0) pages += 1;
  }
}

/** The error is of the data: PostgreSQL refuses them each time. */
function isOfData(error: unknown): boolean {
  return /^2[23]/.test(sqlStateOf(error) ?? '');
}

/** Gives the place of the next page. Null: there is none now, or another process reads this source. */
async function rememberPage(tx: Tx, { source, behind, limit }: Reading, keep: Keep): Promise<Place | null> {
  const cursor = await lockCursor(tx, source);
  if (cursor === null) return null;
  const page = await readBought(tx, source, behind ?? cursor, limit);
  await keep(tx, page);
  const settled = page.findLast(({ isSettled }) => isSettled);
  if (settled !== undefined) await moveCursor(tx, source, settled);
  // The cursor must not pass unsettled rows, so the rest is read in a later run.
  const isOver = page.length < limit || !page.every(({ isSettled }) => isSettled);
  return isOver ? null : (page.at(-1) ?? null);
}

function wordsOf({ merchantId, readId, seenOn, buyer }: Bought): BuyerWord[] {
  if (buyer === null) return [];
  const who = buyer.document ?? readId;
  return buyerWords(buyer).map((word) => ({ merchantId, word, buyer: who, seenOn }));
}
