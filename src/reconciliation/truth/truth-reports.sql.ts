import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Day } from '../../values/instant.ts';
import type { SealedReport } from './day-truth.ts';

const INSERT = statement(
  'truth_reports.insert',
  `insert into truth_reports (day, charges, differences, report, data_key_id, seal)
   values ($1::date, $2, $3, $4, $5, $6) on conflict (day) do nothing returning day`,
);

/** False: there is one of this day. */
export async function insertReport(
  tx: Tx,
  { day, charges, differing }: { readonly day: Day; readonly charges: number; readonly differing: number },
  { report, dataKeyId, seal }: SealedReport,
): Promise<boolean> {
  const values = [day, charges, differing, report, dataKeyId, Buffer.from(seal, 'hex')];
  return (await tx.query(INSERT, values)).length === 1;
}

const KEPT = rowCodec({
  day: column.day(),
  charges: column.whole(),
  differences: column.whole(),
  report: column.text(),
  dataKeyId: column.whole(),
  seal: column.text("encode(seal, 'hex')"),
  ageSeconds: column.real('extract(epoch from now() - made_at)::float8'),
});

export type KeptReport = RowOf<typeof KEPT>;

const READ = statement(
  'truth_reports.read',
  `select ${KEPT.columns} from truth_reports where day = $1::date`,
);

const READ_NEWEST = statement(
  'truth_reports.read_newest',
  `select ${KEPT.columns} from truth_reports order by day desc limit 1`,
);

/** Of a day; null: there is none. */
export async function readReport(database: Database, day: Day): Promise<KeptReport | null> {
  return parseKept((await database.query(READ, [day]))[0]);
}

/** Of the last day that has one. */
export async function readNewestReport(reader: Reader): Promise<KeptReport | null> {
  return parseKept((await reader.query(READ_NEWEST, []))[0]);
}

function parseKept(row: Row | undefined): KeptReport | null {
  return row === undefined ? null : KEPT.parse(row);
}
