import { type Instant, instant } from '../values/instant.ts';

/**
 * Business time: due days, card expiry, settlement, `moment`. Homologation can move it for one merchant; leases,
 * deadlines and tokens never look here.
 */
export type BusinessClock = { now(merchantId: string): Instant };

/** The business clock of production: everybody's time is the real one. */
export function realBusinessClock(): BusinessClock {
  return { now: () => instant(Date.now()) };
}

/** Business time where it can be moved: so many milliseconds ahead of the real one by merchant; who is not listed has that. */
export function shiftedBusinessClock(shifts: ReadonlyMap<string, number>): BusinessClock {
  return { now: (merchantId) => instant(Date.now() + (shifts.get(merchantId) ?? 0)) };
}
