import type { BusinessClock } from '../platform/business-clock.ts';
import type { BatchedWrite } from '../platform/postgres/batched-writes.ts';
import type { Database } from '../platform/postgres/database.ts';
import { CommitUnknown } from '../platform/postgres/database-errors.ts';
import type { WakeSignal } from '../platform/work/wake-signal.ts';
import type { Banks } from '../providers/open-banks.ts';
import {
  OUTCOME_MARGIN_MILLISECONDS,
  SHORTEST_USEFUL_TIMEOUT_MILLISECONDS,
} from '../transactions/transaction.ts';
import type { Boleto, BoletoKey } from './boleto.ts';
import { type BoletoChange, moveOf } from './boleto-move.ts';
import type { BoletoMoved, BoletoMoveRow } from './boletos.sql.ts';
import { postponeBoleto } from './unresolved/unresolved-boletos.sql.ts';

/** What asks the bank while a caller waits. */
export type AskBankTools = {
  readonly database: Database;
  readonly banks: Banks;
  readonly clock: BusinessClock;
  readonly bankTimeoutMilliseconds: number;
  /** Wakes the resolving of what is unanswered. */
  readonly wakeSignal: WakeSignal;
  readonly writeMove: BatchedWrite<BoletoMoveRow, BoletoMoved>;
};

/** A boleto that this process has, as long as nobody raises its fence. */
export type HeldBoleto = BoletoKey & Pick<Boleto, 'fence'>;

/** The bank has what is left until the deadline, less the time for recording what it says. */
export async function askBank<Answer>(
  { bankTimeoutMilliseconds }: Pick<AskBankTools, 'bankTimeoutMilliseconds'>,
  deadlineAt: number,
  ask: (timeout: number) => Promise<Answer>,
): Promise<Answer | { readonly kind: 'notSent' }> {
  const left = deadlineAt - OUTCOME_MARGIN_MILLISECONDS - performance.now();
  const timeout = Math.min(bankTimeoutMilliseconds, left);
  if (timeout < SHORTEST_USEFUL_TIMEOUT_MILLISECONDS) return { kind: 'notSent' };
  return ask(timeout);
}

/** Null: it could not be recorded, and is asked for again. */
export async function recordChange(
  tools: AskBankTools,
  held: HeldBoleto,
  change: BoletoChange,
  deadlineAt: number,
): Promise<BoletoMoved> {
  const moment = tools.clock.now(held.merchantId);
  const row = {
    merchantId: held.merchantId,
    boletoId: held.boletoId,
    decide: (boleto: Boleto) => moveOf(boleto, change, moment),
    leaseMilliseconds: 0,
  };
  try {
    return await tools.writeMove(row, deadlineAt);
  } catch (error) {
    if (error instanceof CommitUnknown) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    await leaveUnresolved(tools, held, `the answer could not be recorded: ${reason}`);
    return null;
  }
}

export async function leaveUnresolved(
  { database, wakeSignal }: AskBankTools,
  held: HeldBoleto,
  reason: string,
): Promise<void> {
  try {
    await postponeBoleto(database, held, { seconds: 0, reason });
    wakeSignal.notify();
  } catch {
    // Needs no record: when the lease ends the bank is asked again.
  }
}
