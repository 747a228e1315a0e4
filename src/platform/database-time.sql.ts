import { type Database, statement } from './postgres/database.ts';

/** Its milliseconds since the epoch. */
export const READ_TIME = statement(
  'platform.read_time',
  'select (extract(epoch from clock_timestamp()) * 1000)::float8 as milliseconds',
);

export async function readClockOfDatabase(database: Database): Promise<number> {
  const [row] = await database.query(READ_TIME, []);
  return row?.milliseconds as number;
}
