import { hasAccount } from '../../merchants/accounts.sql.ts';
import type { Export, OpenExport } from '../../platform/exports.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import type { Follower } from '../receivables/open-follower.ts';
import {
  type ListedReceivable,
  listReceivables,
  type WantedReceivables,
} from '../receivables/receivables.sql.ts';

export type ReadExportTools = Pick<Follower, 'isUpToDate'> & {
  readonly lookUp: LookUp;
  readonly openExport: OpenExport;
};

export type ExportRefusal = 'receivablesBehind';

/**
 * What the acquirer owes in a period, in the order of its days. Null: the merchant has no such account.
 * Throws `Overloaded` when there is no place.
 */
export async function readExport(
  { lookUp, isUpToDate, openExport }: ReadExportTools,
  merchantId: string,
  wanted: WantedReceivables,
): Promise<Export<ListedReceivable> | ExportRefusal | null> {
  const isOwn = await lookUp(merchantId, (database) =>
    hasAccount(database, merchantId, wanted.accountNumber),
  );
  if (!isOwn) return null;
  if (!(await isUpToDate(merchantId))) return 'receivablesBehind';
  return openExport<ListedReceivable>(merchantId, (database, after, limit) =>
    listReceivables(database, merchantId, wanted, after?.place ?? null, limit),
  );
}
