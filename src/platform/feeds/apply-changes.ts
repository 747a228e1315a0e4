import type { Database } from '../postgres/database.ts';
import type { Work } from '../work/due-work.ts';
import type { WakeSignal } from '../work/wake-signal.ts';
import type { WaitingChange } from './feed.ts';
import type { WaitingChanges } from './feed-cursors.sql.ts';

/** What applies the changes of one who reports them. */
export type Applying<Change extends WaitingChange> = {
  /** Of the work. */
  readonly name: string;
  readonly database: Database;
  /** Notified when changes were kept. */
  readonly wakeSignal: WakeSignal;
  readonly waiting: WaitingChanges<Change>;
  /** Changes of one subject are applied one after the other: they would only wait for each other's lock. */
  readonly subjectOf: (change: Change) => string;
  /**
   * Applies, refuses or postpones one in a commit, and gives `applied`, `gone` (another process has
   * ended it meanwhile) or why not. Safe to repeat, in any number of processes.
   */
  readonly record: (change: Change) => Promise<string>;
  /** Of what it gives, what a person should look at. */
  readonly warnings: readonly string[];
  readonly observeChange: (result: string) => void;
  /** Called with such a one, and with one that waits for long. */
  readonly warnOfChange: (change: Change, reason: string) => void;
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

export function applyingWork<Change extends WaitingChange>(applying: Applying<Change>): Work {
  return {
    name: applying.name,
    wakeSignal: applying.wakeSignal,
    runDue: (signal) => applyDueChanges(applying, signal),
    look: { piece: applying.waiting.earliest },
  };
}

/** Tries every waiting change of this merchant once, in the order of arrival. */
export async function applyWaitingOf<Change extends WaitingChange>(
  applying: Applying<Change>,
  merchantId: string,
): Promise<void> {
  let last = 0;
  for (;;) {
    const waiting = await applying.waiting.list(applying.database, merchantId, last, BATCH);
    for (const change of waiting) await applyChange(applying, change);
    if (waiting.length < BATCH) return;
    last = waiting.at(-1)?.changeNumber ?? last;
  }
}

/**
 * Applies a batch of due changes of all merchants. Gives how many it claimed; throws the first error
 * after all were tried.
 */
async function applyDueChanges<Change extends WaitingChange>(
  applying: Applying<Change>,
  signal: AbortSignal,
): Promise<number> {
  const claimed = await applying.waiting.claim(applying.database, BATCH, LEASE_MILLISECONDS);
  const keyOf = (change: Change) => `${change.merchantId} ${applying.subjectOf(change)}`;
  const subjects = [...Map.groupBy(claimed, keyOf).values()];
  const errors: unknown[] = [];
  const lane = async () => {
    for (let changes = subjects.pop(); changes !== undefined; changes = subjects.pop()) {
      for (const change of changes) {
        if (signal.aborted) return;
        await applyChange(applying, change).catch((error) => errors.push(error));
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (errors.length > 0) throw errors[0];
  return claimed.length;
}

async function applyChange<Change extends WaitingChange>(
  { record, warnings, observeChange, warnOfChange }: Applying<Change>,
  change: Change,
): Promise<void> {
  const result = await record(change);
  if (result === 'gone') return;
  observeChange(result);
  const isLate = result !== 'applied' && change.tries >= TRIES_BEFORE_WARNING;
  if (warnings.includes(result) || isLate) warnOfChange(change, result);
}
