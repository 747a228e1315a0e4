import { serve } from '../../platform/http/endpoint.ts';
import { counter, gauge } from '../../platform/metrics.ts';
import type { Module, ModuleContext } from '../../platform/module.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { RECEIVABLE_ENDPOINTS } from './endpoints.ts';
import { type Follower, openFollower } from './open-follower.ts';

const RECEIVABLES_BATCHES = counter(
  'parcela_receivables_batches_total',
  'Batches of movements that were brought into receivables.',
);
const RECEIVABLES_BEHIND_SECONDS = gauge(
  'parcela_receivables_behind_seconds',
  'How long ago this process saw all movements of all merchants brought into receivables.',
);

export type Receivables = Module & Pick<Follower, 'isUpToDate'>;

export function openReceivables(
  context: ModuleContext,
  { findWatermark }: { readonly findWatermark: () => Promise<number> },
): Receivables {
  const follower = openFollowing(context, findWatermark);
  const { advanceAll, isUpToDate, look, mayBeBehind } = follower;
  return {
    endpoints: serve(RECEIVABLE_ENDPOINTS, { lookUp: context.lookUp, isUpToDate }),
    works: [
      {
        name: 'followMovements',
        wakeSignal: createWakeSignal(),
        runDue: advanceAll,
        look,
        millisecondsUntilDue: (found) => (found !== undefined && mayBeBehind() ? 0 : null),
      },
    ],
    clockedWork: [],
    isUpToDate,
  };
}

function openFollowing(
  { database, gate, metrics }: ModuleContext,
  findWatermark: () => Promise<number>,
): Follower {
  const batches = metrics.counter(RECEIVABLES_BATCHES);
  const follower = openFollower({ database, gate, findWatermark, observeBatch: () => batches.inc({}) });
  metrics.gauge(RECEIVABLES_BEHIND_SECONDS, (gauge) => gauge.set(follower.behindMilliseconds() / 1_000));
  return follower;
}
