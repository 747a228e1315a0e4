import type { Acquirer } from '../../acquirers/acquirer.ts';
import { counter } from '../../platform/metrics.ts';
import type { Module, ModuleContext } from '../../platform/module.ts';
import type { OutageWatch } from '../../platform/work/outage-watch.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import type { Release } from '../cancels/cancel.ts';
import type { LaterCapture } from '../card/charge-card.ts';
import { captureOutcomesWrite } from './capture-outcomes.sql.ts';
import type { CaptureTools } from './capture-transaction.ts';
import { captureIntentsWrite } from './captures.sql.ts';
import { preauthorizationsWrite } from './preauthorizations.sql.ts';
import { releasePreauthorization } from './release-preauthorization.ts';
import { releasesWrite } from './releases.sql.ts';
import { type ResolveCapturesTools, resolveUnresolvedCaptures } from './resolve-unresolved-captures.ts';
import { expiringByClock, expiringWork } from './work.ts';

const PREAUTHORIZATIONS_EXPIRED = counter(
  'parcela_preauthorizations_expired_total',
  'Pre-authorizations that were let go because they were not captured in time.',
);

type CapturesContext = ModuleContext & {
  readonly configuration: { readonly acquirerTimeoutMilliseconds: number };
  readonly acquirer: Acquirer;
};

/** Sales that are authorized now and captured later. */
export type Captures = Omit<Module, 'endpoints'> &
  Pick<CaptureTools, 'writeCaptureIntent' | 'writeCaptureOutcome'> &
  Pick<LaterCapture, 'writePreauthorization'> & {
    readonly releasePreauthorization: Release;
  };

export function openCaptures(
  context: CapturesContext,
  below: {
    readonly deliverer: Deliverer;
    /** Wakes the resolving of charges and captures. */
    readonly wakeSignal: WakeSignal;
    readonly outage: OutageWatch;
    readonly observeCapture: ResolveCapturesTools['observe'];
  },
): Captures {
  const { configuration, database, batched, clock, acquirer, log, metrics } = context;
  const { acquirerTimeoutMilliseconds } = configuration;
  const { deliverer, wakeSignal, outage, observeCapture } = below;
  const writeCaptureOutcome = batched(captureOutcomesWrite(database, deliverer));
  const writeRelease = batched(releasesWrite(database));
  const expired = metrics.counter(PREAUTHORIZATIONS_EXPIRED);
  const expiry = { database, wakeSignal, observeExpired: (count: number) => expired.inc({}, count) };
  const resolve: ResolveCapturesTools = {
    database,
    acquirer,
    clock,
    acquirerTimeoutMilliseconds,
    writeCaptureOutcome,
    outage,
    observe: observeCapture,
    warn: ({ requestId: captureId, transactionId, tries }, reason) =>
      log.warn({ captureId, transactionId, tries, reason }, 'a capture was not done'),
  };
  const release = {
    database,
    acquirer,
    clock,
    acquirerTimeoutMilliseconds,
    deliverer,
    wakeSignal,
    writeRelease,
  };
  return {
    writeCaptureIntent: batched(captureIntentsWrite(database)),
    writeCaptureOutcome,
    writePreauthorization: batched(preauthorizationsWrite(database, deliverer)),
    releasePreauthorization: (wanted, deadlineAt) => releasePreauthorization(release, wanted, deadlineAt),
    works: [resolveUnresolvedCaptures(resolve, wakeSignal), expiringWork(expiry)],
    clockedWork: [expiringByClock(expiry)],
  };
}
