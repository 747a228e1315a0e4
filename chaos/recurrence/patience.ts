const MOST_TRIES = 60;
const PAUSE_MILLISECONDS = 500;

export function pause(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds));
}

/**
 * The simulator, or the service that is asked, may be on its way up: it is asked again, and then
 * the last error is thrown.
 */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  let reason: unknown;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    try {
      return await work();
    } catch (error) {
      reason = error;
      await pause(PAUSE_MILLISECONDS);
    }
  }
  throw reason;
}
