import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, onlyOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';

const LOOKED = rowCodec({
  version: column.text("current_setting('server_version')"),
  now: column.instant('clock_timestamp()'),
  /** How many connections this role may open beside all that are open now. */
  freeConnections: column.whole(`least(
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int - u.in_all,
       case when r.rolconnlimit < 0 then null else r.rolconnlimit - u.of_role end,
       case when d.datconnlimit < 0 then null else d.datconnlimit - u.of_database end
     )`),
  sizeBytes: column.real('pg_database_size(d.oid)::float8'),
  hasChecksums: column.boolean("current_setting('data_checksums') = 'on'"),
  vacuumsByItself: column.boolean(
    "current_setting('autovacuum') = 'on' and current_setting('track_counts') = 'on'",
  ),
});

export type ServerLook = RowOf<typeof LOOKED>;

const LOOK = statement(
  'doctor.look_at_server',
  `with used as (
     select count(*)::int as in_all,
       count(*) filter (where a.usename = current_user)::int as of_role,
       count(*) filter (where a.datname = current_database())::int as of_database
     from pg_stat_activity a where a.backend_type = 'client backend'
   )
   select ${LOOKED.columns}
   from used u, pg_roles r, pg_database d
   where r.rolname = current_user and d.datname = current_database()`,
);

export async function lookAtServer(database: Database): Promise<ServerLook> {
  return onlyOf(await database.query(LOOK, []), LOOKED.parse);
}
