import { fairLine } from '../work/fair-line.ts';
import type { OpenedDatabase, Reader } from './database.ts';
import type { Connections } from './pools.ts';

/**
 * One running search for each connection. A merchant gets half of the running searches and of the waiting
 * ones, less while several merchants wait.
 */
const SEARCHES = { name: 'searches', waiting: 100, longestWaitMilliseconds: 5_000 };
/**
 * Reads by id get half of the connections that payments use. Callers wait only if the database is slow or a
 * merchant floods.
 */
const LOOK_UPS = { name: 'look-ups of rows', waiting: 400, longestWaitMilliseconds: 5_000 };

/** Runs a merchant's search in turn, never on a payment's connection. Throws `Overloaded`. */
export type Search = <T>(merchantId: string, ask: (database: Reader) => Promise<T>) => Promise<T>;

/** Reads by id, in turn, so that a flooding merchant leaves connections free. Throws `Overloaded`. */
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
