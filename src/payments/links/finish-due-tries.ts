import type { ModuleContext } from '../../platform/module.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { everySoOften } from '../../platform/work/every-so-often.ts';
import { type FindTryTools, findTryOutcome } from './find-try-outcome.ts';
import type { Link, TryOutcome } from './link.ts';
import { EARLIEST_LOOK, listDueTries, putOff, recordFailed, recordPaid } from './links.sql.ts';

export type FinishTryTools = FindTryTools & { readonly database: Database };

const MOST_IN_A_RUN = 100;
const PAUSE_MILLISECONDS = 500;

/** Repeatable, also by several processes: each try is ended once, by its number. */
export async function finishTry(
  { database }: Pick<FinishTryTools, 'database'>,
  link: Link,
  outcome: TryOutcome,
): Promise<void> {
  switch (outcome.kind) {
    case 'paid':
      return recordPaid(database, link, outcome.paymentId);
    case 'failed':
      return recordFailed(database, link);
    case 'underWay':
      return putOff(database, link);
  }
}

/** Ends tries whose request did not: its process died, or the acquirer's answer came later. */
export function finishDueTries(tools: FinishTryTools & Pick<ModuleContext, 'log'>): Work {
  const finish = async (signal: AbortSignal) => {
    for (const link of await listDueTries(tools.database, MOST_IN_A_RUN)) {
      if (signal.aborted) return;
      try {
        await finishTry(tools, link, await findTryOutcome(tools, link));
      } catch (error) {
        // One that cannot be read holds up no other.
        await putOff(tools.database, link);
        tools.log.error({ err: error, linkId: link.linkId }, 'a try to pay a link was not ended');
      }
    }
  };
  return everySoOften('finishDueTries', PAUSE_MILLISECONDS, finish, { piece: EARLIEST_LOOK });
}
