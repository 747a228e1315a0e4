import { type Database, statement } from '../platform/postgres/database.ts';

/**
 * The run-time role's rights on data keys. It makes, wraps and retires them; only a function of the
 * owner deletes them, those that are retired and of which nothing is left.
 */
export const KEY_TABLE_RIGHTS = { data_keys: 'select, insert, update' } as const;

const FIND_POWER = statement(
  'keys.find_power',
  `select current_user as role, has_table_privilege('data_keys', 'delete')
     or has_table_privilege('data_keys', 'truncate') or has_table_privilege('data_keys', 'trigger') as may_delete`,
);

/**
 * Why the role that the service works as could make sealed rows unreadable; null when it cannot.
 */
export async function keyWeakness(database: Database): Promise<string | null> {
  const [row] = await database.query(FIND_POWER, []);
  return row?.may_delete === true ? `the role ${row.role} may delete data keys` : null;
}
