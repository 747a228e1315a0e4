import type { Database } from '../../platform/postgres/database.ts';
import { findUnanswered, type UnansweredFilter } from './unanswered.sql.ts';
import type { Unanswered } from './unanswered.ts';

export const MOST_LISTED = 1_000;

/** Charges and cancels without a known outcome, up to `limit` (at most 1000), oldest first. */
export async function listUnanswered(
  database: Database,
  filter: UnansweredFilter,
  limit: number,
): Promise<Unanswered[]> {
  const most = Math.min(limit, MOST_LISTED);
  const found = await findUnanswered(database, filter, most);
  return found.toSorted((one, other) => one.createdAt - other.createdAt).slice(0, most);
}
