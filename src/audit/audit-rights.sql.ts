import { type Database, statement } from '../platform/postgres/database.ts';

/** What the run-time role may do with the log's tables: nobody who takes over the service can unwrite anything. */
export const AUDIT_TABLE_RIGHTS = {
  audit_entries: 'select, insert',
  audit_head: 'select, insert, update',
} as const;

const FIND_POWERS = statement(
  'audit.find_powers',
  `select r.rolname as role, r.rolsuper or r.rolbypassrls as is_superuser,
     pg_has_role(current_user, c.relowner, 'member') as is_owner,
     has_table_privilege(c.oid, 'update') or has_table_privilege(c.oid, 'delete')
       or has_table_privilege(c.oid, 'truncate') as may_change
   from pg_class c, pg_roles r
   where c.oid = 'audit_entries'::regclass and r.rolname = current_user`,
);

/** Why the role that the service works as could alter what was written; null when it cannot. */
export async function auditWeakness(database: Database): Promise<string | null> {
  const [row] = await database.query(FIND_POWERS, []);
  const { role, is_superuser, is_owner, may_change } = row as Record<string, unknown>;
  if (is_superuser === true) return `the role ${role} is a superuser`;
  if (is_owner === true) return `the role ${role} owns the tables`;
  return may_change === true ? `the role ${role} may change audit_entries` : null;
}
