import { column, rowCodec } from '../postgres/row-codec.ts';
import { hasSqlState, SQL_STATE } from '../postgres/sql-states.ts';
import type { ServerFacts } from './server-facts.ts';

const OF_THE_SERVER = rowCodec({
  databaseOid: column.whole('(select oid::bigint from pg_database where datname = current_database())'),
  tableOid: column.whole("'database_stamp'::regclass::oid::bigint"),
  version: column.whole("current_setting('server_version_num')::int"),
  fsync: column.text("current_setting('fsync')"),
  fullPageWrites: column.text("current_setting('full_page_writes')"),
  synchronousCommit: column.text("current_setting('synchronous_commit')"),
  hasSynchronousStandby: column.boolean("current_setting('synchronous_standby_names') <> ''"),
  logReaders: column.whole('(select count(*)::int from pg_stat_replication)'),
  isReadOnly: column.boolean("pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'"),
  keepsSettings: column.boolean(`current_setting('TimeZone') = 'UTC' and current_setting('jit') = 'off'
    and current_setting('enable_seqscan') = 'off' and current_setting('lock_timeout') <> '0'
    and current_setting('statement_timeout') <> '0'`),
});

/**
 * Every role may read these, unless the server's owner revoked the right or it is another kind of
 * server.
 */
export const ALL_FACTS = rowCodec<ServerFacts>({
  systemIdentifier: column.nullable(column.text('(select system_identifier::text from pg_control_system())')),
  timeline: column.nullable(
    column.whole(`case when pg_is_in_recovery() then null
    else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint end`),
  ),
  ...OF_THE_SERVER.fields,
});
/** Where it was revoked. */
export const FEWER_FACTS = rowCodec<ServerFacts>({
  systemIdentifier: column.nullable(column.text('null')),
  timeline: column.nullable(column.whole('null::bigint')),
  ...OF_THE_SERVER.fields,
});

export const READ_ALL_FACTS = `select ${ALL_FACTS.columns}`;
export const READ_FEWER_FACTS = `select ${FEWER_FACTS.columns}`;

/** Of a row with all facts, or with fewer. */
export const parseFacts = ALL_FACTS.parse;

/** The server does not show its identity: the right was revoked, or it is of another make. */
export function isIdentityHidden(error: unknown): boolean {
  const { insufficientPrivilege, undefinedFunction, featureNotSupported } = SQL_STATE;
  return hasSqlState(error, insufficientPrivilege, undefinedFunction, featureNotSupported);
}
