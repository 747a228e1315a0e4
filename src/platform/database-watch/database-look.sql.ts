import { type Database, statement } from '../postgres/database.ts';
import { column, type RowOf, rowCodec } from '../postgres/row-codec.ts';

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
