import { KEY_TABLE_RIGHTS } from '../keys/data-keys.sql.ts';
import { type Database, statement } from '../platform/postgres/database.ts';
import type { TableRights } from '../platform/postgres/runtime-role.ts';

/** The service must not delete entries, break sealed rows or change what it only adds. A test checks it. */
export const RUNTIME_TABLE_RIGHTS: TableRights = {
  ...KEY_TABLE_RIGHTS,
  // Triggers of the tables' owner keep these sums, and commands of the owner archive.
  ...on('select', 'audit_archives billing_days receivable_days'),
  ...on('select, update', 'buyer_cursors'),
  ...on('select, insert, update', 'bank_instructions card_fields payment_links remittances'),
  ...on('select, insert', 'accounts audit_entries boleto_payments card_expiry_alerts'),
  ...on('select, insert', 'console_hand_givers console_hands fee_tables movements subscription_events'),
  ...on(
    'select, insert',
    'restore_lost_providers restore_redone truth_reports unreadable_bank_changes unreadable_changes unreadable_pix_receipts',
  ),
  ...on('select, insert, delete', 'audit_unlogged health_samples'),
  // Rows are never changed, only deleted when old: a second person approves `console_requests` as written.
  ...on(
    'select, insert, delete',
    'console_requests delivery_tries lost_pix_receipts provider_rules settlement_entries settlement_matches upcoming_alerts',
  ),
  ...on('select, insert, update', 'acquirer_changes acquirer_cursors audit_head'),
  ...on('select, insert, update', 'bank_changes bank_cursors billing_charges billings boletos cancels'),
  ...on('select, insert, update', 'captures console_users credentials database_stamp installments'),
  ...on(
    'select, insert, update',
    'merchant_clocks merchants plans preauthorizations providers receivable_cursors',
  ),
  ...on('select, insert, update', 'pix_authorizations pix_collections'),
  ...on(
    'select, insert, update',
    'pix_charges pix_cursors pix_payments pix_receipts pix_refunds pix_return_cursors',
  ),
  ...on('select, insert, update', 'receivables reconciliation_exceptions restore_runs restored_charges'),
  ...on('select, insert, update', 'settlement_coverages shares subscriptions sum_differences transactions'),
  ...on('select, insert, update', 'truth_differences webhook_endpoints webhook_secrets'),
};

function on(rights: string, tables: string): TableRights {
  return Object.fromEntries(tables.split(' ').map((table) => [table, rights]));
}

const FIND_POWERS = statement(
  'audit.find_powers',
  `select r.rolname as role, r.rolsuper or r.rolbypassrls as is_superuser,
     pg_has_role(current_user, c.relowner, 'member') as is_owner,
     pg_has_role(current_user, n.nspowner, 'member') as owns_schema,
     pg_has_role(current_user, d.datdba, 'member') as owns_database,
     exists (select from pg_roles o
       where (o.rolsuper or o.rolcreaterole or o.rolname in ('pg_execute_server_program', 'pg_write_server_files'))
         and pg_has_role(current_user, o.oid, 'member')) as may_become_another,
     has_table_privilege(c.oid, 'update') or has_table_privilege(c.oid, 'delete')
       or has_table_privilege(c.oid, 'truncate') or has_table_privilege(c.oid, 'trigger')
       or has_any_column_privilege(c.oid, 'update') as may_change,
     has_table_privilege('audit_head', 'delete') or has_table_privilege('audit_head', 'truncate')
       or has_table_privilege('audit_head', 'trigger') as may_remove_end,
     has_table_privilege('audit_archives', 'insert') or has_any_column_privilege('audit_archives', 'insert')
       or has_table_privilege('audit_archives', 'update') or has_any_column_privilege('audit_archives', 'update')
       or has_table_privilege('audit_archives', 'delete') or has_table_privilege('audit_archives', 'truncate')
       or has_table_privilege('audit_archives', 'trigger') as may_archive
   from pg_class c join pg_namespace n on n.oid = c.relnamespace, pg_roles r, pg_database d
   where c.oid = 'audit_entries'::regclass and r.rolname = current_user and d.datname = current_database()`,
);

/**
 * The greatest power comes first: it must be removed first. The owner of a schema or database can drop
 * others' tables.
 */
const POWERS = {
  is_superuser: 'is a superuser',
  is_owner: 'owns the tables',
  owns_database: 'owns the database',
  owns_schema: 'owns the schema of the tables',
  may_become_another: 'may make itself a role that owns the tables',
  may_change: 'may change audit_entries',
  may_remove_end: 'may remove audit_head',
  may_archive: 'may archive audit entries',
} as const;

/** Why the service's role could undo what was written; null: it cannot. */
export async function auditWeakness(database: Database): Promise<string | null> {
  const [row] = await database.query(FIND_POWERS, []);
  const { role, ...powers } = row as Record<string, unknown>;
  const power = Object.entries(POWERS).find(([name]) => powers[name] === true);
  return power === undefined ? null : `the role ${role} ${power[1]}`;
}
