import type { Work } from '../../platform/work/due-work.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { type DeleteExpiredCardsTools, deleteExpiredCards } from './delete-expired-cards.ts';
import type { ExpiredPlace } from './expired-cards.sql.ts';

/** Between two batches, so that the audit log and payments have their turn. */
const BREATH_MILLISECONDS = 100;
/** Once all were looked through: a card expires with its month. */
const PAUSE_MILLISECONDS = 60_000;

/** Removes stored cards that expired long ago. `days` 0: they have no end. */
export function forgetExpiredCards(
  tools: DeleteExpiredCardsTools,
  observe: (deleted: number) => void,
): Work[] {
  if (tools.days === 0) return [];
  let nextAt = 0;
  let behind: ExpiredPlace | null = null;
  return [
    {
      name: 'forgetExpiredCards',
      wakeSignal: createWakeSignal(),
      async runDue() {
        if (performance.now() < nextAt) return 0;
        nextAt = performance.now() + PAUSE_MILLISECONDS;
        const { next, deleted } = await deleteExpiredCards(tools, behind);
        observe(deleted);
        behind = next;
        if (next !== null) nextAt = performance.now() + BREATH_MILLISECONDS;
        return 0;
      },
      millisecondsUntilDue: async () => Math.max(0, nextAt - performance.now()),
    },
  ];
}
