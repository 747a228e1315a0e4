import type { Bell } from '../../platform/work/bell.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { workInSlots } from '../../platform/work/work-in-slots.ts';
import { type SettleCancelsTools, settleUnansweredCancels } from './settle-unanswered-cancels.ts';

export function cancelingWork(tools: SettleCancelsTools, bell: Bell): Work {
  return workInSlots({ ...settleUnansweredCancels(tools), bell });
}
