import { setTimeout as pause } from 'node:timers/promises';
import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { Tx } from '../../platform/postgres/database.ts';
import type { FoundCharge } from '../../providers/acquirers/acquirer.ts';
import type { Cents } from '../../values/cents.ts';
import { recordCancelOutcome } from '../cancels/cancel-outcomes.sql.ts';
import { CANCEL_REQUESTS } from '../cancels/cancels.sql.ts';
import { cancelLeaseMilliseconds } from '../cancels/resolve-unresolved-cancels.ts';
import { recordCaptureOutcome } from '../methods/card/capture-outcomes.sql.ts';
import { CAPTURE_REQUESTS } from '../methods/card/captures.sql.ts';
import { decideCharge } from '../methods/card/resolutions.sql.ts';
import { captureLeaseMilliseconds } from '../methods/card/resolve-unresolved-captures.ts';
import { NO_WATCH, WATCH_AFTER_DECISION, WATCH_AFTER_HORIZON, type Watch } from '../methods/card/watch.ts';
import type { HeldRequest } from '../requests/request-queue.sql.ts';
import { findCase } from './unresolved.sql.ts';
import {
  type Case,
  type ChargeDecision,
  caseResource,
  type Decision,
  type DecisionResult,
  decisionRefusal,
  REFUSED_BY_PERSON,
  type UnresolvedKind,
} from './unresolved.ts';

export type DecideTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly audit: Audit;
  readonly operator: Actor;
  /** What the acquirer says of a charge now; null: it cannot be asked. */
  readonly askAcquirer: (charge: Case) => Promise<FoundCharge | null>;
  /** Must equal the time-out of the services that resolve. */
  readonly acquirerTimeoutMilliseconds: number;
  /** Called when the end of a pending try is awaited. */
  readonly onWait: (milliseconds: number) => void;
};

/** Time for a try that was pending at the claim to end and commit. */
const WAIT_MARGIN_MILLISECONDS = 2_000;
/** How long after the wait no process sends the request. If the command dies meanwhile, it is sent then. */
const HOLD_MARGIN_MILLISECONDS = 30_000;

/**
 * Makes the same changes as if the acquirer had answered, in one commit with the audit entry that has person
 * and reason. A process that is resolving at this moment changes nothing afterwards.
 */
export async function decideUnresolved(
  tools: DecideTools,
  id: string,
  decision: Decision,
  reason: string,
  amount: Cents | null = null,
): Promise<DecisionResult> {
  const before = await findCase(tools.database, id);
  const refusal = decisionRefusal(before, decision, amount);
  if (before === null || refusal !== null) {
    return { kind: 'refused', refusal: refusal ?? 'unknownId', found: before };
  }
  const done = await DECIDE[before.kind](tools, { before, decision, reason, amount });
  if (done === 'isLive') return { kind: 'refused', refusal: done, found: before };
  if (done) return { kind: 'decided', before, state: decision };
  const found = await findCase(tools.database, id);
  return { kind: 'refused', refusal: decisionRefusal(found, decision) ?? 'takenOver', found };
}

type Wanted = {
  readonly before: Case;
  readonly decision: Decision;
  readonly reason: string;
  /** What was captured; null: what was asked for. */
  readonly amount: Cents | null;
};

type Done = boolean | 'isLive';

const DECIDE: Readonly<Record<UnresolvedKind, (tools: DecideTools, wanted: Wanted) => Promise<Done>>> = {
  charge: decideOfCharge,
  cancel: decideOfCancel,
  capture: decideOfCapture,
};

function audited(
  { audit, operator }: DecideTools,
  { before, decision, reason, amount: captured }: Wanted,
  record: (tx: Tx) => Promise<boolean>,
): Promise<boolean> {
  const { state, tries } = before;
  const amount = captured ?? before.amount;
  return audit.transaction(async (tx) => {
    const isDone = await record(tx);
    if (isDone)
      tx.record({
        ...operator,
        action: 'resolve.decide',
        outcome: 'success',
        resource: caseResource(before),
        detail: { before: state, after: decision, amount, tries, reason },
      });
    return isDone;
  });
}

