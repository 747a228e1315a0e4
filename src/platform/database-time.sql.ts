import { type Database, statement } from './postgres/database.ts';

const READ = statement(
  'platform.read_time',
  'select (extract(epoch from clock_timestamp()) * 1000)::float8 as milliseconds',
);

/** What the database's clock shows, in milliseconds with fractions, since 1970-01-01T00:00Z. */
export async function readClockOfDatabase(database: Database): Promise<number> {
  const [row] = await database.query(READ, []);
  return row?.milliseconds as number;
}
