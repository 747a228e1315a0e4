import { type Database, type Reader, statement } from '../postgres/database.ts';
import { column, rowCodec } from '../postgres/row-codec.ts';
import { type ProcessReport, parseReport, type ReportBody, reportText } from './process-report.ts';

/** After this time the reports of killed processes are deleted. */
const FORGET_AFTER = '1 day';

const WRITE = statement(
  'process_reports.write',
  `with ended as (delete from process_reports where reported_at < now() - interval '${FORGET_AFTER}' and process_id <> $1)
   insert into process_reports (process_id, report) values ($1, $2)
   on conflict (process_id) do update set report = excluded.report, reported_at = now()`,
);

export async function writeReport(database: Database, processId: string, report: ReportBody): Promise<void> {
  await database.query(WRITE, [processId, reportText(report)]);
}

const DELETE = statement('process_reports.delete', 'delete from process_reports where process_id = $1');

export async function deleteReport(database: Database, processId: string): Promise<void> {
  await database.query(DELETE, [processId]);
}

const REPORT = rowCodec({
  processId: column.text(),
  startedAt: column.instant(),
  reportedAt: column.instant(),
  ageSeconds: column.real('extract(epoch from now() - reported_at)::float8'),
  report: column.text(),
});

const LIST = statement(
  'process_reports.list',
  `select ${REPORT.columns}
   from process_reports order by reported_at desc limit $1`,
);

export async function listReports(database: Reader, limit: number): Promise<ProcessReport[]> {
  const found = (await database.query(LIST, [limit])).map(REPORT.parse);
  return found.map(({ report, ...process }) => ({ ...parseReport(report), ...process }));
}
