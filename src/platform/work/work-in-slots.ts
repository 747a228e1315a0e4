import type { Work } from './due-work.ts';
import type { OutageWatch } from './outage-watch.ts';
import { openSlots } from './slots.ts';
import { forwardSignal, type WakeSignal } from './wake-signal.ts';

/** Rows that fall due and are settled by asking somebody else, who may be slow, silent or away. */
export type AskingWork<Row> = {
  readonly name: string;
  /** Rung when a row may have become due. */
  readonly wakeSignal: WakeSignal;
  /** Rows under way at the same time in this process. */
  readonly slots: number;
  /** Says whether those who are asked are away; hears of every question that `workOff` asks. */
  readonly outage: OutageWatch;
  /** Takes up to so many due rows, longest due first (skip locked, leased, fenced). */
  claim(limit: number): Promise<readonly Row[]>;
  /** Ends within the row's lease. What it throws is told; the row comes again after its lease. */
  workOff(row: Row): Promise<void>;
  millisecondsUntilDue(): Promise<number | null>;
  /** Makes up to so many rows due that wait for long; gives how many. */
  pullForward(limit: number): Promise<number>;
};

/** What one statement pulls forward, and how many such statements follow one return: the others wait for their time. */
const PULLED_AT_ONCE = 1_000;
const MOST_PULLS = 100;

/**
 * A free slot takes the next due row at once: one row whose answer is long in coming delays none behind it. While the other
 * side is away a single row is asked at a time, with a pause, so that it is not hammered and its return is noticed soon;
 * then all slots open again and what waits for long is pulled forward.
 */
export function workInSlots<Row>(work: AskingWork<Row>): Work {
  const { outage } = work;
  const wakeSignal = forwardSignal(work.wakeSignal);
  // The loop's sleep was measured while the row was leased: it looks again.
  const slots = openSlots(() => wakeSignal.notify());
  let pullsLeft = 0;

  function freeSlots(): number {
    if (!outage.isAway()) return Math.max(0, work.slots - slots.taken());
    return slots.taken() === 0 ? 1 : 0;
  }

  async function pullAfterReturn(): Promise<void> {
    if (outage.takeReturn()) pullsLeft = MOST_PULLS;
    if (pullsLeft === 0) return;
    const pulled = await work.pullForward(PULLED_AT_ONCE);
    pullsLeft = pulled < PULLED_AT_ONCE ? 0 : pullsLeft - 1;
  }

  return {
    name: work.name,
    wakeSignal,
    async runDue(signal) {
      slots.throwFailure();
      let claimed = 0;
      while (!signal.aborted) {
        await pullAfterReturn();
        const free = freeSlots();
        if (free === 0) {
          await slots.oneEnded(signal);
          continue;
        }
        if (outage.millisecondsUntilProbe() > 0) break;
        const rows = await work.claim(free);
        for (const row of rows) slots.start(() => work.workOff(row));
        claimed += rows.length;
        if (rows.length < free) break;
      }
      return claimed;
    },
    async millisecondsUntilDue() {
      const untilProbe = outage.millisecondsUntilProbe();
      return untilProbe > 0 ? untilProbe : work.millisecondsUntilDue();
    },
    async finish() {
      await slots.allEnded();
      slots.throwFailure();
    },
  };
}
