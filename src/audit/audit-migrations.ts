import type { Database } from '../platform/postgres/database.ts';
import { utcText } from '../values/instant.ts';
import { findUnauditedMigrations, holdHead } from './audit-entries.sql.ts';
import type { Actor, Audit, AuditDetail } from './audit-event.ts';

/**
 * Gives every migration its entry: those that were `applied` by this process, and those whose
 * process failed or was killed before it could. Of several processes one writes it: the second look
 * is behind the lock of the log.
 */
export async function auditMigrations(
  { audit, database }: { readonly audit: Audit; readonly database: Database },
  actor: Actor,
  applied: readonly string[],
  detail: AuditDetail = {},
): Promise<void> {
  if ((await findUnauditedMigrations(database, applied)).length === 0) return;
  await audit.transaction(async (tx) => {
    await holdHead(tx);
    for (const { name, appliedAt } of await findUnauditedMigrations(tx, applied)) {
      tx.record({
        ...actor,
        action: 'schema.migrate',
        outcome: 'success',
        resource: `migrations/${name}`,
        detail: { ...detail, appliedAt: utcText(appliedAt) },
      });
    }
  });
}
