import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { ReconciliationException } from './exception.ts';
import { findException, recordResolution } from './exceptions.sql.ts';

export type ResolveExceptionTools = { readonly database: Database; readonly audit: Audit };

export type ResolveExceptionResult =
  | { readonly kind: 'resolved'; readonly exception: ReconciliationException }
  | { readonly kind: 'unknownId' }
  | { readonly kind: 'ended'; readonly exception: ReconciliationException };

export const LONGEST_NAME = 100;

/** Audited in the same commit. */
export async function resolveException(
  { database, audit }: ResolveExceptionTools,
  operator: Actor,
  exceptionId: string,
  reason: string,
): Promise<ResolveExceptionResult> {
  const before = await findException(database, exceptionId);
  if (before === null) return { kind: 'unknownId' };
  const isResolved = await audit.transaction(async (tx) => {
    const isDone = await recordResolution(tx, before, operator.actor.slice(0, LONGEST_NAME), reason);
    if (isDone)
      tx.record({
        ...operator,
        action: 'reconciliation.resolve',
        outcome: 'success',
        resource: `reconciliation-exceptions/${exceptionId}`,
        detail: { class: before.class, amount: before.amount, was: before.state, reason },
      });
    return isDone;
  });
  const exception = (await findException(database, exceptionId)) ?? before;
  return { kind: isResolved ? 'resolved' : 'ended', exception };
}
