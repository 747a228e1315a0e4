import type { Database } from '../../platform/postgres/database.ts';
import { type FeeVersions, feeVersions } from '../../transactions/fees/fee-table.ts';
import { listVersionsOf } from '../../transactions/fees/fee-tables.sql.ts';
import { type Instant, saoPauloDay } from '../../values/instant.ts';
import {
  listNumbers,
  lockCursor,
  lookAgain,
  moveCursor,
  type Numbered,
  paidKey,
  type ReadSale,
  readSales,
  type Written,
  writeReceivables,
} from './followed.sql.ts';
import { followSale } from './receivable.ts';

/** A sale of 99 installments has as many movements. */
const NUMBERS_OF_BATCH = 300;

/** `busy`: another process has the merchant. `whole`: nothing is left after the cursor. */
export type Advance = 'busy' | 'more' | 'whole';

/**
 * Does at most one batch, in one commit. Reads the current installments: repeating it is harmless, and later
 * movements may already show.
 */
export async function advanceReceivables(
  { database }: { readonly database: Database },
  merchantId: string,
  upTo: number,
): Promise<Advance> {
  return database.transaction(async (tx) => {
    const after = await lockCursor(tx, merchantId);
    if (after === null) return 'busy';
    const numbers = await listNumbers(tx, merchantId, { after, upTo }, NUMBERS_OF_BATCH);
    const fees = feeVersions(await listVersionsOf(tx, merchantId));
    const ids = transactionsOf(numbers);
    const sales = ids.length === 0 ? [] : await readSales(tx, merchantId, ids, paidAtOf(numbers));
    const written = sales.flatMap((sale) => changesOf(merchantId, sale, fees));
    await writeReceivables(tx, merchantId, written);
    await lookAgain(tx, merchantId, written);
    const isWhole = numbers.length < NUMBERS_OF_BATCH;
    await moveCursor(tx, merchantId, isWhole ? upTo : (numbers.at(-1)?.number ?? upTo));
    return isWhole ? 'whole' : 'more';
  });
}

function transactionsOf(numbers: readonly Numbered[]): string[] {
  const ids = numbers.flatMap(({ transactionId }) => (transactionId === null ? [] : [transactionId]));
  return [...new Set(ids)];
}

function paidAtOf(numbers: readonly Numbered[]): ReadonlyMap<string, Instant> {
  const times = new Map<string, Instant>();
  for (const { transactionId, installmentNumber, paidAt } of numbers) {
    if (transactionId === null || installmentNumber === null || paidAt === null) continue;
    times.set(paidKey(transactionId, installmentNumber), paidAt);
  }
  return times;
}

function changesOf(merchantId: string, sale: ReadSale, fees: FeeVersions): Written[] {
  const { transactionId, soldAt, countedFrom } = sale;
  const soldOn = saoPauloDay(countedFrom);
  return followSale(sale, fees.tableAt(merchantId, soldAt)).map((row) => ({
    ...row,
    transactionId,
    countedFrom,
    soldOn,
  }));
}
