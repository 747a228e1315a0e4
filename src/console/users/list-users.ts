import type { Database } from '../../platform/postgres/database.ts';
import type { ListedUser } from './user.ts';
import { findUsers } from './users.sql.ts';

const MOST_USERS = 1_000;

/** Up to a thousand, by name; of one merchant, or, with null, all. */
export function listUsers(
  { database }: { readonly database: Database },
  merchantId: string | null,
): Promise<ListedUser[]> {
  return findUsers(database, merchantId, MOST_USERS);
}
