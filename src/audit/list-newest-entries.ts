import type { AuditEntry } from './audit-chain.ts';
import { type EntryFilter, findEnds, searchNewestEntries } from './audit-entries.sql.ts';
import type { ListAuditTools } from './list-audit-entries.ts';

/** What one statement looks through: far under the time that a statement has. */
const SPAN_ENTRIES = 50_000;
/** Of one page: a filter that fits nothing ends here, and goes on with the next page. */
const MOST_SPANS = 10;

/** `next`: in front of which number the next page begins; null: this was the first entry. */
export type NewestEntries = { readonly entries: readonly AuditEntry[]; readonly next: number | null };

/**
 * The entries in front of a number (null: the newest) that fit, newest first. The reading itself is audited
 * before anything is shown.
 */
export async function listNewestEntries(
  { database, audit, operator }: ListAuditTools,
  filter: EntryFilter,
  before: number | null,
  limit: number,
): Promise<NewestEntries> {
  const asked = Object.entries(filter).filter((part): part is [string, string | number] => part[1] !== null);
  await audit.record({
    ...operator,
    action: 'audit.read',
    outcome: 'success',
    resource: 'audit',
    detail: { ...Object.fromEntries(asked), before: before ?? 'newest', limit },
  });
  const { firstNumber, lastNumber } = await findEnds(database);
  const entries: AuditEntry[] = [];
  let upTo = Math.min(lastNumber, (before ?? lastNumber + 1) - 1);
  for (let spans = 0; spans < MOST_SPANS && upTo >= Math.max(1, firstNumber); spans += 1) {
    const after = Math.max(0, upTo - SPAN_ENTRIES);
    entries.push(...(await searchNewestEntries(database, { after, upTo }, filter, limit - entries.length)));
    upTo = entries.length < limit ? after : (entries.at(-1)?.entryNumber ?? 1) - 1;
    if (entries.length >= limit) break;
  }
  return { entries, next: upTo >= Math.max(1, firstNumber) ? upTo + 1 : null };
}
