import { type Instant, instant } from '../values/instant.ts';
import type { DatabaseTime } from './database-time.ts';

/**
 * Business time: due days, card expiry, settlement, `moment`. It follows the database's clock, as
 * the claims of due work do. Homologation can move it for one merchant; leases, deadlines and
 * tokens use real time.
 */
export type BusinessClock = {
  now(merchantId: string): Instant;
  /** The time of merchants whose clock was never moved. */
  unmoved(): Instant;
};

const NO_SHIFTS: ReadonlyMap<string, number> = new Map();

/** By merchant, so many milliseconds ahead of the unmoved time; production moves none. */
export function businessClock(
  time: DatabaseTime,
  shifts: ReadonlyMap<string, number> = NO_SHIFTS,
): BusinessClock {
  return {
    now: (merchantId) => instant(time.now() + (shifts.get(merchantId) ?? 0)),
    unmoved: () => time.now(),
  };
}
