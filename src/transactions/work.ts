import type { Bell } from '../platform/work/bell.ts';
import type { Work } from '../platform/work/due-work.ts';
import { workInSlots } from '../platform/work/work-in-slots.ts';
import { type SettleTools, settleUnansweredCharges } from './settle-unanswered-charges.ts';

export function settlingWork(tools: SettleTools, bell: Bell): Work {
  return workInSlots({ ...settleUnansweredCharges(tools), bell });
}
