import { patiently } from '../platform/exports.ts';
import type { Reader } from '../platform/postgres/database.ts';
import type { Search } from '../platform/postgres/searches.ts';
import type { Instant } from '../values/instant.ts';
import { countSales, type SalePlace } from './sale-counts.sql.ts';
import { addSaleCounts, type SaleCounts } from './sale-counts.ts';
import { type Period, sumMoved, sumSales } from './sale-sums.sql.ts';
import { type MovedPlace, type MovedSums, movedSumsOf, type PeriodSums, saleSumsOf } from './sale-sums.ts';

type Rounds = {
  /** Rows read by one query, along an index, for less than 0.1 s. */
  readonly sales: number;
  readonly rounds: number;
};

/** Up to twenty million sales, and as many rows of each other kind. */
const ROUNDS: Rounds = { sales: 100_000, rounds: 200 };

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
  for (let round = 1; round <= rounds; round += 1) {
    const from: Place | null = place;
    const { part, next }: Round<Part, Place> = await patiently(() =>
      search(merchantId, (reader) => read(reader, { place: from, most: sales })),
    );
    parts.push(part);
    place = next;
    if (place === null) break;
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
