const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** npm passes on a signal that whoever stops a group of processes (a terminal, systemd) has sent to all of them already. */
const ECHO_MILLISECONDS = 500;

type Signals = { on(signal: (typeof SIGNALS)[number], listener: () => void): unknown };

/** The orders to stop. `next` gives the name of the next one; what comes within half a second of one is its echo. */
export type StopSignals = { next(): Promise<string> };

export function stopSignals(source: Signals = process, now = () => performance.now()): StopSignals {
  let waiting: ((signal: string) => void)[] = [];
  let heardAt = Number.NEGATIVE_INFINITY;
  for (const signal of SIGNALS) {
    source.on(signal, () => {
      if (now() - heardAt < ECHO_MILLISECONDS) return;
      heardAt = now();
      const resolves = waiting;
      waiting = [];
      for (const resolve of resolves) resolve(signal);
    });
  }
  return { next: () => new Promise((resolve) => waiting.push(resolve)) };
}
