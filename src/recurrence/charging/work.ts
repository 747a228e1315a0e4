import { type Bell, bellBehind } from '../../platform/work/bell.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { endSettledCharges } from './end-settled-charges.ts';
import { type ChargeDueTools, type DueCharger, openDueCharger } from './open-due-charger.ts';
import { millisecondsUntilOpenCharge } from './settled-charges.sql.ts';

/** `bell`: something may be due at once. `settled`: the outcome of a charge was found out. */
export function chargingWorks(
  tools: ChargeDueTools,
  { bell, settled }: { readonly bell: Bell; readonly settled: Bell },
): { readonly works: Work[]; readonly charger: DueCharger } {
  const own = bellBehind(bell);
  const charger = openDueCharger(tools, () => own.ring());
  const charging: Work = {
    name: 'chargeDueBillings',
    bell: own,
    runDue: charger.runDue,
    millisecondsUntilDue: async () => null,
    finish: charger.finish,
  };
  const ending: Work = {
    name: 'endSettledCharges',
    bell: settled,
    async runDue() {
      const ended = await endSettledCharges(tools);
      // A billing that is to be charged again, or the next one, may be due.
      if (ended > 0) own.ring();
      return ended;
    },
    millisecondsUntilDue: () => millisecondsUntilOpenCharge(tools.database),
  };
  return { works: [charging, ending], charger };
}
