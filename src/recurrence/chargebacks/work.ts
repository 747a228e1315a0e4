import type { Bell } from '../../platform/work/bell.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { applyChargebacks, type ChargebackTools } from './apply-chargebacks.ts';

/** `bell`: the acquirer told of a chargeback of a billing's charge. */
export function chargebackWork(tools: ChargebackTools, bell: Bell): Work {
  return {
    name: 'applyChargebacks',
    bell,
    runDue: () => applyChargebacks(tools),
    millisecondsUntilDue: async () => null,
  };
}
