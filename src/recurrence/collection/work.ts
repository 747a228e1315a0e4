import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../../platform/work/every-so-often.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { countDue, type DueCounts } from './due-counts.sql.ts';
import { finishOpenCharges } from './finish-open-charges.ts';
import { millisecondsUntilOpenCharge } from './open-charges.sql.ts';
import { type ChargeDueTools, type DueCharger, openCollector } from './open-collector.ts';
import { type ChargebackTools, processChargebacks } from './process-chargebacks.ts';

/**
 * `wakeSignal`: something may be due at once. `resolved`: the outcome of a charge was found out.
 */
export function chargingWorks(
  tools: ChargeDueTools,
  { wakeSignal, resolved }: { readonly wakeSignal: WakeSignal; readonly resolved: WakeSignal },
): { readonly works: Work[]; readonly charger: DueCharger } {
  const charger = openCollector(tools, wakeSignal);
  const ending: Work = {
    name: 'finishOpenCharges',
    wakeSignal: resolved,
    async runDue() {
      const ended = await finishOpenCharges(tools);
      // A billing that is to be charged again, or the next one, may be due.
      if (ended > 0) charger.work.wakeSignal.notify();
      return ended;
    },
    millisecondsUntilDue: () => millisecondsUntilOpenCharge(tools.database),
  };
  return { works: [charger.work, ending], charger };
}

/** `wakeSignal`: the acquirer reported a chargeback of a billing's charge. */
export function chargebackWork(tools: ChargebackTools, wakeSignal: WakeSignal): Work {
  return {
    name: 'processChargebacks',
    wakeSignal,
    runDue: () => processChargebacks(tools),
    millisecondsUntilDue: async () => null,
  };
}

const COUNT_MILLISECONDS = 10_000;

/** However often the metrics are read, the database is asked every ten seconds. */
export function countingDue(database: Database, observe: (counts: DueCounts) => void): Work {
  return alsoWhileHeld(
    everySoOften('countDueBillings', COUNT_MILLISECONDS, async () => observe(await countDue(database))),
  );
}
