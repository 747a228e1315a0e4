import type { Database, Row } from '../../platform/postgres/database.ts';
import { feeVersionsStep, parseFeeVersion } from '../../transactions/fees/fee-tables.sql.ts';
import { feeVersions } from '../../transactions/fees/fee-version.ts';
import { type Instant, saoPauloDay } from '../../values/instant.ts';
import {
  listNumbersStep,
  lockCursorStep,
  lookAgainStep,
  moveCursorStep,
  type Numbered,
  openCursorStep,
  paidKey,
  parseNumbered,
  parseSales,
  readInstallmentsStep,
  writeStep,
} from './followed.sql.ts';
import { followSale } from './receivable.ts';

/** Of one commit: a sale of 99 installments has as many numbers. */
const NUMBERS_OF_BATCH = 300;

/** `busy`: another process has the merchant. `whole`: nothing more is behind the cursor. */
export type Advance = 'busy' | 'more' | 'whole';

/**
 * Brings the receivables of a merchant up to a number of its movements, a batch further at most, in
 * one commit. The installments are read as they stand, all of each sale: doing it again changes
 * nothing, and what a later movement will report may be there before.
 */
export async function advanceReceivables(
  { database }: { readonly database: Database },
  merchantId: string,
  upTo: number,
): Promise<Advance> {
  let advance: Advance = 'busy';
  let written: ReturnType<typeof changesIn> = [];
  await database.commit([
    openCursorStep(merchantId),
    lockCursorStep(merchantId),
    (rows) => {
      const cursor = rows[1]?.[0];
      return cursor === undefined
        ? null
        : listNumbersStep(merchantId, cursor.after_number as number, upTo, NUMBERS_OF_BATCH);
    },
    feeVersionsStep(merchantId),
    (rows) => {
      const transactionIds = transactionsOf(numbersIn(rows));
      return transactionIds.length === 0 ? null : readInstallmentsStep(merchantId, transactionIds);
    },
    (rows) => {
      written = changesIn(merchantId, rows);
      return written.length === 0 ? null : writeStep(merchantId, written);
    },
    () => lookAgainStep(merchantId, written),
    (rows) => {
      if (rows[1]?.length === 0) return null;
      const numbers = numbersIn(rows);
      const isWhole = numbers.length < NUMBERS_OF_BATCH;
      advance = isWhole ? 'whole' : 'more';
      return moveCursorStep(merchantId, isWhole ? upTo : (numbers.at(-1)?.number ?? upTo));
    },
  ]);
  return advance;
}

const numbersIn = (rows: readonly Row[][]): Numbered[] => (rows[2] ?? []).map(parseNumbered);

function transactionsOf(numbers: readonly Numbered[]): string[] {
  const ids = numbers.flatMap(({ transactionId }) => (transactionId === null ? [] : [transactionId]));
  return [...new Set(ids)];
}

function changesIn(merchantId: string, rows: readonly Row[][]) {
  const paidAt = new Map<string, Instant>();
  for (const numbered of numbersIn(rows)) {
    const { transactionId, installmentNumber } = numbered;
    if (transactionId === null || installmentNumber === null || numbered.paidAt === null) continue;
    paidAt.set(paidKey(transactionId, installmentNumber), numbered.paidAt);
  }
  const fees = feeVersions((rows[3] ?? []).map(parseFeeVersion));
  return parseSales(rows[4] ?? [], paidAt).flatMap((sale) => {
    const { transactionId, soldAt, countedFrom } = sale;
    const soldOn = saoPauloDay(countedFrom);
    return followSale(sale, fees.tableAt(merchantId, soldAt)).map((row) => ({
      ...row,
      transactionId,
      countedFrom,
      soldOn,
    }));
  });
}
