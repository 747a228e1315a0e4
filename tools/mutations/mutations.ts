import { ACCESS_MUTATIONS } from './access-mutations.ts';
import { CHARGING_MUTATIONS } from './charging-mutations.ts';
import { EXPIRY_MUTATIONS } from './expiry-mutations.ts';
import { MONEY_MUTATIONS } from './money-mutations.ts';
import type { Mutation } from './mutation.ts';
import { OUTAGE_MUTATIONS } from './outage-mutations.ts';

/** The mistakes that `npm test` is known to find. */
export const MUTATIONS: readonly Mutation[] = [
  ...MONEY_MUTATIONS,
  ...EXPIRY_MUTATIONS,
  ...ACCESS_MUTATIONS,
  ...CHARGING_MUTATIONS,
  ...OUTAGE_MUTATIONS,
];
