import type { Database } from '../platform/postgres/database.ts';
import type { AuditEntry } from './audit-chain.ts';
import { type EntryFilter, findEnds, searchEntries } from './audit-entries.sql.ts';
import type { Actor, Audit } from './audit-event.ts';

export type ListAuditTools = { readonly database: Database; readonly audit: Audit; readonly operator: Actor };

export const MOST_LISTED = 1_000;
/** What one statement looks through: far under the time that a statement has. */
const SPAN_ENTRIES = 50_000;

/**
 * Up to `limit` (at most 1000) entries behind the number `after` that fit, oldest first. The
 * reading itself is audited before anything is shown.
 */
export async function listAuditEntries(
  { database, audit, operator }: ListAuditTools,
  filter: EntryFilter,
  after: number,
  limit: number,
): Promise<AuditEntry[]> {
  const asked = Object.entries(filter).filter((part): part is [string, string | number] => part[1] !== null);
  await audit.record({
    ...operator,
    action: 'audit.read',
    outcome: 'success',
    resource: 'audit',
    detail: { ...Object.fromEntries(asked), after, limit },
  });
  const { lastNumber } = await findEnds(database);
  const most = Math.min(limit, MOST_LISTED);
  const found: AuditEntry[] = [];
  for (let start = after; start < lastNumber && found.length < most; start += SPAN_ENTRIES) {
    const span = { after: start, upTo: start + SPAN_ENTRIES };
    found.push(...(await searchEntries(database, span, filter, most - found.length)));
  }
  return found;
}
