import type { AuditEntry } from './audit-chain.ts';
import { findEntriesAbout } from './audit-entries.sql.ts';
import type { ListAuditTools } from './list-audit-entries.ts';

/** More than anybody does to one thing within a few minutes. */
const MOST_ENTRIES = 20;

/**
 * The acts on one resource within a span of time (milliseconds since the epoch; keep it short: the
 * log is read along its times), oldest first. The reading itself is audited before anything is
 * shown.
 */
export async function readEntriesAbout(
  { database, audit, operator }: ListAuditTools,
  resource: string,
  span: { readonly from: number; readonly to: number },
): Promise<AuditEntry[]> {
  await audit.record({
    ...operator,
    action: 'audit.read',
    outcome: 'success',
    resource: 'audit',
    detail: { about: resource },
  });
  return findEntriesAbout(database, resource, span, MOST_ENTRIES);
}
