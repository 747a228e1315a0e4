import { availableParallelism, cpus } from 'node:os';

/** Always at work, whatever else the machine does. */
const LEAST_PER_CORE = 1.5;
/** Most of the time of many files is waiting for leases, pauses and silent acquirers. */
const MOST_PER_CORE = 4;
/** One more begins while so much of the machine has nothing to do. */
const IDLE_SHARE = 0.3;
const SAMPLE_MILLISECONDS = 1_000;

/** Lanes take turns: as many are at work as the machine has time for. */
export type Turns = {
  /** The most that are at work at once. */
  readonly most: number;
  /** Resolves when one more may begin. */
  begin(): Promise<void>;
  end(): void;
};

export function openTurns(): Turns {
  const least = Math.ceil(availableParallelism() * LEAST_PER_CORE);
  const most = availableParallelism() * MOST_PER_CORE;
  let atWork = 0;
  let last = Promise.resolve();
  /** What was begun shows in the load only a moment later: so one at a time. */
  async function wait(): Promise<void> {
    while (atWork >= least && !(atWork < most && (await idleShare()) > IDLE_SHARE));
    atWork += 1;
  }
  return {
    most,
    begin() {
      last = last.then(wait);
      return last;
    },
    end() {
      atWork -= 1;
    },
  };
}

/** Of all cores, during the next moment. */
async function idleShare(): Promise<number> {
  const before = times();
  await new Promise((resolve) => setTimeout(resolve, SAMPLE_MILLISECONDS));
  const after = times();
  return (after.idle - before.idle) / Math.max(1, after.all - before.all);
}

function times(): { readonly idle: number; readonly all: number } {
  const each = cpus().map((core) => core.times);
  const idle = each.reduce((sum, one) => sum + one.idle, 0);
  return {
    idle,
    all: each.reduce((sum, one) => sum + one.idle + one.user + one.nice + one.sys + one.irq, 0),
  };
}
