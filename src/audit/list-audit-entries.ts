import type { Database } from '../platform/postgres/database.ts';
import type { AuditEntry } from './audit-chain.ts';
import {
  type EntryFilter,
  findEnds,
  findEntriesAbout,
  searchEntries,
  searchNewestEntries,
} from './audit-entries.sql.ts';
import type { Actor, Audit } from './audit-event.ts';

type ListAuditTools = { readonly database: Database; readonly audit: Audit; readonly operator: Actor };

export const MOST_LISTED = 1_000;
/** Entries that one statement goes through, far within the statement timeout. */
const SPAN_ENTRIES = 50_000;

/** Up to `limit` (at most 1000) matching entries after a number, oldest first. The reading is audited. */
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

/** The newest entries, among which the last verification is looked for: older ones do not count. */
const MOST_ENTRIES = 50_000;
const OF_ACTION = { from: null, to: null, action: 'audit.verify', actor: null };

/** The last verification of the whole log; null: none in the newest entries. */
export async function findLastVerification(database: Database): Promise<AuditEntry | null> {
  const { lastNumber: upTo } = await findEnds(database);
  const after = Math.max(0, upTo - MOST_ENTRIES);
  const [entry] = await searchNewestEntries(database, { after, upTo }, OF_ACTION, 1);
  return entry ?? null;
}

/** Spans that one page goes through: if few entries match the filter, the next page goes on. */
const MOST_SPANS = 10;

/** `next`: the page continues before this number; null: no more. */
export type NewestEntries = { readonly entries: readonly AuditEntry[]; readonly next: number | null };

/** Matching entries before a number (null: the newest), newest first. The reading is audited before. */
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

/** More than anybody does to one thing in a few minutes. */
const MOST_ENTRIES_ABOUT = 20;

/**
 * Entries about a resource in a short span of time (milliseconds since the epoch), oldest first. The reading
 * is audited.
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
  return findEntriesAbout(database, resource, span, MOST_ENTRIES_ABOUT);
}
