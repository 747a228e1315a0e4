import { type Database, type Reader, statement } from '../postgres/database.ts';
import { hasSqlState, SQL_STATE } from '../postgres/database-errors.ts';
import { column, type RowOf, rowCodec } from '../postgres/row-codec.ts';
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
 * All facts. Every role can read them, unless the owner revoked the right or the server is of another make:
 * then `FEWER_FACTS` are read.
 */
export const ALL_FACTS = rowCodec<ServerFacts>({
  systemIdentifier: column.nullable(column.text('(select system_identifier::text from pg_control_system())')),
  timeline: column.nullable(
    column.whole(`case when pg_is_in_recovery() then null
    else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint end`),
  ),
  ...OF_THE_SERVER.fields,
});
export const FEWER_FACTS = rowCodec<ServerFacts>({
  systemIdentifier: column.nullable(column.text('null')),
  timeline: column.nullable(column.whole('null::bigint')),
  ...OF_THE_SERVER.fields,
});

export const READ_ALL_FACTS = `select ${ALL_FACTS.columns}`;
export const READ_FEWER_FACTS = `select ${FEWER_FACTS.columns}`;

export const parseFacts = ALL_FACTS.parse;

export function isIdentityHidden(error: unknown): boolean {
  const { insufficientPrivilege, undefinedFunction, featureNotSupported } = SQL_STATE;
  return hasSqlState(error, insufficientPrivilege, undefinedFunction, featureNotSupported);
}

const ARCHIVE = rowCodec({
  isOn: column.boolean(`current_setting('archive_mode') <> 'off'`),
  /** Seconds until a partly filled segment is archived; 0: never. */
  timeoutSeconds: column.whole(`(select t.setting::int from pg_settings t where t.name = 'archive_timeout')`),
  /** The file that the last attempt failed to archive; null: it succeeded, or there was none. */
  failingFile: column.nullable(
    column.text(
      `case when a.last_failed_time > coalesce(a.last_archived_time, '-infinity') then a.last_failed_wal end`,
    ),
  ),
  failures: column.real('a.failed_count::float8'),
  /** Null: no file was archived since the statistics began. */
  ageSeconds: column.nullable(
    column.real('extract(epoch from clock_timestamp() - a.last_archived_time)::float8'),
  ),
  /**
   * Bytes behind the newest archived file; null: unknown. A segment's name is its timeline, then its position
   * in the log, in hexadecimal.
   */
  unarchivedBytes: column.nullable(
    column.real(`case when a.last_archived_wal ~ '^[0-9A-F]{24}' then greatest(0, p.here
       - ('x' || substr(a.last_archived_wal, 9, 8))::bit(32)::bigint * 4294967296.0
       - (('x' || substr(a.last_archived_wal, 17, 8))::bit(32)::bigint + 1) * p.segment) end::float8`),
  ),
});
const SLOT = rowCodec({
  name: column.text('s.slot_name::text'),
  isActive: column.boolean('s.active'),
  keptBytes: column.real('s.kept::float8'),
});

export type ArchiveLook = RowOf<typeof ARCHIVE> & {
  /** The replication slot that is furthest behind; null: there is none. */
  readonly slot: RowOf<typeof SLOT> | null;
};

const LOOK_AT_ARCHIVE = statement(
  'platform.look_at_archive',
  `with place as (
     select pg_wal_lsn_diff(
         case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0'
       ) as here,
       pg_size_bytes(current_setting('wal_segment_size')) as segment
   ), slowest as (
     select s.slot_name, s.active, p.here - pg_wal_lsn_diff(s.restart_lsn, '0/0') as kept
     from pg_replication_slots s, place p where s.restart_lsn is not null order by kept desc limit 1
   )
   select ${ARCHIVE.columns}, ${SLOT.columns}
   from pg_stat_archiver a cross join place p left join slowest s on true`,
);

export async function lookAtArchive(reader: Reader): Promise<ArchiveLook> {
  const [row = {}] = await reader.query(LOOK_AT_ARCHIVE, []);
  return { ...ARCHIVE.parse(row), slot: row.name === null ? null : SLOT.parse(row) };
}

const LOOKED = rowCodec({
  schemaVersion: column.whole('(select max(number) from schema_migrations)::integer'),
  sizeBytes: column.real('pg_database_size(current_database())::float8'),
});

export type DatabaseLook = RowOf<typeof LOOKED>;

const LOOK = statement('platform.look_at_database', `select ${LOOKED.columns}`);

export async function lookAtDatabase(database: Database): Promise<DatabaseLook> {
  const [row = {}] = await database.query(LOOK, []);
  return LOOKED.parse(row);
}
