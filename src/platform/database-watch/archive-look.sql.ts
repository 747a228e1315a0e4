import { type Database, statement } from '../postgres/database.ts';

/** How PostgreSQL's archive of its log (WAL) goes on, and what of the log it keeps for others. */
export type ArchiveLook = {
  /** Whether `archive_mode` is on. */
  readonly isOn: boolean;
  /** Seconds after which a segment is archived that is not full; 0: never. */
  readonly timeoutSeconds: number;
  /** What it could not archive when it last tried; null: that succeeded, or there was no try. */
  readonly failingFile: string | null;
  readonly failures: number;
  /** Since a file was archived; null: none was since its statistics began. */
  readonly ageSeconds: number | null;
  /** Bytes behind the newest archived file; null: unknown. */
  readonly unarchivedBytes: number | null;
  /** The replication slot that has taken the least, and what is kept for it; null: there is none. */
  readonly slot: { readonly name: string; readonly isActive: boolean; readonly keptBytes: number } | null;
};

// The name of a segment is its timeline, then its place in the log, all in hexadecimal.
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
   select current_setting('archive_mode') <> 'off' as is_on,
     (select t.setting::int from pg_settings t where t.name = 'archive_timeout') as timeout_seconds,
     case when a.last_failed_time > coalesce(a.last_archived_time, '-infinity') then a.last_failed_wal end
       as failing_file,
     a.failed_count::float8 as failures,
     extract(epoch from clock_timestamp() - a.last_archived_time)::float8 as age_seconds,
     case when a.last_archived_wal ~ '^[0-9A-F]{24}' then greatest(0, p.here
       - ('x' || substr(a.last_archived_wal, 9, 8))::bit(32)::bigint * 4294967296.0
       - (('x' || substr(a.last_archived_wal, 17, 8))::bit(32)::bigint + 1) * p.segment) end::float8
       as unarchived_bytes,
     s.slot_name::text as slot_name, s.active as slot_is_active, s.kept::float8 as slot_kept_bytes
   from pg_stat_archiver a cross join place p left join slowest s on true`,
);

export async function lookAtArchive(database: Pick<Database, 'query'>): Promise<ArchiveLook> {
  const [row = {}] = await database.query(LOOK, []);
  return {
    isOn: row.is_on as boolean,
    timeoutSeconds: row.timeout_seconds as number,
    failingFile: row.failing_file as string | null,
    failures: row.failures as number,
    ageSeconds: row.age_seconds as number | null,
    unarchivedBytes: row.unarchived_bytes as number | null,
    slot:
      row.slot_name === null
        ? null
        : {
            name: row.slot_name as string,
            isActive: row.slot_is_active as boolean,
            keptBytes: row.slot_kept_bytes as number,
          },
  };
}
