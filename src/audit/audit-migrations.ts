import type { Database } from '../platform/postgres/database.ts';
import { utcText } from '../values/instant.ts';
import { findUnauditedMigrations, holdHead } from './audit-entries.sql.ts';
import type { Actor, Audit, AuditDetail } from './audit-event.ts';

/**
 * Writes missing entries of migrations, new or of a process that failed. The log's lock lets only one do it.
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
