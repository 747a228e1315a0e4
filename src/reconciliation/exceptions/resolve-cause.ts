import type { Actor } from '../../audit/audit-event.ts';
import { type CauseSum, type ExceptionCause, recordCauseResolution } from './causes.sql.ts';
import { LONGEST_NAME, type ResolveExceptionTools } from './resolve-exception.ts';

/** All of a cause with one reason, if they are those that were seen. Audited in the same commit. */
export async function resolveCause(
  { audit }: Pick<ResolveExceptionTools, 'audit'>,
  operator: Actor,
  {
    cause,
    seen,
    reason,
  }: {
    readonly cause: ExceptionCause;
    readonly seen: CauseSum;
    readonly reason: string;
  },
): Promise<'resolved' | 'notAsSeen'> {
  const { merchantId, class: name, rule } = cause;
  return audit.transaction(async (tx) => {
    const by = operator.actor.slice(0, LONGEST_NAME);
    if (!(await recordCauseResolution(tx, cause, seen, { by, reason }))) return 'notAsSeen';
    tx.record({
      ...operator,
      action: 'reconciliation.resolve',
      outcome: 'success',
      resource: 'reconciliation-exceptions',
      detail: {
        class: name,
        merchant: merchantId ?? '',
        ...(rule !== null && { brand: rule.brand, installments: rule.installmentCount }),
        count: seen.count,
        amount: seen.cents,
        reason,
      },
    });
    return 'resolved';
  });
}
