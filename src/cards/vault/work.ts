import type { Work } from '../../platform/work/due-work.ts';
import { forgetInSteps } from '../../platform/work/forgetting.ts';
import { type DeleteExpiredCardsTools, deleteExpiredCards } from './delete-expired-cards.ts';
import type { ExpiredPlace } from './expired-cards.sql.ts';

/** Once all were looked through: a card expires with its month. */
const PAUSE_MILLISECONDS = 60_000;

/** Removes stored cards that expired long ago. `days` 0: they have no end. */
export function forgetExpiredCards(
  tools: DeleteExpiredCardsTools,
  observe: (deleted: number) => void,
): Work[] {
  if (tools.days === 0) return [];
  let behind: ExpiredPlace | null = null;
  const step = async () => {
    const { next, deleted } = await deleteExpiredCards(tools, behind);
    observe(deleted);
    behind = next;
    return next === null ? null : deleted;
  };
  return [forgetInSteps('forgetExpiredCards', step, PAUSE_MILLISECONDS)];
}
