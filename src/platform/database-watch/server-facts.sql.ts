import type { Row } from '../postgres/database.ts';
import { hasSqlState, SQL_STATE } from '../postgres/sql-states.ts';
import type { ServerFacts } from './server-facts.ts';

const OF_THE_SERVER = `
  (select oid::bigint from pg_database where datname = current_database()) as database_oid,
  'database_stamp'::regclass::oid::bigint as table_oid,
  current_setting('server_version_num')::int as version,
  current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('synchronous_standby_names') <> '' as has_synchronous_standby,
  (select count(*)::int from pg_stat_replication) as log_readers,
  pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only,
  current_setting('TimeZone') = 'UTC' and current_setting('jit') = 'off'
    and current_setting('enable_seqscan') = 'off' and current_setting('lock_timeout') <> '0'
    and current_setting('statement_timeout') <> '0' as keeps_settings`;

/**
 * Every role may read these, unless the server's owner revoked the right or it is another kind of
 * server.
 */
export const ALL_FACTS = `
  (select system_identifier::text from pg_control_system()) as system_identifier,
  case when pg_is_in_recovery() then null
    else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint end as timeline,${OF_THE_SERVER}`;
/** Where it was revoked. */
export const FEWER_FACTS = `null as system_identifier, null::bigint as timeline,${OF_THE_SERVER}`;

export const READ_ALL_FACTS = `select ${ALL_FACTS}`;
export const READ_FEWER_FACTS = `select ${FEWER_FACTS}`;

export function parseFacts(row: Row): ServerFacts {
  const whole = (value: unknown) => (value === null ? null : Number(value));
  return {
    systemIdentifier: row.system_identifier as string | null,
    databaseOid: Number(row.database_oid),
    tableOid: Number(row.table_oid),
    timeline: whole(row.timeline),
    version: row.version as number,
    fsync: row.fsync as string,
    fullPageWrites: row.full_page_writes as string,
    synchronousCommit: row.synchronous_commit as string,
    hasSynchronousStandby: row.has_synchronous_standby as boolean,
    logReaders: row.log_readers as number,
    isReadOnly: row.is_read_only as boolean,
    keepsSettings: row.keeps_settings as boolean,
  };
}

/** The server does not show its identity: the right was revoked, or it is of another make. */
export function isIdentityHidden(error: unknown): boolean {
  const { insufficientPrivilege, undefinedFunction, featureNotSupported } = SQL_STATE;
  return hasSqlState(error, insufficientPrivilege, undefinedFunction, featureNotSupported);
}
