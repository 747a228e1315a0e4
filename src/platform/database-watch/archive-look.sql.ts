import { type Reader, statement } from '../postgres/database.ts';
import { column, type RowOf, rowCodec } from '../postgres/row-codec.ts';

const ARCHIVE = rowCodec({
  /** Whether `archive_mode` is on. */
  isOn: column.boolean(`current_setting('archive_mode') <> 'off'`),
  /** Seconds after which a segment is archived that is not full; 0: never. */
  timeoutSeconds: column.whole(`(select t.setting::int from pg_settings t where t.name = 'archive_timeout')`),
  /** What it could not archive when it last tried; null: that succeeded, or there was no try. */
  failingFile: column.nullable(
    column.text(
      `case when a.last_failed_time > coalesce(a.last_archived_time, '-infinity') then a.last_failed_wal end`,
    ),
  ),
  failures: column.real('a.failed_count::float8'),
  /** Since a file was archived; null: none was since its statistics began. */
  ageSeconds: column.nullable(
    column.real('extract(epoch from clock_timestamp() - a.last_archived_time)::float8'),
  ),
  /**
   * Bytes behind the newest archived file; null: unknown. The name of a segment is its timeline, then its
   * place in the log, all in hexadecimal.
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

/** How PostgreSQL's archive of its log (WAL) goes on, and what of the log it keeps for others. */
export type ArchiveLook = RowOf<typeof ARCHIVE> & {
  /** The replication slot that has taken the least, and what is kept for it; null: there is none. */
  readonly slot: RowOf<typeof SLOT> | null;
};

const LOOK = statement(
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
  const [row = {}] = await reader.query(LOOK, []);
  return { ...ARCHIVE.parse(row), slot: row.name === null ? null : SLOT.parse(row) };
}
