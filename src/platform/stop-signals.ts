const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** npm repeats a signal that a terminal or systemd has already sent to the whole process group. */
const ECHO_MILLISECONDS = 500;

type Signals = { on(signal: (typeof SIGNALS)[number], listener: () => void): unknown };

/** `next` resolves with the next signal. Signals within half a second of it are its echo. */
export type StopSignals = { next(): Promise<string> };

export function stopSignals(source: Signals = process, now = () => performance.now()): StopSignals {
  let waiting: ((signal: string) => void)[] = [];
  let receivedAt = Number.NEGATIVE_INFINITY;
  for (const signal of SIGNALS) {
    source.on(signal, () => {
      if (now() - receivedAt < ECHO_MILLISECONDS) return;
      receivedAt = now();
      const resolves = waiting;
      waiting = [];
      for (const resolve of resolves) resolve(signal);
    });
  }
  return { next: () => new Promise((resolve) => waiting.push(resolve)) };
}
