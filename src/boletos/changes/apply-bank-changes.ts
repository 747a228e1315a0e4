import type { Database } from '../../platform/postgres/database.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import type { BankChangeResult, WaitingBankChange } from './bank-change.ts';
import { claimBankChanges, listWaitingBankChanges, recordBankChange } from './bank-changes.sql.ts';

export type ApplyBankTools = {
  readonly database: Database;
  readonly deliverer: Pick<Deliverer, 'notify'>;
  /** Wakes the work that applies what was kept. */
  readonly wakeSignal: WakeSignal;
  /** Called with what became of each. */
  readonly observeChange: (result: BankChangeResult) => void;
  readonly warnOfChange: (change: WaitingBankChange, reason: string) => void;
};

const BATCH = 100;
/** Commits at the same time: payments need the other connections. */
const LANES = 4;
const LEASE_MILLISECONDS = 15_000;
/** From so many tries on a person should look. */
const TRIES_BEFORE_WARNING = 8;
const WARNINGS: readonly BankChangeResult[] = [
  'unknownBoleto',
  'forbiddenMove',
  'filedAgain',
  'paidAgain',
  'paidAfterCancel',
  'paidAfterExpiry',
  'paidAfterRefusal',
];

async function applyChange(tools: ApplyBankTools, change: WaitingBankChange): Promise<void> {
  const result = await recordBankChange(tools.database, tools.deliverer, change);
  if (result === 'gone') return;
  tools.observeChange(result);
  const isLate = result !== 'applied' && change.tries >= TRIES_BEFORE_WARNING;
  if (WARNINGS.includes(result) || isLate) tools.warnOfChange(change, result);
}

/**
 * Applies a batch of due changes of all merchants. Gives how many it claimed; throws the first error
 * after all were tried.
 */
export async function applyBankChanges(tools: ApplyBankTools, signal: AbortSignal): Promise<number> {
  const claimed = await claimBankChanges(tools.database, BATCH, LEASE_MILLISECONDS);
  // Those of one boleto one after the other: they would only wait for each other's lock.
  const boletos = [...Map.groupBy(claimed, (change) => `${change.merchantId} ${change.ourNumber}`).values()];
  const errors: unknown[] = [];
  const lane = async () => {
    for (let changes = boletos.pop(); changes !== undefined; changes = boletos.pop()) {
      for (const change of changes) {
        if (signal.aborted) return;
        await applyChange(tools, change).catch((error) => errors.push(error));
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (errors.length > 0) throw errors[0];
  return claimed.length;
}

/** Tries every waiting change of this merchant once, in the order of arrival. */
export async function applyWaitingOf(tools: ApplyBankTools, merchantId: string): Promise<void> {
  let last = 0;
  for (;;) {
    const waiting = await listWaitingBankChanges(tools.database, merchantId, last, BATCH);
    for (const change of waiting) await applyChange(tools, change);
    if (waiting.length < BATCH) return;
    last = waiting.at(-1)?.changeNumber ?? last;
  }
}
