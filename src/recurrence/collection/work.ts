import type { ModuleContext } from '../../platform/module.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { countingWhenRead } from '../../platform/work/every-so-often.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { countDue, type DueCounts } from './due-places.sql.ts';
import { finishOpenCharges } from './finish-open-charges.ts';
import { EARLIEST_OPEN_CHARGE } from './open-charges.sql.ts';
import { type ChargeDueTools, type DueCharger, openCollector } from './open-collector.ts';
import { type ChargebackTools, DUE_CHARGEBACKS, processChargebacks } from './process-chargebacks.ts';

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
    look: { piece: EARLIEST_OPEN_CHARGE },
  };
  return { works: [charger.work, ending], charger };
}

/** `wakeSignal`: the acquirer reported a chargeback of a billing's charge. */
export function chargebackWork(tools: ChargebackTools, wakeSignal: WakeSignal): Work {
  return {
    name: 'processChargebacks',
    wakeSignal,
    runDue: () => processChargebacks(tools),
    look: DUE_CHARGEBACKS,
  };
}

const COUNT_MILLISECONDS = 10_000;

/** However often the metrics are read, the database is asked every ten seconds. */
export function countingDue(
  { database, metrics }: Pick<ModuleContext, 'database' | 'metrics'>,
  observe: (counts: DueCounts) => void,
): Work {
  return countingWhenRead('countDueBillings', COUNT_MILLISECONDS, metrics, async () =>
    observe(await countDue(database)),
  );
}
