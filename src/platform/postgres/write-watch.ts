import { AsyncLocalStorage } from 'node:async_hooks';

export type WriteWatch = {
  /** Whether something that it wrote stands, or may stand. */
  mayHaveWritten: boolean;
};

const current = new AsyncLocalStorage<WriteWatch>();

/**
 * Runs an operation and notes in `watch` what it and its callees write. An error behind a write
 * does not say that nothing was made: the server checks here before it answers one, so that no
 * operation has to remember it.
 */
export function watchWrites<T>(watch: WriteWatch, run: () => Promise<T>): Promise<T> {
  return current.run(watch, run);
}

/** The watch of the caller; batched writes keep it and write later on the caller's behalf. */
export function watchOfCaller(): WriteWatch | undefined {
  return current.getStore();
}

/** Something was written, or may have been, for the caller of `watch`. */
export function noteWrite(watch: WriteWatch | undefined): void {
  if (watch !== undefined) watch.mayHaveWritten = true;
}
