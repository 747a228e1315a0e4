import type { ModuleContext } from '../../../platform/module.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import { advanceDueBills } from '../../requests/advance-due-bills.ts';
import { type ActingPix, listActingPix } from './due-times.sql.ts';
import type { Pix } from './pix.ts';
import type { PixMoved, PixMoveRow } from './pix-charges.sql.ts';
import { calendarChange, moveOf } from './pix-move.ts';

export type AdvanceDuePixTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly writeMove: BatchedWrite<PixMoveRow, PixMoved>;
  readonly wakeSignal: WakeSignal;
};

const BATCH = 100;
const RECORD_MILLISECONDS = 8_000;

/**
 * Starts the end of charges whose time is over, and returns of how many. `merchantId` null: of all merchants,
 * by real time; else of this one, by its own clock.
 */
export function advanceDuePix(
  tools: AdvanceDuePixTools,
  merchantId: string | null,
  signal: AbortSignal,
): Promise<number> {
  const { database, wakeSignal } = tools;
  const list = (last: ActingPix | null) => listActingPix(database, { merchantId, last }, BATCH);
  const advanceOne = (acting: ActingPix) => advance(tools, acting);
  return advanceDueBills({ batch: BATCH, list, advance: advanceOne, wakeSignal }, signal);
}

async function advance(
  { clock, writeMove }: AdvanceDuePixTools,
  { merchantId, pixId }: ActingPix,
): Promise<boolean> {
  const now = clock.now(merchantId);
  const decide = (pix: Pix) => {
    const change = calendarChange(pix, now);
    return change === null ? null : moveOf(pix, change, now);
  };
  const row = { merchantId, pixId, decide, leaseMilliseconds: 0 };
  const moved = await writeMove(row, performance.now() + RECORD_MILLISECONDS);
  return moved?.isMoved === true;
}
