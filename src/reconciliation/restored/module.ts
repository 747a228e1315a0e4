import { databaseGauge } from '../../platform/metrics.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { restoredWorks } from './work.ts';

const RESTORED_CHARGES_WAITING = databaseGauge(
  'parcela_restored_charges_waiting',
  'Charges of a restored database that are not all in the books yet, by who goes on with them.',
  ['who'],
);

/** What a restore has left to the services, and how much waits for a person. */
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
