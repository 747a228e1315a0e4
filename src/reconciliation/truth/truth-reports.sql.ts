import {
  type Database,
  type Reader,
  type Row,
  type Step,
  statement,
} from '../../platform/postgres/database.ts';
import type { Day } from '../../values/instant.ts';
import type { SealedReport } from './day-truth.ts';

const INSERT = statement(
  'truth_reports.insert',
  `insert into truth_reports (day, charges, differences, report, data_key_id, seal)
   values ($1::date, $2, $3, $4, $5, $6) on conflict (day) do nothing returning day`,
);

/** Gives a row, or none: there is one of this day. */
export function insertReport(
  { day, charges, differing }: { readonly day: Day; readonly charges: number; readonly differing: number },
  { report, dataKeyId, seal }: SealedReport,
): Step {
  return {
    statement: INSERT,
    values: [day, charges, differing, report, dataKeyId, Buffer.from(seal, 'hex')],
  };
}

const COLUMNS = `day::text as day_text, charges, differences, report, data_key_id, seal,
  extract(epoch from now() - made_at)::float8 as age`;

const READ = statement('truth_reports.read', `select ${COLUMNS} from truth_reports where day = $1::date`);

const READ_NEWEST = statement(
  'truth_reports.read_newest',
  `select ${COLUMNS} from truth_reports order by day desc limit 1`,
);

export type KeptReport = SealedReport & {
  readonly day: Day;
  readonly charges: number;
  readonly differences: number;
  readonly ageSeconds: number;
};

/** Of a day; null: there is none. */
export async function readReport(database: Database, day: Day): Promise<KeptReport | null> {
  return parseKept((await database.query(READ, [day]))[0]);
}

/** Of the last day that has one. */
export async function readNewestReport(reader: Reader): Promise<KeptReport | null> {
  return parseKept((await reader.query(READ_NEWEST, []))[0]);
}

function parseKept(row: Row | undefined): KeptReport | null {
  if (row === undefined) return null;
  return {
    day: row.day_text as Day,
    charges: row.charges as number,
    differences: row.differences as number,
    report: row.report as string,
    dataKeyId: row.data_key_id as number,
    seal: (row.seal as Buffer).toString('hex'),
    ageSeconds: row.age as number,
  };
}
