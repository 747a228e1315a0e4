import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { ReconciliationException } from './exception.ts';
import { findException, resolveSteps } from './exceptions.sql.ts';

export type ResolveExceptionTools = { readonly database: Database; readonly audit: Audit };

export type ResolveExceptionResult =
  | { readonly kind: 'resolved'; readonly exception: ReconciliationException }
  | { readonly kind: 'unknownId' }
  /** It is healed, or was resolved before. */
  | { readonly kind: 'ended'; readonly exception: ReconciliationException };

/** As much as is kept of who did it. */
const LONGEST_NAME = 100;

/** A person found out what it was. The reason and the audit entry stand in its commit. */
export async function resolveException(
  { database, audit }: ResolveExceptionTools,
  operator: Actor,
  exceptionId: string,
  reason: string,
): Promise<ResolveExceptionResult> {
  const before = await findException(database, exceptionId);
  if (before === null) return { kind: 'unknownId' };
  const steps = resolveSteps(before, operator.actor.slice(0, LONGEST_NAME), reason);
  const [, resolved = []] = await audit.commit(steps, (rows) =>
    rows[1]?.length === 1
      ? [
          {
            ...operator,
            action: 'reconciliation.resolve',
            outcome: 'success',
            resource: `reconciliation-exceptions/${exceptionId}`,
            detail: { class: before.class, amount: before.amount, was: before.state, reason },
          },
        ]
      : [],
  );
  const exception = (await findException(database, exceptionId)) ?? before;
  return resolved.length === 1 ? { kind: 'resolved', exception } : { kind: 'ended', exception };
}
