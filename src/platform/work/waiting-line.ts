import { Overloaded } from '../postgres/batched-writes.ts';

export type WaitingLineLimits = {
  /** For the error. */
  readonly name: string;
  readonly atOnce: number;
  readonly waiting: number;
  readonly longestWaitMilliseconds: number;
};

/** Runs a task when it is its turn. Throws `Overloaded`, before the task began, when the line is full or the wait too long. */
export type WaitingLine = <T>(task: () => Promise<T>) => Promise<T>;

type Waiter = { readonly admit: () => void };

/** A bound on dear work: so many tasks at once, so many more waiting, in order of arrival, each for so long. */
export function waitingLine(limits: WaitingLineLimits): WaitingLine {
  const waiters = new Set<Waiter>();
  let atWork = 0;

  function takePlace(): Promise<void> {
    if (atWork < limits.atOnce) {
      atWork += 1;
      return Promise.resolve();
    }
    if (waiters.size >= limits.waiting)
      return Promise.reject(new Overloaded(`${limits.name}: the line is full`));
    return new Promise((resolve, reject) => {
      const waiter = {
        admit() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiters.delete(waiter);
        reject(new Overloaded(`${limits.name}: the wait took too long`));
      }, limits.longestWaitMilliseconds);
      waiters.add(waiter);
    });
  }

  /** The place goes straight to the next in line, so that nobody can slip in between. */
  function leavePlace(): void {
    const [next] = waiters;
    if (next === undefined) {
      atWork -= 1;
      return;
    }
    waiters.delete(next);
    next.admit();
  }

  return async (task) => {
    await takePlace();
    try {
      return await task();
    } finally {
      leavePlace();
    }
  };
}

/** A line of its own for every key; a line that nobody uses is forgotten. */
export function waitingLines(
  limits: WaitingLineLimits,
): <T>(key: string, task: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, { readonly line: WaitingLine; users: number }>();
  return async (key, task) => {
    let entry = lines.get(key);
    if (entry === undefined) {
      entry = { line: waitingLine(limits), users: 0 };
      lines.set(key, entry);
    }
    entry.users += 1;
    try {
      return await entry.line(task);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) lines.delete(key);
    }
  };
}

/** Each merchant waits for its own turn, and then for one among all: one that asks for much must not hold up the others. */
export function merchantLines(
  ofEach: WaitingLineLimits,
  together: WaitingLineLimits,
): <T>(merchantId: string, task: () => Promise<T>) => Promise<T> {
  const ofMerchant = waitingLines(ofEach);
  const ofAll = waitingLine(together);
  return (merchantId, task) => ofMerchant(merchantId, () => ofAll(task));
}
