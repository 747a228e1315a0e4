import type { Bell } from '../../platform/work/bell.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { millisecondsUntilDueCancel } from './cancels.sql.ts';
import { type SettleCancelsTools, settleUnansweredCancels } from './settle-unanswered-cancels.ts';

export function cancelingWork(tools: SettleCancelsTools, bell: Bell): Work {
  return {
    name: 'settleUnansweredCancels',
    bell,
    runDue: (signal) => settleUnansweredCancels(tools, signal),
    millisecondsUntilDue: () => millisecondsUntilDueCancel(tools.database),
  };
}
