import type { BusinessClock } from '../platform/business-clock.ts';
import type { BatchedWrite } from '../platform/postgres/batched-writes.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { WakeSignal } from '../platform/work/wake-signal.ts';
import type { BoletoKey } from './boleto.ts';
import { calendarChange, moveOf } from './boleto-move.ts';
import type { BoletoMoved, BoletoMoveRow } from './boletos.sql.ts';
import { listActing } from './due-days.sql.ts';

export type AdvanceDueTools = {
  readonly database: Database;
  readonly clock: BusinessClock;
  readonly writeMove: BatchedWrite<BoletoMoveRow, BoletoMoved>;
  /** Wakes the work that asks the bank to end what is over. */
  readonly wakeSignal: WakeSignal;
};

const BATCH = 100;
/** Of one run, and of one step of a clock. */
const MOST_BATCHES = 100;
/** Commits at the same time: payments need the other connections. */
const LANES = 4;
const RECORD_MILLISECONDS = 8_000;

/** Gives how many the calendar has changed; `merchantId` null: of all, by real time. */
export async function advanceDueBoletos(
  tools: AdvanceDueTools,
  merchantId: string | null,
  signal: AbortSignal,
): Promise<number> {
  let advanced = 0;
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
    const due = await listActing(tools.database, merchantId, BATCH);
    const changed = await advanceAll(tools, due, signal);
    advanced += changed;
    // None of a full batch: another process has them, or its clock is a little behind the database's.
    if (due.length < BATCH || changed === 0) break;
  }
  if (advanced > 0) tools.wakeSignal.notify();
  return advanced;
}

async function advanceAll(
  { clock, writeMove }: AdvanceDueTools,
  due: readonly BoletoKey[],
  signal: AbortSignal,
): Promise<number> {
  const left = [...due];
  let changed = 0;
  const lane = async () => {
    for (let key = left.pop(); key !== undefined && !signal.aborted; key = left.pop()) {
      const now = clock.now(key.merchantId);
      const moved = await writeMove(
        {
          ...key,
          decide: (boleto) => {
            const change = calendarChange(boleto, now);
            return change === null ? null : moveOf(boleto, change, now);
          },
          leaseMilliseconds: 0,
        },
        performance.now() + RECORD_MILLISECONDS,
      );
      if (moved?.isMoved === true) changed += 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return changed;
}
