import type { Acquirer, CaptureAnswer } from '../../acquirers/acquirer.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { DISPATCH } from '../../platform/work/dispatch-policy.ts';
import { Dispatcher } from '../../platform/work/dispatcher.ts';
import type { Work } from '../../platform/work/due-work.ts';
import type { OutageWatch } from '../../platform/work/outage-watch.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { CaptureState } from '../capture.ts';
import { secondsUntilNextResolveTry, unsentPostponement } from '../transaction.ts';
import type { CaptureOutcomeRow } from './capture-outcomes.sql.ts';
import {
  claimUnresolvedCaptures,
  millisecondsUntilDueCapture,
  postponeCapture,
  pullCapturesForward,
  type UnresolvedCapture,
} from './unresolved-captures.sql.ts';

export type ResolveCapturesTools = {
  readonly database: Database;
  readonly acquirer: Acquirer;
  readonly clock: BusinessClock;
  readonly acquirerTimeoutMilliseconds: number;
  readonly writeCaptureOutcome: BatchedWrite<CaptureOutcomeRow, CaptureState>;
  /** Whether the acquirer answers any capture. */
  readonly captureOutage: OutageWatch;
  readonly observeCapture: (outcome: 'captured' | 'refused' | 'postponed') => void;
  readonly warnOfCapture: (capture: UnresolvedCapture, reason: string) => void;
};

const RECORD_MILLISECONDS = 8_000;
/** Time for the commit of the answer. */
const LEASE_MARGIN_MILLISECONDS = 15_000;
/** From so many tries on a person should look. */
const TRIES_BEFORE_WARNING = 8;

export function captureLeaseMilliseconds(acquirerTimeoutMilliseconds: number): number {
  return 2 * acquirerTimeoutMilliseconds + LEASE_MARGIN_MILLISECONDS;
}

/**
 * Asks what became of unanswered captures, and sends those again, under the same id, of which the
 * acquirer knows nothing, until it confirms or refuses: it records one id once.
 */
export function resolveUnresolvedCaptures(tools: ResolveCapturesTools, wakeSignal: WakeSignal): Work {
  const { database, captureOutage } = tools;
  const lease = captureLeaseMilliseconds(tools.acquirerTimeoutMilliseconds);
  return new Dispatcher<UnresolvedCapture, CaptureAnswer>({
    name: 'resolveUnresolvedCaptures',
    limits: DISPATCH.unresolvedCaptures,
    wakeSignal,
    outage: captureOutage,
    async claim(_limit, share) {
      const tasks = await claimUnresolvedCaptures(database, share, lease);
      return { tasks, isEnd: tasks.length === 0 };
    },
    send: (capture) => askAndFinish(tools, capture),
    record: (capture, answer) => record(tools, capture, answer),
    millisecondsUntilDue: (passedOver) => millisecondsUntilDueCapture(database, passedOver),
    pullForward: (limit) => pullCapturesForward(database, limit, lease),
  });
}

async function askAndFinish(
  { acquirer, acquirerTimeoutMilliseconds: timeout }: ResolveCapturesTools,
  {
    merchantId,
    transactionId: reference,
    captureId: captureReference,
    amount,
    requestedAt,
  }: UnresolvedCapture,
): Promise<CaptureAnswer> {
  const found = await acquirer.findCapture({ merchantId, captureReference, amount }, timeout);
  if (found.kind !== 'notFound') return found;
  return acquirer.capture(
    { merchantId, reference, captureReference, amount, capturedAt: requestedAt },
    timeout,
  );
}

async function record(
  tools: ResolveCapturesTools,
  capture: UnresolvedCapture,
  answer: CaptureAnswer,
): Promise<void> {
  const { merchantId, captureId, transactionId, amount, tries } = capture;
  // Without a free connection nothing is known of the acquirer.
  if (answer.kind !== 'notSent')
    tools.captureOutage.observe(answer.kind !== 'unknown' && answer.kind !== 'notConnected', merchantId);
  if (answer.kind === 'notSent') {
    tools.observeCapture('postponed');
    await postponeCapture(tools.database, capture, unsentPostponement(answer.reason));
    return;
  }
  if (answer.kind === 'unknown' || answer.kind === 'notConnected') {
    tools.observeCapture('postponed');
    if (tries >= TRIES_BEFORE_WARNING) tools.warnOfCapture(capture, answer.reason);
    const seconds = secondsUntilNextResolveTry(tries, tools.captureOutage.isAway());
    await postponeCapture(tools.database, capture, { seconds, reason: answer.reason });
    return;
  }
  // No request waits for this one: a person must learn that the merchant's capture was refused.
  if (answer.kind === 'refused') tools.warnOfCapture(capture, answer.reason);
  const moment = tools.clock.now(merchantId);
  const refusalReason = answer.kind === 'refused' ? answer.reason : null;
  const row = { merchantId, captureId, transactionId, amount, refusalReason, moment };
  await tools.writeCaptureOutcome(row, performance.now() + RECORD_MILLISECONDS);
  tools.observeCapture(answer.kind);
}
