import type { ModuleContext } from '../../../platform/module.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { Banks } from '../../../providers/open-banks.ts';
import type { Boleto } from './boleto.ts';
import { calendarChange, calendarMoment, moveOf } from './boleto-move.ts';
import type { BoletoMoved, BoletoMoveRow } from './boletos.sql.ts';
import { type ActingBoleto, listActing, putOffActing } from './due-days.sql.ts';

export type AdvanceDueTools = Pick<ModuleContext, 'database' | 'clock'> & {
  /** What is over stays as it is where nobody can be asked to end it. */
  readonly banks: Pick<Banks, 'all' | 'of'>;
  readonly writeMove: BatchedWrite<BoletoMoveRow, BoletoMoved>;
  readonly wakeSignal: WakeSignal;
};

const BATCH = 100;
/** Limits one run, and one step of a test clock. */
const MOST_BATCHES = 100;
/** Limits concurrent commits: payments need the other connections. */
const LANES = 4;
const RECORD_MILLISECONDS = 8_000;

/**
 * Returns how many changed. `merchantId` null: of all merchants, by real time. A boleto that cannot be
 * changed now blocks none after it. Throws the first error after all were tried.
 */
export async function advanceDueBoletos(
  tools: AdvanceDueTools,
  merchantId: string | null,
  signal: AbortSignal,
): Promise<number> {
  let advanced = 0;
  let last: ActingBoleto | null = null;
  const errors: unknown[] = [];
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
    const due = await listActing(tools.database, { merchantId, banks: knownBanks(tools), last }, BATCH);
    advanced += await advanceAll(tools, due, errors, signal);
    if (due.length < BATCH) break;
    last = due.at(-1) ?? null;
  }
  if (advanced > 0) tools.wakeSignal.notify();
  if (errors.length > 0) throw errors[0];
  return advanced;
}

/** Name, slash and bank code of each; the code is empty until the bank has said it. */
export function knownBanks({ banks }: Pick<AdvanceDueTools, 'banks'>): string[] {
  return banks.all().map((name) => `${name}/${banks.of(name).bankCode}`);
}

async function advanceAll(
  tools: AdvanceDueTools,
  due: readonly ActingBoleto[],
  errors: unknown[],
  signal: AbortSignal,
): Promise<number> {
  const left = [...due];
  let changed = 0;
  const lane = async () => {
    for (let acting = left.shift(); acting !== undefined && !signal.aborted; acting = left.shift()) {
      const isMoved = await advance(tools, acting).catch((error) => {
        errors.push(error);
        return false;
      });
      if (isMoved) changed += 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return changed;
}

async function advance(tools: AdvanceDueTools, acting: ActingBoleto): Promise<boolean> {
  const { merchantId, boletoId } = acting;
  const now = tools.clock.now(merchantId);
  const decide = (boleto: Boleto) => {
    const change = calendarChange(boleto, now, tools.banks.of(boleto.bank).bankCode);
    return change === null ? null : moveOf(boleto, change, now);
  };
  const row = { merchantId, boletoId, decide, leaseMilliseconds: 0 };
  const moved = await tools.writeMove(row, performance.now() + RECORD_MILLISECONDS);
  if (moved === null || moved.isMoved) return moved !== null;
  const { actsAt } = moved.boleto;
  const later = calendarMoment(moved.boleto);
  if (actsAt !== null && later !== null && later > actsAt) await putOffActing(tools.database, acting, later);
  return false;
}
