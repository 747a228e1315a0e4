import { serve } from '../../platform/http/endpoint.ts';
import type { Module, ModuleContext, Published } from '../../platform/module.ts';
import { FairLine } from '../../platform/work/fair-line.ts';
import { DAY_REFUSALS } from '../days/contract.ts';
import { DAY_ENDPOINTS } from '../days/endpoints.ts';
import { EXPORT_REFUSALS } from '../exports/contract.ts';
import { EXPORT_ENDPOINTS } from '../exports/endpoints.ts';
import { PERIOD_FAULTS, RECEIVABLE_REFUSALS } from '../period-contract.ts';
import { RECEIVABLE_ENDPOINTS } from './endpoints.ts';
import { type Follower, openFollower } from './open-follower.ts';
import { followingWork } from './work.ts';

export const RECEIVABLES: Published = {
  endpoints: [...RECEIVABLE_ENDPOINTS, ...EXPORT_ENDPOINTS, ...DAY_ENDPOINTS],
  refusals: [
    {
      title: 'Periods of reconciliation',
      text: 'What the days of a period must be to each other. The tag is the name of its last day.',
      refusals: PERIOD_FAULTS,
    },
    {
      title: 'Reconciliation',
      text: 'Why what the acquirer owes is not shown.',
      refusals: { ...RECEIVABLE_REFUSALS, ...EXPORT_REFUSALS, ...DAY_REFUSALS },
    },
  ],
};

/** At the same time in this process; each reads a page now and then, in the line of searches. */
const EXPORTS = { name: 'exports', slots: 8, waiting: 16, longestWaitMilliseconds: 2_000 };

export type Receivables = Module &
  Pick<Follower, 'isUpToDate'> & {
    /** Ends what is still being read, which a stop would wait for. */
    readonly stopExports: () => void;
  };

export function openReceivables(
  context: ModuleContext,
  { findWatermark }: { readonly findWatermark: () => Promise<number> },
): Receivables {
  const { lookUp, search } = context;
  const follower = openFollowing(context, findWatermark);
  const { isUpToDate } = follower;
  const stopping = new AbortController();
  const exportLine = new FairLine(EXPORTS);
  return {
    endpoints: [
      ...serve(RECEIVABLE_ENDPOINTS, { lookUp, isUpToDate }),
      ...serve(EXPORT_ENDPOINTS, { lookUp, search, isUpToDate, exportLine, stopping: stopping.signal }),
      ...serve(DAY_ENDPOINTS, { lookUp, search, isUpToDate }),
    ],
    works: [followingWork(follower)],
    clockedWork: [],
    isUpToDate,
    stopExports: () => stopping.abort(),
  };
}

function openFollowing(
  { database, gate, metrics }: ModuleContext,
  findWatermark: () => Promise<number>,
): Follower {
  const batches = metrics.counter(
    'parcela_receivables_batches_total',
    'Batches of movements that were brought into receivables.',
    [],
  );
  const follower = openFollower({ database, gate, findWatermark, observeBatch: () => batches.inc({}) });
  metrics.gauge(
    'parcela_receivables_behind_seconds',
    'How long ago this process saw all movements of all merchants brought into receivables.',
    [],
    (gauge) => gauge.set(follower.behindMilliseconds() / 1_000),
  );
  return follower;
}
