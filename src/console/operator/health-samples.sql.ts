import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';

const SLOT = `date_bin('5 minutes', now(), timestamptz '2000-01-01 00:00Z')`;
const KEPT = '8 days';

const IS_SAMPLED = statement(
  'health_samples.is_sampled',
  `select 1 from health_samples where sampled_at = ${SLOT} limit 1`,
);

/** Whether any process has written the samples of these five minutes. */
export async function isHealthSampled(database: Database): Promise<boolean> {
  return (await database.query(IS_SAMPLED, [])).length > 0;
}

const WRITE = statement(
  'health_samples.write',
  `with old as (delete from health_samples where sampled_at < now() - interval '${KEPT}')
   insert into health_samples (sampled_at, subject, process_id, value)
   select ${SLOT}, * from unnest($1::text[], $2::text[], $3::float8[])
   on conflict do nothing`,
);

export type HealthSample = {
  readonly subject: string;
  /**
   * The process whose count this is: such a count begins anew with each process. '': the value is of all
   * processes.
   */
  readonly processId: string;
  readonly value: number;
};

export async function writeHealthSamples(
  database: Database,
  samples: readonly HealthSample[],
): Promise<void> {
  await database.query(WRITE, [
    samples.map(({ subject }) => subject),
    samples.map(({ processId }) => processId),
    samples.map(({ value }) => value),
  ]);
}

const HOUR = rowCodec({
  subject: column.text(),
  /** 0: the hour that is under way. */
  hoursAgo: column.whole(
    `(extract(epoch from date_trunc('hour', now()) - date_trunc('hour', sampled_at)) / 3600)::int`,
  ),
  most: column.real('max(value)'),
  /**
   * How much a count grew in the hour, over all processes. The first value of a new process counts whole.
   * Values of the very first sample do not count: nobody knows what they grew from.
   */
  grown: column.real('sum(grown)::float8'),
});

/** What the samples of one subject say of one hour. */
export type SampledHour = RowOf<typeof HOUR>;

const HOURS = statement(
  'health_samples.hours',
  `select ${HOUR.columns}
   from (
     select subject, sampled_at, value, greatest(value - coalesce(
       lag(value) over (partition by subject, process_id order by sampled_at),
       case when sampled_at = min(sampled_at) over () then value else 0 end), 0) as grown
     from health_samples where sampled_at >= date_trunc('hour', now()) - $1 * interval '1 hour'
   ) as sampled
   where sampled_at >= date_trunc('hour', now()) - ($1 - 1) * interval '1 hour'
   group by subject, date_trunc('hour', sampled_at)`,
);

/** The newest hours, with the one that is under way. */
export async function readSampledHours(database: Database, hours: number): Promise<SampledHour[]> {
  return (await database.query(HOURS, [hours])).map(HOUR.parse);
}
