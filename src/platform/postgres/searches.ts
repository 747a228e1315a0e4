import { fairLine } from '../work/fair-line.ts';
import type { OpenedDatabase, Reader } from './database.ts';
import type { Connections } from './pools.ts';

/**
 * As many at once as there are connections for searches. A merchant gets half of the running and of the
 * waiting ones, and less while several wait.
 */
const SEARCHES = { name: 'searches', waiting: 100, longestWaitMilliseconds: 5_000 };
/**
 * Half of the payments' connections. A row takes a fraction of a millisecond, so callers wait only if the
 * database is slow or a merchant floods.
 */
const LOOK_UPS = { name: 'look-ups of rows', waiting: 400, longestWaitMilliseconds: 5_000 };

/**
 * Runs a merchant's search in its turn, on a connection that no payment needs. Throws `Overloaded` when too
 * many wait, or its turn does not come in time.
 */
export type Search = <T>(merchantId: string, ask: (database: Reader) => Promise<T>) => Promise<T>;

/**
 * Reads by id, in turn: a merchant that floods leaves connections to others and to payments. Throws like
 * `Search`.
 */
export type LookUp = Search;

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
