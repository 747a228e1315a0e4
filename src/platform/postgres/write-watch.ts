import { AsyncLocalStorage } from 'node:async_hooks';

/** What an operation has written so far. */
export type WriteWatch = {
  /** Whether something that it wrote stands, or may stand. */
  mayHaveWritten: boolean;
};

const current = new AsyncLocalStorage<WriteWatch>();

/**
 * Runs an operation and notes in `watch` what it writes, also in what it calls. An error behind a write does not say that
 * nothing was made: whoever answers it looks here, so that no operation has to remember it.
 */
export function watchWrites<T>(watch: WriteWatch, run: () => Promise<T>): Promise<T> {
  return current.run(watch, run);
}

/** The watch of whoever calls; it is kept by those who write later on a caller's behalf. */
export function watchOfCaller(): WriteWatch | undefined {
  return current.getStore();
}

/** Something was written, or may have been; `watch`: of whoever wanted it. */
export function noteWrite(watch: WriteWatch | undefined): void {
  if (watch !== undefined) watch.mayHaveWritten = true;
}
