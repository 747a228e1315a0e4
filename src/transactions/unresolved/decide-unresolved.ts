import { setTimeout as pause } from 'node:timers/promises';
import type { Actor, Audit, AuditEvents } from '../../audit/audit-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { cancelOutcomeSteps } from '../cancels/cancel-outcomes.sql.ts';
import { holdUnresolvedCancel } from '../cancels/cancels.sql.ts';
import { cancelLeaseMilliseconds } from '../cancels/resolve-unresolved-cancels.ts';
import { decideChargeStep } from '../card/resolutions.sql.ts';
import { findCase } from './unresolved.sql.ts';
import {
  type CancelDecision,
  type Case,
  type ChargeDecision,
  caseResource,
  type Decision,
  type DecisionResult,
  decisionRefusal,
  isChargeDecision,
  REFUSED_BY_PERSON,
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

/** A try that was pending when a cancel was claimed has ended by then, with a commit. */
const WAIT_MARGIN_MILLISECONDS = 2_000;
/**
 * No process sends a cancel from then until the decision; when the command dies in between, the
 * cancel is sent after it.
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
  const isDone = isChargeDecision(decision)
    ? await decideCharge(tools, before, decision, reason)
    : await decideCancel(tools, before, decision, reason);
  if (isDone) return { kind: 'decided', before, state: decision };
  const found = await findCase(tools.database, id);
  return { kind: 'refused', refusal: decisionRefusal(found, decision) ?? 'takenOver', found };
}

async function decideCharge(
  tools: DecideTools,
  before: Case,
  decision: ChargeDecision,
  reason: string,
): Promise<boolean> {
  const { merchantId, transactionId } = before;
  const step = decideChargeStep(merchantId, transactionId, decision, tools.clock.now(merchantId));
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
  decision: CancelDecision,
  reason: string,
): Promise<boolean> {
  const { merchantId, id: cancelId, transactionId, amount } = before;
  const wait = tools.acquirerTimeoutMilliseconds + WAIT_MARGIN_MILLISECONDS;
  const held = await holdUnresolvedCancel(
    tools.database,
    merchantId,
    cancelId,
    wait + HOLD_MARGIN_MILLISECONDS,
  );
  if (held === null) return false;
  const { fence, millisecondsLeft } = held;
  const isMaybeUnderWay =
    millisecondsLeft > 0 && millisecondsLeft <= cancelLeaseMilliseconds(tools.acquirerTimeoutMilliseconds);
  if (isMaybeUnderWay) {
    tools.onWait(wait);
    await pause(wait);
  }
  const refusalReason = decision === 'refused' ? REFUSED_BY_PERSON : null;
  const moment = tools.clock.now(merchantId);
  const steps = cancelOutcomeSteps({
    merchantId,
    cancelId,
    transactionId,
    amount,
    refusalReason,
    moment,
    fence,
  });
  const rows = await tools.audit.commit(steps, eventIfChanged(tools, before, decision, reason));
  return rows.at(-1)?.length === 1;
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
