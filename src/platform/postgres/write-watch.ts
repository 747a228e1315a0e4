import { AsyncLocalStorage } from 'node:async_hooks';

export type WriteWatch = {
  /** Whether a write stands, or may stand. */
  mayHaveWritten: boolean;
};

const current = new AsyncLocalStorage<WriteWatch>();

/** Notes in `watch` what `run` and its callees write. The HTTP server checks it before any error answer. */
export function watchWrites<T>(watch: WriteWatch, run: () => Promise<T>): Promise<T> {
  return current.run(watch, run);
}

/** Batched writes keep their caller's watch and write later on the caller's behalf. */
export function watchOfCaller(): WriteWatch | undefined {
  return current.getStore();
}

export function noteWrite(watch: WriteWatch | undefined): void {
  if (watch !== undefined) watch.mayHaveWritten = true;
}
