import { type Row, type Step, statement } from '../platform/postgres/database.ts';
import type { Instant } from '../values/instant.ts';

export type UnauditedMigration = { readonly name: string; readonly appliedAt: Instant };

/**
 * The entry stands close behind the row: the log is read from there along its times, up to the first
 * that fits. The clock of a server that took over may be behind. What was applied before the first
 * entry that is kept may be in an archive, or come from before the first key.
 */
const FIND_UNAUDITED = statement(
  'audit.find_unaudited_migrations',
  `select m.name, m.applied_at from schema_migrations m
   left join lateral (
     select true as is_there from audit_entries e
     where e.occurred_at >= m.applied_at - interval '1 minute'
       and e.action = 'schema.migrate' and e.resource = 'migrations/' || m.name
     order by e.occurred_at limit 1
   ) e on true
   where e.is_there is null and (m.name = any($1::text[])
     or m.applied_at > (select occurred_at from audit_entries order by entry_number limit 1))
   order by m.number`,
);

/** Migrations without an entry, of those applied since the log begins and those that are named. */
export function findUnauditedMigrations(names: readonly string[]): Step {
  return { statement: FIND_UNAUDITED, values: [names] };
}

export function parseUnaudited(rows: readonly Row[]): UnauditedMigration[] {
  return rows.map((row) => ({ name: row.name as string, appliedAt: row.applied_at as Instant }));
}