/**
 * Asks the acquirer first: it may have booked the charge after the person looked, and after the decision a
 * process that finds it live cannot keep it any more. A billing's charge that is live with its amount, or had
 * a void sent, is left to the services, which keep or void it: the billing must not be charged again before
 * that. Any other charge is watched after the decision: if it appears after all, it is voided.
 */
async function decideOfCharge(tools: DecideTools, wanted: Wanted): Promise<Done> {
  const { before, decision } = wanted;
  const found = await tools.askAcquirer(before);
  const isLive = found?.kind === 'approved';
  const isEnded = before.isVoidSent || (isLive && found.amount === before.amount);
  if (isLive && before.isOfBilling && isEnded) return 'isLive';
  const moment = tools.clock.now(before.merchantId);
  const watch = watchAfter(before, isLive);
  // `decisionRefusal` refuses any other decision.
  return audited(tools, wanted, (tx) => decideCharge(tx, before, decision as ChargeDecision, moment, watch));
}

function watchAfter({ isOfBilling, wasPreauthorized }: Case, isLive: boolean): Watch {
  if (!isLive || isOfBilling) return WATCH_AFTER_DECISION;
  // The caller of a payment was answered with an error long ago, and the acquirer's desk gives back what it
  // sees live. A pre-authorized one may have been captured: it is not voided then, but told of until the desk
  // has given it back.
  return wasPreauthorized ? WATCH_AFTER_HORIZON : NO_WATCH;
}

/**
 * First claims the cancel from the processes that send it, and waits for a pending try: one that ended after
 * the decision could give back money beside what the person found.
 */
async function decideOfCancel(tools: DecideTools, wanted: Wanted): Promise<boolean> {
  const { merchantId, id: cancelId } = wanted.before;
  const { database, acquirerTimeoutMilliseconds: timeout } = tools;
  const held = await holdAndWait(
    (milliseconds) => CANCEL_REQUESTS.hold(database, merchantId, cancelId, milliseconds),
    { lease: cancelLeaseMilliseconds(timeout), longestTry: timeout },
    tools,
  );
  if (held === null) return false;
  const row = { ...outcomeOf(tools, wanted, held), cancelId };
  return audited(tools, wanted, async (tx) => (await recordCancelOutcome(tx, row)).isRecorded);
}

async function decideOfCapture(tools: DecideTools, wanted: Wanted): Promise<boolean> {
  const { merchantId, id: captureId } = wanted.before;
  const { database, acquirerTimeoutMilliseconds: timeout } = tools;
  const held = await holdAndWait(
    (milliseconds) => CAPTURE_REQUESTS.hold(database, merchantId, captureId, milliseconds),
    { lease: captureLeaseMilliseconds(timeout), longestTry: 2 * timeout },
    tools,
  );
  if (held === null) return false;
  const row = { ...outcomeOf(tools, wanted, held), captureId };
  return audited(tools, wanted, async (tx) => {
    // No lease: the service sends the deliveries, because this process ends at once.
    return (await recordCaptureOutcome(tx, row, { leaseForNow: () => 0 })).length > 0;
  });
}

function outcomeOf({ clock }: DecideTools, wanted: Wanted, { fence }: HeldRequest) {
  const { before, decision } = wanted;
  const { merchantId, transactionId } = before;
  const amount = wanted.amount ?? before.amount;
  const refusalReason = decision === 'refused' ? REFUSED_BY_PERSON : null;
  return { merchantId, transactionId, amount, refusalReason, moment: clock.now(merchantId), fence };
}

/**
 * Claims the request and waits for a pending try. Null: the request is final, or its first answer is awaited.
 */
async function holdAndWait(
  hold: (milliseconds: number) => Promise<HeldRequest | null>,
  { lease, longestTry }: { readonly lease: number; readonly longestTry: number },
  { onWait }: Pick<DecideTools, 'onWait'>,
): Promise<HeldRequest | null> {
  const wait = longestTry + WAIT_MARGIN_MILLISECONDS;
  const held = await hold(wait + HOLD_MARGIN_MILLISECONDS);
  if (held === null) return null;
  const { millisecondsLeft } = held;
  if (millisecondsLeft > 0 && millisecondsLeft <= lease) {
    onWait(wait);
    await pause(wait);
  }
  return held;
}
