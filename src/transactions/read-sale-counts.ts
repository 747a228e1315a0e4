import { patiently } from '../platform/exports.ts';
import type { Reader } from '../platform/postgres/database.ts';
import type { Search } from '../platform/postgres/searches.ts';
import type { Instant } from '../values/instant.ts';
import { countSales, type SalePlace } from './sale-counts.sql.ts';
import { addSaleCounts, type SaleCounts } from './sale-counts.ts';
import { type Period, sumMoved, sumSales } from './sale-sums.sql.ts';
import { type PeriodSums, saleSumsOf } from './sale-sums.ts';

type Rounds = {
  /** Sales counted by one query, which reads an index for less than 0.1 s. */
  readonly sales: number;
  readonly rounds: number;
};

/** Twenty million sales. */
const ROUNDS: Rounds = { sales: 100_000, rounds: 200 };

type Round<Part> = { readonly part: Part; readonly next: SalePlace | null };

/** `countedFrom`: sales before it were not counted; null: all were. */
export type AllSales = SaleCounts & { readonly countedFrom: Instant | null };

/**
 * Newest first. Each round takes its turn among the merchant's searches. Throws `Overloaded` or
 * `DatabaseUnavailable` if it gets none for half a minute. `place`: there are more; null: that was all.
 */
async function readInRounds<Part>(
  search: Search,
  merchantId: string,
  { sales, rounds }: Rounds,
  read: (
    reader: Reader,
    from: { readonly place: SalePlace | null; readonly most: number },
  ) => Promise<Round<Part>>,
): Promise<{ readonly parts: readonly Part[]; readonly place: SalePlace | null }> {
  const parts: Part[] = [];
  let place: SalePlace | null = null;
  for (let round = 1; round <= rounds; round += 1) {
    const from: SalePlace | null = place;
    const { part, next }: Round<Part> = await patiently(() =>
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

/** What a period brought and what went back in it. */
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
  const moved = await patiently(() => search(merchantId, (reader) => sumMoved(reader, merchantId, period)));
  return { ...saleSumsOf(parts.flat(), place !== null), ...moved };
}
