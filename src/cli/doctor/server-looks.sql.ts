import { type Database, statement } from '../../platform/postgres/database.ts';

export type ServerLook = {
  readonly version: string;
  readonly now: number;
  /** Connections that may still be opened by this role; those of other programs are gone from it. */
  readonly freeConnections: number;
  readonly sizeBytes: number;
  readonly hasChecksums: boolean;
  readonly vacuumsByItself: boolean;
};

const LOOK = statement(
  'doctor.look_at_server',
  `with used as (
     select count(*)::int as in_all,
       count(*) filter (where a.usename = current_user)::int as of_role,
       count(*) filter (where a.datname = current_database())::int as of_database
     from pg_stat_activity a where a.backend_type = 'client backend'
   )
   select current_setting('server_version') as version, clock_timestamp() as now,
     least(
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int - u.in_all,
       case when r.rolconnlimit < 0 then null else r.rolconnlimit - u.of_role end,
       case when d.datconnlimit < 0 then null else d.datconnlimit - u.of_database end
     ) as free_connections,
     pg_database_size(d.oid)::float8 as size_bytes,
     current_setting('data_checksums') = 'on' as has_checksums,
     current_setting('autovacuum') = 'on' and current_setting('track_counts') = 'on' as vacuums_by_itself
   from used u, pg_roles r, pg_database d
   where r.rolname = current_user and d.datname = current_database()`,
);

export async function lookAtServer(database: Database): Promise<ServerLook> {
  const [row = {}] = await database.query(LOOK, []);
  return {
    version: row.version as string,
    now: row.now as number,
    freeConnections: row.free_connections as number,
    sizeBytes: row.size_bytes as number,
    hasChecksums: row.has_checksums as boolean,
    vacuumsByItself: row.vacuums_by_itself as boolean,
  };
}
