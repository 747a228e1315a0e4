import type { Work } from '../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../platform/work/every-so-often.ts';
import type { Acquirer, CapabilitiesAnswer } from './acquirer.ts';

/** A bridge that was replaced is noticed so soon. */
const PAUSE_MILLISECONDS = 15_000;
const TIMEOUT_MILLISECONDS = 3_000;

/**
 * Reads again and again what the acquirer can do; an acquirer that does not answer keeps its last
 * reading.
 */
export function refreshCapabilities(
  acquirer: Pick<Acquirer, 'readCapabilities'>,
  observe: (answer: CapabilitiesAnswer) => void,
): Work {
  const read = async () => observe(await acquirer.readCapabilities(TIMEOUT_MILLISECONDS));
  return alsoWhileHeld(everySoOften('refreshCapabilities', PAUSE_MILLISECONDS, read));
}
