import type { Database, Tx } from '../../platform/postgres/database.ts';
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
/** Of one source in one run: the rest follows in the next. */
const MOST_PAGES = 20;

/**
 * Keeps the words by which customers are found, read behind the sales. What is half a minute old is read
 * once; what is newer again, because rows of an earlier moment may still come.
 */
export async function rememberBuyers(database: Database, signal: AbortSignal): Promise<void> {
  for (const source of SOURCES) {
    let behind: Place | null = null;
    for (let pages = 0; pages < MOST_PAGES && !signal.aborted; pages += 1) {
      behind = await database.transaction((tx) => rememberPage(tx, source, behind));
      if (behind === null) break;
    }
  }
}

/** The place of the next page. Null: there is none now, or another process is at it. */
async function rememberPage(tx: Tx, source: Source, behind: Place | null): Promise<Place | null> {
  const cursor = await lockCursor(tx, source);
  if (cursor === null) return null;
  const page = await readBought(tx, source, behind ?? cursor, PAGE);
  await keepWords(tx, page.flatMap(wordsOf));
  const settled = page.findLast(({ isSettled }) => isSettled);
  if (settled !== undefined) await moveCursor(tx, source, settled);
  return page.length < PAGE ? null : (page.at(-1) ?? null);
}

function wordsOf({ merchantId, readId, seenOn, buyer }: Bought): BuyerWord[] {
  if (buyer === null) return [];
  const who = buyer.document ?? readId;
  return buyerWords(buyer).map((word) => ({ merchantId, word, buyer: who, seenOn }));
}
