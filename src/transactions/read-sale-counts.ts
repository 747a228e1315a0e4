import { patiently } from '../platform/exports.ts';
import type { Search } from '../platform/postgres/searches.ts';
import type { Instant } from '../values/instant.ts';
import { countSales, type SalePlace } from './sale-counts.sql.ts';
import { addSaleCounts, type SaleCounts } from './sale-counts.ts';

type Rounds = {
  /** Sales counted by one query, which reads an index for less than 0.1 s. */
  readonly sales: number;
  readonly rounds: number;
};

/** Twenty million sales. */
const ROUNDS: Rounds = { sales: 100_000, rounds: 200 };

/** `countedFrom`: sales before it were not counted; null: all were. */
export type AllSales = SaleCounts & { readonly countedFrom: Instant | null };

/**
 * Newest first. Each round takes its turn among the merchant's searches. Throws `Overloaded` or
 * `DatabaseUnavailable` if it gets none for half a minute.
 */
export async function readSaleCounts(
  search: Search,
  merchantId: string,
  period: { readonly from: Instant; readonly before: Instant },
  { sales, rounds } = ROUNDS,
): Promise<AllSales> {
  const parts: SaleCounts[] = [];
  let place: SalePlace | null = null;
  for (let round = 1; round <= rounds; round += 1) {
    const from: SalePlace | null = place;
    const counted: Awaited<ReturnType<typeof countSales>> = await patiently(() =>
      search(merchantId, (reader) => countSales(reader, merchantId, period, { place: from, most: sales })),
    );
    parts.push(counted.counts);
    place = counted.next;
    if (place === null) break;
  }
  const all = addSaleCounts(parts);
  return { ...all, countedFrom: place === null ? null : all.oldestAt };
}
