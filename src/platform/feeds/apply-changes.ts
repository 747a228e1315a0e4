import type { counter } from '../metrics.ts';
import type { ModuleContext } from '../module.ts';
import type { Database } from '../postgres/database.ts';
import type { Work } from '../work/due-work.ts';
import { createWakeSignal, type WakeSignal } from '../work/wake-signal.ts';
import type { WaitingChange } from './feed.ts';
import type { WaitingChanges } from './feed-cursors.sql.ts';

export type Applying<Change extends WaitingChange> = {
  readonly name: string;
  readonly database: Database;
  readonly wakeSignal: WakeSignal;
  readonly waiting: WaitingChanges<Change>;
  /** Changes of one subject are applied one after the other: they would wait for each other's lock. */
  readonly subjectOf: (change: Change) => string;
  /**
   * Applies, refuses or postpones a change in one commit. Gives `applied`, `gone` (another process finished
   * it) or the reason. Any number of processes may repeat it.
   */
  readonly record: (change: Change) => Promise<string>;
  /** The results that a person should look at. */
  readonly warnings: readonly string[];
  /** Counts the results. */
  readonly outcomes: { inc(labels: { readonly outcome: string }, count?: number): void };
  /** Called for a result in `warnings`, and for a change that waits for long. */
  readonly warnOfChange: (change: Change, reason: string) => void;
};

type Declared<Change extends WaitingChange> = Omit<
  Applying<Change>,
  'database' | 'wakeSignal' | 'outcomes'
> & { readonly outcomes: ReturnType<typeof counter<'outcome'>> };

/** The work that applies is woken only by pages that brought changes. */
export function openApplying<Change extends WaitingChange>(
  { database, metrics }: Pick<ModuleContext, 'database' | 'metrics'>,
  declared: Declared<Change>,
): Applying<Change> {
  const outcomes = metrics.counter(declared.outcomes);
  for (const outcome of [...declared.warnings, 'unreadable']) outcomes.inc({ outcome }, 0);
  return { ...declared, database, wakeSignal: createWakeSignal(), outcomes };
}

/** Changes claimed at once. A commit takes milliseconds, so all end long before the lease. */
const BATCH = 100;
/** Commits at the same time. The other connections are for payments. */
const LANES = 4;
const LEASE_MILLISECONDS = 15_000;
/** After this many tries a person should look. */
const TRIES_BEFORE_WARNING = 8;

export function applyingWork<Change extends WaitingChange>(applying: Applying<Change>): Work {
  return {
    name: applying.name,
    wakeSignal: applying.wakeSignal,
    runDue: (signal) => applyDueChanges(applying, signal),
    look: { piece: applying.waiting.earliest },
  };
}

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

/** Applies a batch of all merchants; gives how many. Throws the first error after all were tried. */
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
  { record, warnings, outcomes, warnOfChange }: Applying<Change>,
  change: Change,
): Promise<void> {
  const result = await record(change);
  if (result === 'gone') return;
  outcomes.inc({ outcome: result });
  const isLate = result !== 'applied' && change.tries >= TRIES_BEFORE_WARNING;
  if (warnings.includes(result) || isLate) warnOfChange(change, result);
}
