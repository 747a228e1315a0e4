import { availableParallelism, cpus } from 'node:os';

/** Always at work, whatever else the machine does. */
const LEAST_PER_CORE = 1.5;
/** Most of the time of many files is waiting for leases, pauses and silent acquirers. */
const MOST_PER_CORE = 6;
/** One more begins while so much of the machine has nothing to do. */
const IDLE_SHARE = 0.07;
/** What a file that begins takes of a core, until it shows in the load. */
const CORES_OF_ONE = 0.5;
const SAMPLE_MILLISECONDS = 400;

/** Lanes take turns: as many are at work as the machine has time for. */
export type Turns = {
  /** Resolves when one more may begin. */
  begin(): Promise<void>;
  end(): void;
};

export function openTurns(): Turns {
  const cores = availableParallelism();
  const least = Math.ceil(cores * LEAST_PER_CORE);
  const most = cores * MOST_PER_CORE;
  const idle = openIdle();
  let atWork = 0;
  let last = Promise.resolve();
  let wake = () => {};
  async function wait(): Promise<void> {
    while (atWork >= least && !(atWork < most && idle.share() > IDLE_SHARE)) {
      const ended = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([idle.nextSample(), ended]);
    }
    atWork += 1;
    idle.take(CORES_OF_ONE / cores);
  }
  return {
    begin() {
      last = last.then(wait);
      return last;
    },
    end() {
      atWork -= 1;
      wake();
    },
  };
}

/** How much of all cores had nothing to do lately, less what was begun since. */
function openIdle() {
  let before = times();
  let share = 0;
  let next: Promise<void> | null = null;
  async function sample(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MILLISECONDS));
    next = null;
    const after = times();
    share = (after.idle - before.idle) / Math.max(1, after.all - before.all);
    before = after;
  }
  return {
    share: () => share,
    take(part: number) {
      share -= part;
    },
    nextSample() {
      next ??= sample();
      return next;
    },
  };
}

function times(): { readonly idle: number; readonly all: number } {
  const each = cpus().map((core) => core.times);
  const idle = each.reduce((sum, one) => sum + one.idle, 0);
  return {
    idle,
    all: each.reduce((sum, one) => sum + one.idle + one.user + one.nice + one.sys + one.irq, 0),
  };
}
