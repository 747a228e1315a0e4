import { setTimeout as pause } from 'node:timers/promises';
import type { ModuleContext } from '../../platform/module.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { fairLine } from '../../platform/work/fair-line.ts';
import type { Look } from '../../platform/work/looks.sql.ts';
import { type FeeVersions, feeVersions } from '../../transactions/fees/fee-table.ts';
import { listVersionsOf } from '../../transactions/fees/fee-tables.sql.ts';
import { READ_LAST_NUMBER } from '../../transactions/movements/movements.sql.ts';
import { type Instant, saoPauloDay } from '../../values/instant.ts';
import {
  isBehind,
  listMerchantsBehind,
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

/** Few connections, so that payments get the others. */
const FOLLOWING = { name: 'receivables', slots: 2, waiting: 100, longestWaitMilliseconds: 3_000 };
const LONGEST_WAIT_MILLISECONDS = 4_000;
const BUSY_PAUSE_MILLISECONDS = 20;

const MERCHANTS_AT_ONCE = 20;
/**
 * After a batch of a backlog the follower rests twice as long as the batch took, but no longer than
 * LONGEST_REST_MILLISECONDS.
 */
const RESTS_PER_BATCH = 2;
const LONGEST_REST_MILLISECONDS = 500;
/** A turn costs a dozen statements, however little it finds, so one turn a second serves all its sales. */
const TURN_MILLISECONDS = 1_000;

export type FollowerTools = Pick<ModuleContext, 'database' | 'gate'> & {
  readonly findWatermark: () => Promise<number>;
  readonly observeBatch: () => void;
};

export type Follower = {
  readonly advanceAll: (signal: AbortSignal) => Promise<number>;
  /**
   * Waits some seconds until all that was recorded before the call is in receivables; false: it is not yet.
   * Throws `Overloaded` if too many wait.
   */
  readonly isUpToDate: (merchantId: string) => Promise<boolean>;
  readonly look: Look;
  readonly mayBeBehind: () => boolean;
  readonly behindMilliseconds: () => number;
};

export function openFollower({ database, gate, findWatermark, observeBatch }: FollowerTools): Follower {
  const inLine = fairLine(FOLLOWING);
  let doneUpTo = -1;
  let doneAt = performance.now();
  let last = 0;

  async function advance(merchantId: string, upTo: number) {
    const advanced = await inLine(merchantId, () => advanceReceivables({ database }, merchantId, upTo));
    if (advanced !== 'busy') observeBatch();
    return advanced;
  }

  return {
    async advanceAll(signal) {
      const upTo = await findWatermark();
      const merchants = upTo === doneUpTo ? [] : await listMerchantsBehind(database, upTo, MERCHANTS_AT_ONCE);
      if (merchants.length === 0) {
        doneUpTo = upTo;
        doneAt = performance.now();
        return 0;
      }
      const beganTurnAt = performance.now();
      let advancedInAll = 0;
      let wasCut = false;
      const errors: unknown[] = [];
      for (const merchantId of merchants) {
        if (signal.aborted) break;
        const beganAt = performance.now();
        const advanced = await advance(merchantId, upTo).catch((error) => {
          errors.push(error);
          return 'busy' as const;
        });
        if (advanced !== 'busy') advancedInAll += 1;
        wasCut ||= advanced === 'more';
        if (advanced === 'more') await rest(performance.now() - beganAt, signal);
      }
      if (errors.length > 0) throw errors[0];
      const isWhole = merchants.length < MERCHANTS_AT_ONCE && !wasCut;
      if (isWhole) await restFor(TURN_MILLISECONDS - (performance.now() - beganTurnAt), signal);
      return advancedInAll;
    },
    async isUpToDate(merchantId) {
      const upTo = await findWatermark();
      const endsAt = performance.now() + LONGEST_WAIT_MILLISECONDS;
      while (await isBehind(database, merchantId, upTo)) {
        // Nothing is written while the database is in doubt.
        if (gate.reason() !== null || performance.now() > endsAt) return false;
        if ((await advance(merchantId, upTo)) === 'busy') await pause(BUSY_PAUSE_MILLISECONDS);
      }
      return true;
    },
    look: {
      piece: READ_LAST_NUMBER,
      observe(found) {
        last = found as number;
        if (last === doneUpTo) doneAt = performance.now();
      },
    },
    mayBeBehind: () => last !== doneUpTo,
    behindMilliseconds: () => performance.now() - doneAt,
  };
}

function rest(workedMilliseconds: number, signal: AbortSignal): Promise<void> {
  return restFor(Math.min(workedMilliseconds * RESTS_PER_BATCH, LONGEST_REST_MILLISECONDS), signal);
}

async function restFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await pause(milliseconds, undefined, { signal }).catch(() => {});
}

/** Movements and cancels of one batch: a sale of 99 installments alone has 99 movements. */
const NUMBERS_OF_BATCH = 300;

/**
 * `busy`: another process follows the merchant. `more`: another batch is left. `whole`: nothing is left up to
 * the watermark.
 */
export type Advance = 'busy' | 'more' | 'whole';

/**
 * Follows one batch in one commit. Installments are read as they are now: so it may be repeated, and
 * receivables may show movements that come later in the sequence.
 */
async function advanceReceivables(
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
