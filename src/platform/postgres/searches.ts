import { fairLine } from '../work/fair-line.ts';
import type { OpenedDatabase, Reader } from './database.ts';
import type { Connections } from './pools.ts';

/**
 * As many searches at once as there are connections for them: half of them of one merchant while no
 * other waits, fewer while several do. Half of those that wait may be of one merchant.
 */
const SEARCHES = { name: 'searches', waiting: 100, longestWaitMilliseconds: 5_000 };
/**
 * Half of the connections that payments need too. A row takes a fraction of a millisecond: a slot is
 * waited for only where the database is slow, or a merchant asks without end.
 */
const LOOK_UPS = { name: 'look-ups of rows', waiting: 400, longestWaitMilliseconds: 5_000 };

/**
 * Runs a search of a merchant in its turn, on a connection that no payment needs. Throws
 * `Overloaded` when too many of the merchant, or of all, wait, or when its turn does not come in
 * time.
 */
export type Search = <T>(merchantId: string, ask: (database: Reader) => Promise<T>) => Promise<T>;

/**
 * Reads what a merchant names by its id, in its turn: one that reads without end leaves connections
 * to the others and to payments. Throws as a search does.
 */
export type LookUp = Search;

/** The two lines of reads of a process: of all lists, searches and histories, and of single things. */
export function openReads(
  database: OpenedDatabase,
  { work, search: slots }: Connections,
): { readonly search: Search; readonly lookUp: LookUp } {
  const searching = fairLine({ ...SEARCHES, slots });
  const lookingUp = fairLine({ ...LOOK_UPS, slots: Math.floor(work / 2) });
  return {
    search: (merchantId, ask) => searching(merchantId, () => ask(database.search)),
    lookUp: (merchantId, ask) => lookingUp(merchantId, () => ask(database)),
  };
}
