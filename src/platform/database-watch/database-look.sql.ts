import { type Database, statement } from '../postgres/database.ts';

const LOOK = statement(
  'platform.look_at_database',
  `select (select max(number) from schema_migrations)::integer as schema_version,
     pg_database_size(current_database())::float8 as size_bytes`,
);

export type DatabaseLook = { readonly schemaVersion: number; readonly sizeBytes: number };

export async function lookAtDatabase(database: Database): Promise<DatabaseLook> {
  const [row] = await database.query(LOOK, []);
  return { schemaVersion: row?.schema_version as number, sizeBytes: row?.size_bytes as number };
}
