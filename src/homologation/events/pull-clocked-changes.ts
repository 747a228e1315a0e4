import type { ClockedWork } from '../../platform/work/clocked-work.ts';
import type { EventTools } from './ask-for-event.ts';
import { findNextChange } from './find-next-change.ts';

/** The acquirer's changes of a merchant's charges as its days pass, for jumps of the test clock. */
export function pullClockedChanges(tools: EventTools): ClockedWork {
  return {
    name: 'changes',
    earliestDue: (merchantId, until) => findNextChange(tools, merchantId, until),
    runDue: (merchantId) => tools.changes.pullAndApplyOf(merchantId),
  };
}
