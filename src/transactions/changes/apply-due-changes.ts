import type { ChangeResult, WaitingChange } from './change.ts';
import { type RecordTools, recordChange } from './change-outcomes.sql.ts';
import { claimChanges, listWaitingChanges } from './changes.sql.ts';

export type ApplyTools = RecordTools & {
  readonly observeChange: (result: Exclude<ChangeResult, 'gone'>) => void;
  /** Called for a refused change, and for one that waits for long. */
  readonly warnOfChange: (change: WaitingChange, reason: string) => void;
};

/**
 * What one claim takes; a commit takes milliseconds, so that all of them end long before the lease.
 */
const BATCH = 100;
/** Commits at the same time: payments need the other connections. */
const LANES = 4;
const LEASE_MILLISECONDS = 15_000;
/** From so many tries on a person should look. */
const TRIES_BEFORE_WARNING = 8;
const REFUSALS: readonly ChangeResult[] = [
  'unknownTransaction',
  'notCharged',
  'unknownInstallment',
  'forbiddenMove',
  'otherAmount',
];

/** Applies, refuses or postpones one change. Safe to repeat, in any number of processes. */
async function applyChange(tools: ApplyTools, change: WaitingChange): Promise<ChangeResult> {
  const result = await recordChange(tools, change);
  if (result === 'gone') return result;
  tools.observeChange(result);
  const isLate = result !== 'applied' && change.tries >= TRIES_BEFORE_WARNING;
  if (REFUSALS.includes(result) || isLate) tools.warnOfChange(change, result);
  return result;
}

/**
 * Applies a batch of due changes of all merchants. Returns how many it claimed; throws the first
 * error after all were tried.
 */
export async function applyDueChanges(tools: ApplyTools, signal: AbortSignal): Promise<number> {
  const claimed = await claimChanges(tools.database, BATCH, LEASE_MILLISECONDS);
  // Those of one charge one after the other: they would only wait for each other's lock.
  const charges = [...Map.groupBy(claimed, (change) => `${change.merchantId} ${change.reference}`).values()];
  const errors: unknown[] = [];
  const lane = async () => {
    for (let changes = charges.pop(); changes !== undefined; changes = charges.pop()) {
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
export async function applyWaitingOf(tools: ApplyTools, merchantId: string): Promise<void> {
  let last = 0;
  for (;;) {
    const waiting = await listWaitingChanges(tools.database, merchantId, last, BATCH);
    for (const change of waiting) await applyChange(tools, change);
    if (waiting.length < BATCH) return;
    last = waiting.at(-1)?.changeNumber ?? last;
  }
}
