import type { ModuleContext } from '../../platform/module.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { everySoOften } from '../../platform/work/every-so-often.ts';
import { type FindTryTools, findTryOutcome } from './find-try-outcome.ts';
import { isRemovalDue, type Link, type TryOutcome } from './link.ts';
import { dropLinkRow, EARLIEST_LOOK, listDueTries, putOff, recordFailed, recordPaid } from './links.sql.ts';
import { SHORT_PAYMENT } from './words.ts';

export type FinishTryTools = FindTryTools & { readonly database: Database };

const MOST_IN_A_RUN = 100;
const PAUSE_MILLISECONDS = 500;
const WRITE_MILLISECONDS = 5_000;

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
      return recordFailed(database, link, outcome.isUnasked === true);
    case 'short':
      await dropLinkRow(database, link, SHORT_PAYMENT);
      return;
    case 'underWay':
      return putOff(database, link);
  }
}

/** Ends tries whose request did not: its process died, or the acquirer's answer came later. */
export function finishDueTries(
  tools: FinishTryTools &
    Pick<ModuleContext, 'log'> & {
      readonly startRemoval: (link: Link, deadlineAt: number) => Promise<void>;
    },
): Work {
  const finish = async (signal: AbortSignal) => {
    for (const due of await listDueTries(tools.database, MOST_IN_A_RUN)) {
      if (signal.aborted) return;
      try {
        const link = due.read();
        const outcome = await findTryOutcome(tools, link);
        // If another bill was paid after all, this bill ends at its bank first, then the link.
        const isBeside = outcome.kind === 'underWay' && link.receivedAmount > 0;
        if (isBeside && isRemovalDue(link))
          await tools.startRemoval(link, performance.now() + WRITE_MILLISECONDS);
        await finishTry(tools, link, outcome);
      } catch (error) {
        // An unreadable try holds up no other.
        await putOff(tools.database, due);
        tools.log.error({ err: error, linkId: due.linkId }, 'a try to pay a link was not ended');
      }
    }
  };
  return everySoOften('finishDueTries', PAUSE_MILLISECONDS, finish, { piece: EARLIEST_LOOK });
}
