import { fairLine } from '../work/fair-line.ts';
import type { Reader } from './database.ts';

/**
 * As many searches at once as there are connections for them: half of them of one merchant while no
 * other waits, fewer while several do. Half of those that wait may be of one merchant.
 */
const LINE = { name: 'searches', slots: 4, waiting: 100, longestWaitMilliseconds: 5_000 };

/**
 * Runs a search of a merchant in its turn, on a connection that no payment needs. Throws
 * `Overloaded` when too many of the merchant, or of all, wait, or when its turn does not come in
 * time.
 */
export type Search = <T>(merchantId: string, ask: (database: Reader) => Promise<T>) => Promise<T>;

/** The one queue of all lists, searches and histories of a process. */
export function openSearches(database: Reader): Search {
  const inLine = fairLine(LINE);
  return (merchantId, ask) => inLine(merchantId, () => ask(database));
}
