import { serve } from '../../platform/http/endpoint.ts';
import type { Module, ModuleContext } from '../../platform/module.ts';
import { FairLine } from '../../platform/work/fair-line.ts';
import type { Follower } from '../receivables/open-follower.ts';
import { EXPORT_ENDPOINTS } from './endpoints.ts';

/** At the same time in this process; each reads a page now and then, in the line of searches. */
const EXPORTS = { name: 'exports', slots: 8, waiting: 16, longestWaitMilliseconds: 2_000 };

export type Exports = Module & {
  /** Ends what is still being read, which a stop would wait for. */
  readonly stopExports: () => void;
};

export function openExports(
  { lookUp, search }: ModuleContext,
  { isUpToDate }: Pick<Follower, 'isUpToDate'>,
): Exports {
  const stopping = new AbortController();
  const exportLine = new FairLine(EXPORTS);
  return {
    endpoints: serve(EXPORT_ENDPOINTS, { lookUp, search, isUpToDate, exportLine, stopping: stopping.signal }),
    works: [],
    clockedWork: [],
    stopExports: () => stopping.abort(),
  };
}
