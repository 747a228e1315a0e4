import type { Reader } from '../../platform/postgres/database.ts';
import { findUnresolved, type UnresolvedFilter } from './unresolved.sql.ts';
import { UNRESOLVED_KINDS, type Unresolved } from './unresolved.ts';

export const MOST_LISTED = 1_000;

/** Up to `limit` (at most 1000), oldest first. */
export async function listUnresolved(
  database: Reader,
  filter: UnresolvedFilter,
  limit: number,
): Promise<Unresolved[]> {
  const most = Math.min(limit, MOST_LISTED);
  const found: Unresolved[] = [];
  for (const kind of UNRESOLVED_KINDS)
    found.push(...(await findUnresolved(database, kind, filter, 'age', most)));
  return found.toSorted((one, other) => one.createdAt - other.createdAt).slice(0, most);
}
