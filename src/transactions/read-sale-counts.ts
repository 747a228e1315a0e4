import { patiently } from '../platform/exports.ts';
import type { Reader } from '../platform/postgres/database.ts';
import type { Search } from '../platform/postgres/searches.ts';
import type { Instant } from '../values/instant.ts';
import { countSales, type SalePlace } from './sale-counts.sql.ts';
import { addSaleCounts, type SaleCounts } from './sale-counts.ts';
import { type Period, sumMoved, sumSales } from './sale-sums.sql.ts';
import { type MovedPlace, type MovedSums, movedSumsOf, type PeriodSums, saleSumsOf } from './sale-sums.ts';

/** `sales`: rows that one query reads at most. In all no more are read than so many such rounds have. */
type Rounds = { readonly sales: number; readonly rounds: number };

/** Up to twenty million sales, and as many rows of each other kind. */
const ROUNDS: Rounds = { sales: 40_000, rounds: 500 };

/**
 * Rows of the first round. In memory they take 0.05 s; from a disk that reads a page in a millisecond, 0.8 s.
 * The next rounds read more or fewer rows, so that each stays below the time limit of a statement: also the
 * first one that comes to rows which are not in memory.
 */
const FIRST_SALES = 10_000;
const FEWEST_SALES = 1_000;
const QUICK_MILLISECONDS = 250;
const SLOW_MILLISECONDS = 1_000;

type Round<Part, Place> = { readonly part: Part; readonly next: Place | null };

/** `countedFrom`: sales before it were not counted; null: all were. */
export type AllSales = SaleCounts & { readonly countedFrom: Instant | null };

/**
 * Reads in rounds, newest sales first. Each round takes its turn among the merchant's searches. Throws
 * `Overloaded` or `DatabaseUnavailable` if a round gets none for half a minute. Returned `place`: older sales
 * are left behind it; null: all were read.
 */
async function readInRounds<Part, Place = SalePlace>(
  search: Search,
  merchantId: string,
  { sales, rounds }: Rounds,
  read: (
    reader: Reader,
    from: { readonly place: Place | null; readonly most: number },
  ) => Promise<Round<Part, Place>>,
): Promise<{ readonly parts: readonly Part[]; readonly place: Place | null }> {
  const parts: Part[] = [];
  let place: Place | null = null;
  let wanted = FIRST_SALES;
  for (let left = sales * rounds; left > 0; ) {
    const from: Place | null = place;
    const most = Math.min(wanted, sales, left);
    let took = 0;
    const { part, next }: Round<Part, Place> = await patiently(() =>
      search(merchantId, async (reader) => {
        const beganAt = performance.now();
        const found = await read(reader, { place: from, most });
        took = performance.now() - beganAt;
        return found;
      }),
    );
    parts.push(part);
    place = next;
    if (place === null) break;
    left -= most;
    if (took < QUICK_MILLISECONDS) wanted = Math.min(2 * most, sales);
    if (took > SLOW_MILLISECONDS) wanted = Math.max(Math.floor(most / 4), FEWEST_SALES);
  }
  return { parts, place };
}

export async function readSaleCounts(
  search: Search,
  merchantId: string,
  period: Period,
  rounds = ROUNDS,
): Promise<AllSales> {
  const { parts, place } = await readInRounds(search, merchantId, rounds, async (reader, from) => {
    const { counts, next } = await countSales(reader, merchantId, period, from);
    return { part: counts, next };
  });
  const all = addSaleCounts(parts);
  return { ...all, countedFrom: place === null ? null : all.oldestAt };
}

/** What a merchant sold in a period, and what was given back in it. */
export async function readPeriodSums(
  search: Search,
  merchantId: string,
  period: Period,
  rounds = ROUNDS,
): Promise<PeriodSums> {
  const { parts, place } = await readInRounds(search, merchantId, rounds, async (reader, from) => {
    const { hours, next } = await sumSales(reader, merchantId, period, from);
    return { part: hours, next };
  });
  const moved = await readInRounds<MovedSums, MovedPlace>(
    search,
    merchantId,
    rounds,
    async (reader, from) => {
      const { sums, next } = await sumMoved(reader, merchantId, period, from);
      return { part: sums, next };
    },
  );
  return { ...saleSumsOf(parts.flat(), place !== null), ...movedSumsOf(moved.parts, moved.place) };
}
