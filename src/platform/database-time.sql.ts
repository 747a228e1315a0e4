import { type Database, statement } from './postgres/database.ts';
import { column, rowCodec } from './postgres/row-codec.ts';

const TIME = rowCodec({
  milliseconds: column.real('(extract(epoch from clock_timestamp()) * 1000)::float8'),
});

export const READ_TIME = statement('platform.read_time', `select ${TIME.columns}`);

export async function readClockOfDatabase(database: Database): Promise<number> {
  const [row = {}] = await database.query(READ_TIME, []);
  return TIME.parse(row).milliseconds;
}
