import { setTimeout as pause } from 'node:timers/promises';
import type { Actor, Audit, AuditEvents } from '../../audit/audit-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { cancelOutcomeSteps } from '../cancels/cancel-outcomes.sql.ts';
import { CANCEL_REQUESTS } from '../cancels/cancels.sql.ts';
import { cancelLeaseMilliseconds } from '../cancels/resolve-unresolved-cancels.ts';
import { captureOutcomeSteps } from '../captures/capture-outcomes.sql.ts';
import { captureLeaseMilliseconds } from '../captures/resolve-unresolved-captures.ts';
import { CAPTURE_REQUESTS } from '../captures/unresolved-captures.sql.ts';
import { decideChargeStep } from '../card/resolutions.sql.ts';
import type { HeldRequest } from './request-queue.sql.ts';
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

export type DecideTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly operator: Actor;
  readonly clock: BusinessClock;
  /** Equal to that of the services that resolve. */
  readonly acquirerTimeoutMilliseconds: number;
  /** Called when a try may be pending whose end is awaited. */
  readonly onWait: (milliseconds: number) => void;
};

/** A try that was pending when a cancel or a capture was claimed has ended by then, with a commit. */
const WAIT_MARGIN_MILLISECONDS = 2_000;
/**
 * No process sends it from then until the decision; when the command dies in between, it is sent
 * after it.
 */
const HOLD_MARGIN_MILLISECONDS = 30_000;

/**
 * Makes final what a person has found out at the acquirer, in one commit with the audit entry that
 * says who and why: the same changes as if the acquirer had answered. A process that is resolving
 * at this moment changes nothing afterwards.
 */
export async function decideUnresolved(
  tools: DecideTools,
  id: string,
  decision: Decision,
  reason: string,
): Promise<DecisionResult> {
  const before = await findCase(tools.database, id);
  const refusal = decisionRefusal(before, decision);
  if (before === null || refusal !== null) {
    return { kind: 'refused', refusal: refusal ?? 'unknownId', found: before };
  }
  const isDone = await DECIDE[before.kind](tools, before, decision, reason);
  if (isDone) return { kind: 'decided', before, state: decision };
  const found = await findCase(tools.database, id);
  return { kind: 'refused', refusal: decisionRefusal(found, decision) ?? 'takenOver', found };
}

type Decide = (tools: DecideTools, before: Case, decision: Decision, reason: string) => Promise<boolean>;

const DECIDE: Readonly<Record<UnresolvedKind, Decide>> = {
  charge: decideCharge,
  cancel: decideCancel,
  capture: decideCapture,
};

async function decideCharge(
  tools: DecideTools,
  before: Case,
  decision: Decision,
  reason: string,
): Promise<boolean> {
  const { merchantId, transactionId } = before;
  // `decisionRefusal` lets no other pass.
  const state = decision as ChargeDecision;
  const step = decideChargeStep(merchantId, transactionId, state, tools.clock.now(merchantId));
  const rows = await tools.audit.commit([step], eventIfChanged(tools, before, decision, reason));
  return rows.at(-1)?.length === 1;
}

/**
 * First claims the cancel from the processes that send it, and awaits a pending try: sent after the
 * decision it could give the money back beside what the person has found.
 */
async function decideCancel(
  tools: DecideTools,
  before: Case,
  decision: Decision,
  reason: string,
): Promise<boolean> {
  const { merchantId, id: cancelId, transactionId, amount } = before;
  const { database, acquirerTimeoutMilliseconds: timeout } = tools;
  const held = await holdAndWait(
    (milliseconds) => CANCEL_REQUESTS.hold(database, merchantId, cancelId, milliseconds),
    { lease: cancelLeaseMilliseconds(timeout), longestTry: timeout },
    tools,
  );
  if (held === null) return false;
  const { fence } = held;
  const refusalReason = decision === 'refused' ? REFUSED_BY_PERSON : null;
  const moment = tools.clock.now(merchantId);
  const row = { merchantId, cancelId, transactionId, amount, refusalReason, moment, fence };
  const rows = await tools.audit.commit(
    cancelOutcomeSteps(row),
    eventIfChanged(tools, before, decision, reason),
  );
  return rows.at(-1)?.length === 1;
}

/** The same of a capture. */
async function decideCapture(
  tools: DecideTools,
  before: Case,
  decision: Decision,
  reason: string,
): Promise<boolean> {
  const { merchantId, id: captureId, transactionId, amount } = before;
  const { database, acquirerTimeoutMilliseconds: timeout } = tools;
  const held = await holdAndWait(
    (milliseconds) => CAPTURE_REQUESTS.hold(database, merchantId, captureId, milliseconds),
    { lease: captureLeaseMilliseconds(timeout), longestTry: 2 * timeout },
    tools,
  );
  if (held === null) return false;
  const { fence } = held;
  const refusalReason = decision === 'refused' ? REFUSED_BY_PERSON : null;
  const moment = tools.clock.now(merchantId);
  const row = { merchantId, captureId, transactionId, amount, refusalReason, moment, fence };
  const rows = await tools.audit.commit(
    // The service sends what is enqueued: this process ends at once.
    captureOutcomeSteps(row, { leaseForNow: () => 0 }),
    eventIfChanged(tools, before, decision, reason),
  );
  return rows.at(-1)?.length === 1;
}

/** Null: it is not unanswered. */
async function holdAndWait(
  hold: (milliseconds: number) => Promise<HeldRequest | null>,
  { lease, longestTry }: { readonly lease: number; readonly longestTry: number },
  { onWait }: Pick<DecideTools, 'onWait'>,
): Promise<{ readonly fence: number } | null> {
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

function eventIfChanged(
  { operator }: DecideTools,
  before: Case,
  decision: Decision,
  reason: string,
): AuditEvents {
  const { state, amount, tries } = before;
  const detail = { before: state, after: decision, amount, tries, reason };
  const event = {
    ...operator,
    action: 'resolve.decide',
    outcome: 'success',
    resource: caseResource(before),
    detail,
  } as const;
  return (rows) => (rows.at(-1)?.length === 1 ? [event] : []);
}
