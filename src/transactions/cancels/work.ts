import type { Work } from '../../platform/work/due-work.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { type ResolveCancelsTools, resolveUnresolvedCancels } from './resolve-unresolved-cancels.ts';

export function cancelingWork(tools: ResolveCancelsTools, wakeSignal: WakeSignal): Work {
  return resolveUnresolvedCancels(tools, wakeSignal);
}
