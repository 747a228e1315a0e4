import type { Database } from '../../platform/postgres/database.ts';
import type { UserFilter, UserPage } from './user.ts';
import { findUsers } from './users.sql.ts';

/** A page of users by name. */
export async function listUsers(
  { database }: { readonly database: Database },
  filter: UserFilter,
  limit: number,
): Promise<UserPage> {
  const found = await findUsers(database, filter, limit + 1);
  const users = found.slice(0, limit);
  return { users, next: found.length > limit ? (users.at(-1)?.name ?? null) : null };
}
