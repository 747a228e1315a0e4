import type { WakeSignal } from '../../platform/work/wake-signal.ts';

/** Limits one run, and one step of a test clock. */
const MOST_BATCHES = 100;
/** Limits concurrent commits: payments need the other connections. */
const LANES = 4;

export type DueBills<Acting> = {
  readonly batch: number;
  /** Due bills behind `last`, in order; null: from the first. */
  readonly list: (last: Acting | null) => Promise<Acting[]>;
  /** Returns whether the bill was changed. */
  readonly advance: (acting: Acting) => Promise<boolean>;
  /** Notified if bills were changed: the bank is then asked about them. */
  readonly wakeSignal: WakeSignal;
};

/**
 * Changes bills that the calendar changes, such as those whose time is over. Returns how many changed. A bill
 * that cannot be changed now blocks none after it. Throws the first error after all were tried.
 */
export async function advanceDueBills<Acting>(bills: DueBills<Acting>, signal: AbortSignal): Promise<number> {
  let advanced = 0;
  let last: Acting | null = null;
  const errors: unknown[] = [];
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
    const due: Acting[] = await bills.list(last);
    advanced += await advanceAll(bills, due, errors, signal);
    if (due.length < bills.batch) break;
    last = due.at(-1) ?? null;
  }
  if (advanced > 0) bills.wakeSignal.notify();
  if (errors.length > 0) throw errors[0];
  return advanced;
}

async function advanceAll<Acting>(
  { advance }: DueBills<Acting>,
  due: readonly Acting[],
  errors: unknown[],
  signal: AbortSignal,
): Promise<number> {
  const left = [...due];
  let changed = 0;
  const lane = async () => {
    for (let acting = left.shift(); acting !== undefined && !signal.aborted; acting = left.shift()) {
      const isMoved = await advance(acting).catch((error) => {
        errors.push(error);
        return false;
      });
      if (isMoved) changed += 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return changed;
}
