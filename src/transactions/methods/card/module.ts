import { counter } from '../../../platform/metrics.ts';
import type { Module, ModuleContext } from '../../../platform/module.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { ClockedWork, Work } from '../../../platform/work/due-work.ts';
import { everySoOften } from '../../../platform/work/every-so-often.ts';
import type { OutageWatch } from '../../../platform/work/outage-watch.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { Acquirers } from '../../../providers/open-acquirers.ts';
import type { Deliverer } from '../../../webhooks/deliveries/delivery.ts';
import type { Release } from '../../cancels/cancel.ts';
import type { AskAcquirerTools } from '../../requests/send-request.ts';
import { captureOutcomesWrite } from './capture-outcomes.sql.ts';
import type { CaptureTools } from './capture-transaction.ts';
import { captureIntentsWrite } from './captures.sql.ts';
import type { LaterCapture } from './charge-card.ts';
import {
  areManyChargesDue,
  EXPIRIES_DUE,
  earliestExpiry,
  expirePreauthorizations,
  findMerchantsAhead,
  preauthorizationsWrite,
} from './preauthorizations.sql.ts';
import { releasePreauthorization } from './release-preauthorization.ts';
import { releasesWrite } from './releases.sql.ts';
import { type ResolveCapturesTools, resolveUnresolvedCaptures } from './resolve-unresolved-captures.ts';

const EXPIRY_MILLISECONDS = 5_000;
const BATCH = 100;
/**
 * While more unresolved charges than this are due, no expired pre-authorization is released: voids of lost
 * charges, whose buyers may be paying again, come first.
 */
const MOST_DUE_CHARGES = 300;
/** The most batches that expire in one step of a merchant's test clock. */
const MOST_BATCHES = 100;

type ExpiryTools = {
  readonly database: Database;
  /** Wakes the resolving of charges, which voids released pre-authorizations. */
  readonly wakeSignal: WakeSignal;
  readonly observeExpired: (count: number) => void;
};

function expiringWork(tools: ExpiryTools): Work {
  const expire = (signal: AbortSignal) => expireSome(tools, signal);
  return everySoOften('expirePreauthorizations', EXPIRY_MILLISECONDS, expire, { piece: EXPIRIES_DUE });
}

export async function expireSome(tools: ExpiryTools, signal: AbortSignal): Promise<void> {
  const { database } = tools;
  if (await areManyChargesDue(database, MOST_DUE_CHARGES)) return;
  let left = BATCH - (await expireBatch(tools, null, BATCH));
  for (const merchantId of await findMerchantsAhead(database, BATCH)) {
    if (left === 0 || signal.aborted) return;
    left -= await expireBatch(tools, merchantId, left);
  }
}

function expiringByClock(tools: ExpiryTools): ClockedWork {
  return {
    name: 'preauthorizations',
    earliestDue: (merchantId, until) => earliestExpiry(tools.database, merchantId, until),
    runDue: (merchantId, signal) => expireAll(tools, merchantId, signal),
  };
}

async function expireAll(tools: ExpiryTools, merchantId: string, signal: AbortSignal): Promise<number> {
  let expired = 0;
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
    const count = await expireBatch(tools, merchantId, BATCH);
    expired += count;
    if (count < BATCH) break;
  }
  return expired;
}

async function expireBatch(
  { database, wakeSignal, observeExpired }: ExpiryTools,
  merchantId: string | null,
  limit: number,
): Promise<number> {
  const count = await expirePreauthorizations(database, merchantId, limit);
  if (count > 0) wakeSignal.notify();
  observeExpired(count);
  return count;
}

const PREAUTHORIZATIONS_EXPIRED = counter(
  'parcela_preauthorizations_expired_total',
  'Pre-authorizations that were let go because they were not captured in time.',
);

type CapturesContext = ModuleContext & {
  readonly configuration: { readonly acquirerTimeoutMilliseconds: number };
  readonly acquirers: Acquirers;
};

export type Captures = Omit<Module, 'endpoints'> &
  Pick<CaptureTools, 'writeCaptureIntent' | 'writeCaptureOutcome'> &
  Pick<LaterCapture, 'writePreauthorization'> & {
    readonly releasePreauthorization: Release;
  };

export function openCaptures(
  context: CapturesContext,
  below: {
    readonly deliverer: Deliverer;
    readonly wakeSignal: WakeSignal;
    readonly outage: OutageWatch;
    readonly observeCapture: ResolveCapturesTools['observe'];
  },
): Captures {
  const { configuration, database, batched, clock, acquirers, log, metrics } = context;
  const { acquirerTimeoutMilliseconds } = configuration;
  const asking: AskAcquirerTools = { database, acquirers, clock, acquirerTimeoutMilliseconds };
  const { deliverer, wakeSignal, outage, observeCapture } = below;
  const writeCaptureOutcome = batched(captureOutcomesWrite(database, deliverer));
  const writeRelease = batched(releasesWrite(database));
  const expired = metrics.counter(PREAUTHORIZATIONS_EXPIRED);
  const expiry = { database, wakeSignal, observeExpired: (count: number) => expired.inc({}, count) };
  const resolve: ResolveCapturesTools = {
    ...asking,
    writeCaptureOutcome,
    outage,
    observe: observeCapture,
    warn: ({ requestId: captureId, transactionId, tries }, reason) =>
      log.warn({ captureId, transactionId, tries, reason }, 'a capture was not done'),
  };
  const release = { ...asking, deliverer, wakeSignal, writeRelease };
  return {
    writeCaptureIntent: batched(captureIntentsWrite(database)),
    writeCaptureOutcome,
    writePreauthorization: batched(preauthorizationsWrite(database, deliverer)),
    releasePreauthorization: (wanted, deadlineAt) => releasePreauthorization(release, wanted, deadlineAt),
    works: [resolveUnresolvedCaptures(resolve, wakeSignal), expiringWork(expiry)],
    clockedWork: [expiringByClock(expiry)],
  };
}
