import { hasAccount } from '../../merchants/accounts.sql.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import type { Follower } from './open-follower.ts';
import type { Receivable } from './receivable.ts';
import { findReceivablesByCode } from './receivables.sql.ts';

export type FindReceivablesTools = Pick<Follower, 'isUpToDate'> & { readonly lookUp: LookUp };

export type WantedCode = {
  readonly accountNumber: string;
  readonly nsu: string;
  readonly authorizationCode: string;
};

/** Null: the merchant has no such account. Empty: nothing was sold under these. */
export async function findReceivables(
  { lookUp, isUpToDate }: FindReceivablesTools,
  merchantId: string,
  wanted: WantedCode,
): Promise<Receivable[] | 'receivablesBehind' | null> {
  const isOwn = await lookUp(merchantId, (database) =>
    hasAccount(database, merchantId, wanted.accountNumber),
  );
  if (!isOwn) return null;
  if (!(await isUpToDate(merchantId))) return 'receivablesBehind';
  return lookUp(merchantId, (database) => findReceivablesByCode(database, merchantId, wanted));
}
