import { hasAccount } from '../../merchants/accounts.sql.ts';
import type { LookUp, Search } from '../../platform/postgres/searches.ts';
import type { FeeVersions } from '../../transactions/fees/fee-version.ts';
import { type MovementPage, netInstallment } from '../../transactions/movements/movement.ts';
import { listAccountMovements } from '../../transactions/movements/movements.sql.ts';

export type ListMovementsTools = {
  readonly lookUp: LookUp;
  /** Lists take their turns. */
  readonly search: Search;
  readonly fees: FeeVersions;
  /** The number up to which no movement can appear any more. */
  readonly findWatermark: () => Promise<number>;
};

/**
 * The movements of an account of this merchant after a number, in order: a client that always asks
 * after the last one that it received gets every movement once. Null: the merchant has no such
 * account.
 */
export async function listMovements(
  { search, lookUp, fees, findWatermark }: ListMovementsTools,
  merchantId: string,
  wanted: { readonly accountNumber: string; readonly after: number; readonly limit: number },
): Promise<MovementPage | null> {
  const { accountNumber } = wanted;
  const isOwn = await lookUp(merchantId, (database) => hasAccount(database, merchantId, accountNumber));
  if (!isOwn) return null;
  const upTo = await findWatermark();
  const found = await search(merchantId, (database) =>
    listAccountMovements(database, merchantId, { ...wanted, upTo }),
  );
  const items = found.map((movement) => {
    const { subject, installmentNumber, amount } = movement;
    if (subject.kind === 'boleto') return { ...movement, netAmount: amount };
    const { sale } = subject;
    const table = fees.tableAt(merchantId, sale.soldAt);
    return { ...movement, netAmount: netInstallment(sale, installmentNumber, table) };
  });
  return { items, next: items.at(-1)?.movementId ?? wanted.after };
}
