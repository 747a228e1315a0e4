import { databaseGauge } from '../../platform/metrics.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { countingWhenRead } from '../../platform/work/every-so-often.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { type FinishTools, finishRestored } from './finish-restored.ts';
import { countWaiting, EARLIEST_UNFINISHED, type WaitingCounts } from './restored-charges.sql.ts';

const COUNT_MILLISECONDS = 15_000;

function restoredWorks(
  tools: FinishTools & Pick<ModuleContext, 'metrics'>,
  observe: (counted: WaitingCounts) => void,
): Work[] {
  const { database } = tools;
  return [
    {
      name: 'finishRestored',
      wakeSignal: createWakeSignal(),
      runDue: (signal) => finishRestored(tools, signal),
      look: { piece: EARLIEST_UNFINISHED },
    },
    countingWhenRead('countRestored', COUNT_MILLISECONDS, tools.metrics, async () =>
      observe(await countWaiting(database)),
    ),
  ];
}

const RESTORED_CHARGES_WAITING = databaseGauge(
  'parcela_restored_charges_waiting',
  'Charges of a restored database that are not all in the books yet, by who goes on with them.',
  ['who'],
);

export function openRestored({ database, log, metrics }: ModuleContext): Work[] {
  const waiting = metrics.gauge(RESTORED_CHARGES_WAITING);
  return restoredWorks(
    {
      database,
      metrics,
      observeEnd({ merchantId, transactionId }, decision) {
        const fields = { merchantId, paymentId: transactionId, decision };
        if (decision === 'undecided') log.warn(fields, 'a restored charge waits for a person: restore list');
        else log.info(fields, 'a restored charge has ended');
      },
      observeFault({ merchantId, transactionId }, error) {
        log.error({ merchantId, paymentId: transactionId, error }, 'a restored charge is tried again');
      },
    },
    ({ undecided, unfinished }) => {
      waiting.set({ who: 'person' }, undecided);
      waiting.set({ who: 'service' }, unfinished);
    },
  );
}
