import type { Bell } from '../platform/work/bell.ts';
import type { Work } from '../platform/work/due-work.ts';
import { type SettleTools, settleUnansweredCharges } from './settle-unanswered-charges.ts';
import { millisecondsUntilDueCharge } from './settlements.sql.ts';

export function settlingWork(tools: SettleTools, bell: Bell): Work {
  return {
    name: 'settleUnansweredCharges',
    bell,
    runDue: (signal) => settleUnansweredCharges(tools, signal),
    millisecondsUntilDue: () => millisecondsUntilDueCharge(tools.database),
  };
}
