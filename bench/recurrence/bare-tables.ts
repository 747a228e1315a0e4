import type pg from 'pg';

/**
 * Everything of the tables that can be made anew from their rows, in the order of its making: the planner
 * takes the youngest of two indexes that cost the same. Foreign keys come last, those of other tables to
 * these among them.
 */
const PARTS = `select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as drop,
    format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) as make,
    case c.contype when 'f' then 2 else 1 end as turn, coalesce(i.indexrelid, c.oid) as age
  from pg_constraint c left join pg_index i on i.indexrelid = c.conindid and c.contype <> 'f'
  where c.contype in ('f', 'p', 'u')
    and (c.conrelid = any($1::regclass[]) or c.contype = 'f' and c.confrelid = any($1::regclass[]))
  union all
  select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid), 1, i.indexrelid
  from pg_index i
  where i.indrelid = any($1::regclass[])
    and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u'))
  order by turn, age`;

/** More would be better for the largest; a bench shares its machine. */
const MEMORY = "set maintenance_work_mem = '1GB'; set max_parallel_maintenance_workers = 2";

/**
 * Takes keys and indexes away while rows are loaded, and makes them again, which is several times faster
 * than to keep them in step with rows that come in no order; what a row breaks is found out all the same,
 * at the end. One connection, and nobody else may use these tables meanwhile. When it fails they stay away:
 * the database is to be thrown away then.
 */
export async function withBareTables(
  client: pg.Client,
  tables: readonly string[],
  load: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ drop: string; make: string }>(PARTS, [tables]);
  for (const { drop } of rows.toReversed()) await client.query(drop);
  await load();
  await client.query(MEMORY);
  for (const { make } of rows) await client.query(make);
}
