import type { Search } from '../platform/postgres/searches.ts';
import type { Instant } from '../values/instant.ts';
import { countSales, type SalePlace } from './sale-counts.sql.ts';
import { addSaleCounts, type SaleCounts } from './sale-counts.ts';

/** So many are counted at once: less than a tenth of a second of an index. */
const SALES_OF_ROUND = 100_000;
/** Twenty million sales. */
const MOST_ROUNDS = 200;

/** The sales of a stretch of business time. `isWhole`: none was left out. */
export type AllSales = SaleCounts & { readonly isWhole: boolean };

/** Counts them round by round, the newest first, each in its turn with other searches of the merchant. */
export async function readSaleCounts(
  search: Search,
  merchantId: string,
  period: { readonly from: Instant; readonly before: Instant },
  most = SALES_OF_ROUND,
): Promise<AllSales> {
  const parts: SaleCounts[] = [];
  let place: SalePlace | null = null;
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const from: SalePlace | null = place;
    const counted: Awaited<ReturnType<typeof countSales>> = await search(merchantId, (reader) =>
      countSales(reader, merchantId, period, { place: from, most }),
    );
    parts.push(counted.counts);
    place = counted.next;
    if (place === null) break;
  }
  return { ...addSaleCounts(parts), isWhole: place === null };
}
