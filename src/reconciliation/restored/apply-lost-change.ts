import type { Actor, Audit, AuditEvent } from '../../audit/audit-event.ts';
import type { ShippedLine } from '../../audit/shipped-line.ts';
import { changeStanding } from '../../merchants/change-merchant.ts';
import { type BatchedWriteOptions, NOT_WRITTEN } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { NO_DEADLINE } from '../../platform/postgres/deadline.ts';
import { billingCancelsWrite } from '../../recurrence/billings/billing-cancels.sql.ts';
import { planMovesWrite } from '../../recurrence/plans/plan-changes.sql.ts';
import { cancelWithPlan } from '../../recurrence/subscriptions/cancel-with-plan.ts';
import {
  type SubscriptionChange,
  subscriptionChangesWrite,
} from '../../recurrence/subscriptions/changes.sql.ts';
import type { Instant } from '../../values/instant.ts';
import { findPresentState, noteRedone } from './books.sql.ts';
import { RESTORER } from './fill-charge.ts';
import type { FoundChange } from './find-lost-changes.ts';
import type { RedoableChange } from './lost-change.ts';
import { stateAfter } from './lost-change.ts';

export type ApplyTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly operator: Actor;
  readonly nowOf: (merchantId: string) => Promise<Instant>;
};

const NOBODY_WAITS = { notify: () => {} };

/**
 * Makes the change as its merchant or an operator would make it now, once for each line. Returns why it
 * cannot be made; null: it was made, or is so already.
 */
export async function applyLostChange(tools: ApplyTools, found: FoundChange): Promise<string | null> {
  const { line, change, state } = found;
  if (state === 'byHand') return change.why;
  if (state === 'missing') return 'it is not here: it was made in the lost time';
  // Another change may have made it already, as a plan's change does for its subscriptions.
  const isSo =
    state === 'alreadySo' || (await findPresentState(tools.database, change)) === stateAfter(change);
  const refusal = isSo ? null : await apply(tools, change);
  if (refusal === null) await note(tools, line, isSo);
  return refusal;
}

async function note({ audit, operator }: ApplyTools, line: ShippedLine, isSo: boolean): Promise<void> {
  const { entryNumber, action, actor, resource } = line;
  const event: AuditEvent = {
    ...operator,
    action: 'restore.redo',
    outcome: 'success',
    resource,
    detail: { of: action, entry: entryNumber, by: actor, wasSo: isSo ? 1 : 0 },
  };
  await audit.transaction(async (tx) => {
    if (await noteRedone(tx, line)) tx.record(event);
  });
}

async function apply(tools: ApplyTools, change: RedoableChange): Promise<string | null> {
  switch (change.kind) {
    case 'standing':
      return stand(tools, change);
    case 'plan':
      return movePlan(tools, change);
    case 'billing': {
      const row = { ...(await asRestorer(tools, change)), billingId: change.id };
      // No Pix bank is open here: the next Pix Automático billing is sent on its due day, with other days.
      const write = billingCancelsWrite(tools.audit, NOBODY_WAITS, () => 0);
      const result = await written(write, row);
      return result === 'canceled' ? null : result;
    }
    case 'subscription':
      return changeSubscription(tools, change, {
        kind: 'status',
        event: change.state === 'canceled' ? 'cancel' : 'activate',
        ...(change.isBySubscriber ? { by: 'subscriber' } : {}),
      });
    case 'card':
      return changeSubscription(tools, change, { kind: 'card', vaultId: change.vaultId });
  }
}

type Of<Kind extends RedoableChange['kind']> = Extract<RedoableChange, { readonly kind: Kind }>;

async function stand(tools: ApplyTools, { merchantId, standing, isOn }: Of<'standing'>) {
  const changed = await changeStanding(tools, merchantId, { standing, isOn, reason: 'restore redo' });
  return 'refusal' in changed && changed.refusal !== 'standsSoAlready' ? changed.refusal : null;
}

async function movePlan(tools: ApplyTools, change: Of<'plan'>): Promise<string | null> {
  const { actor: planner, stamp, merchantId } = await asRestorer(tools, change);
  const key = { merchantId, planId: change.id };
  const row = { ...key, state: change.state, stamp, planner, leaseMilliseconds: 0 };
  const moved = await written(planMovesWrite(tools.audit), row);
  if (moved !== 'done') return moved;
  if (change.state !== 'canceled') return null;
  const ending = { database: tools.database, deliverer: NOBODY_WAITS, endInLine: atOnce };
  const isDone = await cancelWithPlan(ending, key, () => true);
  return isDone ? null : 'its subscriptions are not all canceled yet: the services go on';
}

async function changeSubscription(
  tools: ApplyTools,
  change: Of<'subscription' | 'card'>,
  wanted: SubscriptionChange['wanted'],
): Promise<string | null> {
  const { actor, stamp, merchantId } = await asRestorer(tools, change);
  const row = { merchantId, subscriptionId: change.id, actor, at: stamp.at, wanted };
  const result = await written(subscriptionChangesWrite(tools.audit, NOBODY_WAITS), row);
  return result === 'changed' ? null : result;
}

async function asRestorer({ operator, nowOf }: ApplyTools, { merchantId }: RedoableChange) {
  const actor = { merchantId, userName: RESTORER, address: operator.origin };
  return { merchantId, actor, stamp: { by: RESTORER, at: await nowOf(merchantId) } };
}

const atOnce = <T>(_merchantId: string, task: () => Promise<T>) => task();

async function written<Row, Result>(options: BatchedWriteOptions<Row, Result>, row: Row): Promise<Result> {
  const result = (await options.write([row], [NO_DEADLINE])).get(options.key(row));
  if (result === undefined || result === NOT_WRITTEN) throw new Error('it was not written');
  return result as Result;
}
