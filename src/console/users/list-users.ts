import { shownOf } from '../../platform/pages.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import type { UserFilter, UserPage } from './user.ts';
import { findUsers } from './users.sql.ts';

/** A page of users by name. */
export async function listUsers(reader: Reader, filter: UserFilter, limit: number): Promise<UserPage> {
  const { shown, lastBeforeOthers } = shownOf(await findUsers(reader, filter, limit + 1), limit);
  return { users: shown, next: lastBeforeOthers?.name ?? null };
}
