import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, following } from '../../platform/work/every-so-often.ts';
import { type Instant, instant } from '../../values/instant.ts';
import { keepFeeSetting, listFeeVersions, VERSION_OF_FEES } from './fee-tables.sql.ts';
import { type FeeVersion, type FeeVersions, feeVersions } from './fee-version.ts';

/** By how much a version may be older than the newest one that was seen before it. */
const LOOK_BACK_MILLISECONDS = 60_000;

export type Fees = FeeVersions & { readonly works: readonly Work[] };

/**
 * The versions of the fees, in memory: a payment with a net split needs them. The setting becomes a
 * version of its own where it has changed since the last start.
 */
export async function openFees(database: Database, setting: string): Promise<Fees> {
  const known = new Map<string, FeeVersion>();
  let newest: Instant | null = null;
  let current = feeVersions([]);

  async function follow(): Promise<void> {
    const since = newest === null ? null : instant(newest - LOOK_BACK_MILLISECONDS);
    const found = await listFeeVersions(database, since);
    const before = known.size;
    for (const version of found) {
      known.set(`${version.validFrom} ${version.merchantId}`, version);
      if (newest === null || version.createdAt > newest) newest = version.createdAt;
    }
    if (known.size > before) current = feeVersions([...known.values()]);
  }

  await keepFeeSetting(database, setting);
  await follow();
  return {
    tableAt: (merchantId, soldAt) => current.tableAt(merchantId, soldAt),
    works: [alsoWhileHeld(following('followFees', VERSION_OF_FEES, follow))],
  };
}
