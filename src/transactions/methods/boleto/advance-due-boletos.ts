import type { ModuleContext } from '../../../platform/module.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { Banks } from '../../../providers/open-banks.ts';
import { advanceDueBills } from '../../requests/advance-due-bills.ts';
import { type Boleto, isOfBank } from './boleto.ts';
import { calendarChange, calendarMoment, moveOf } from './boleto-move.ts';
import type { BoletoMoved, BoletoMoveRow } from './boletos.sql.ts';
import { type ActingBoleto, listActing, putOffActing } from './due-days.sql.ts';

export type AdvanceDueTools = Pick<ModuleContext, 'database' | 'clock'> & {
  /** A boleto that is over stays as it is if no bank here can be asked to end it. */
  readonly banks: Pick<Banks, 'all' | 'of'>;
  readonly writeMove: BatchedWrite<BoletoMoveRow, BoletoMoved>;
  readonly wakeSignal: WakeSignal;
};

const BATCH = 100;
const RECORD_MILLISECONDS = 8_000;

/**
 * Makes boletos overdue, or starts their end, and returns how many changed. `merchantId` null: of all
 * merchants, by real time; else of this one, by its own clock.
 */
export function advanceDueBoletos(
  tools: AdvanceDueTools,
  merchantId: string | null,
  signal: AbortSignal,
): Promise<number> {
  const { database, wakeSignal } = tools;
  const list = (last: ActingBoleto | null) =>
    listActing(database, { merchantId, banks: knownBanks(tools), last }, BATCH);
  const advanceOne = (acting: ActingBoleto) => advance(tools, acting);
  return advanceDueBills({ batch: BATCH, list, advance: advanceOne, wakeSignal }, signal);
}

/** Name, slash and bank code of each provider; the code is empty until the bank has said it. */
export function knownBanks({ banks }: Pick<AdvanceDueTools, 'banks'>): string[] {
  return banks.all().map((name) => `${name}/${banks.of(name).bankCode}`);
}

async function advance(tools: AdvanceDueTools, acting: ActingBoleto): Promise<boolean> {
  const { merchantId, boletoId, isAtNoBank } = acting;
  const now = tools.clock.now(merchantId);
  const decide = (boleto: Boleto) => {
    const canEnd = isAtNoBank || isOfBank(boleto, tools.banks.of(boleto.bank).bankCode);
    const change = calendarChange(boleto, now, canEnd);
    return change === null ? null : moveOf(boleto, change, now);
  };
  const row = { merchantId, boletoId, decide, leaseMilliseconds: 0 };
  const moved = await tools.writeMove(row, performance.now() + RECORD_MILLISECONDS);
  if (moved === null || moved.isMoved) return moved !== null;
  const { actsAt } = moved.held;
  const later = calendarMoment(moved.held);
  if (actsAt !== null && later !== null && later > actsAt) await putOffActing(tools.database, acting, later);
  return false;
}
