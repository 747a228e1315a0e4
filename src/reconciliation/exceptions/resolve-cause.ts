import type { Actor } from '../../audit/audit-event.ts';
import { type CauseSum, type ExceptionCause, recordCauseResolution } from './causes.sql.ts';
import { LONGEST_NAME, type ResolveExceptionTools } from './resolve-exception.ts';

/**
 * Resolves all exceptions of a cause with one reason, if they are still those that were seen. Audited in the
 * same commit.
 */
export async function resolveCause(
  { audit }: Pick<ResolveExceptionTools, 'audit'>,
  operator: Actor,
  {
    cause,
    seen,
    reason,
  }: {
    readonly cause: ExceptionCause;
    readonly seen: Pick<CauseSum, 'digest'>;
    readonly reason: string;
  },
): Promise<'resolved' | 'notAsSeen'> {
  const { merchantId, class: name, rule } = cause;
  return audit.transaction(async (tx) => {
    const by = operator.actor.slice(0, LONGEST_NAME);
    const ended = await recordCauseResolution(tx, cause, seen, { by, reason });
    if (ended === null) return 'notAsSeen';
    tx.record({
      ...operator,
      action: 'reconciliation.resolve',
      outcome: 'success',
      resource: 'reconciliation-exceptions',
      detail: {
        class: name,
        merchant: merchantId ?? '',
        ...(rule !== null && { brand: rule.brand, installments: rule.installmentCount }),
        count: ended.count,
        missing: ended.missing,
        surplus: ended.surplus,
        reason,
      },
    });
    return 'resolved';
  });
}
