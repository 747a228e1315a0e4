import type { Work } from '../platform/work/due-work.ts';
import type { WakeSignal } from '../platform/work/wake-signal.ts';
import { type ResolveTools, resolveUnresolvedCharges } from './resolve-unresolved-charges.ts';

export function resolvingWork(tools: ResolveTools, wakeSignal: WakeSignal): Work {
  return resolveUnresolvedCharges(tools, wakeSignal);
}
