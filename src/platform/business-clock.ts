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
