import { type Instant, instant } from '../values/instant.ts';
import type { DatabaseTime } from './database-time.ts';

/**
 * Business time: due days, card expiry, settlement and `moment`. It follows the database's clock.
 * Homologation can move it for one merchant; leases, deadlines and tokens use real time.
 */
export type BusinessClock = {
  now(merchantId: string): Instant;
  unmoved(): Instant;
};

const NO_SHIFTS: ReadonlyMap<string, number> = new Map();

/**
 * `shifts`: by merchant, the milliseconds that its clock is ahead of the unmoved time. Empty in production.
 */
export function businessClock(
  time: DatabaseTime,
  shifts: ReadonlyMap<string, number> = NO_SHIFTS,
): BusinessClock {
  return {
    now: (merchantId) => instant(time.now() + (shifts.get(merchantId) ?? 0)),
    unmoved: () => time.now(),
  };
}
