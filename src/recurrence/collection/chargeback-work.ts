import type { Work } from '../../platform/work/due-work.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { type ChargebackTools, processChargebacks } from './process-chargebacks.ts';

/** `wakeSignal`: the acquirer reported a chargeback of a billing's charge. */
export function chargebackWork(tools: ChargebackTools, wakeSignal: WakeSignal): Work {
  return {
    name: 'processChargebacks',
    wakeSignal,
    runDue: () => processChargebacks(tools),
    millisecondsUntilDue: async () => null,
  };
}
