import { type Reader, statement } from '../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../platform/postgres/row-codec.ts';

const UNAUDITED = rowCodec({ name: column.text(), appliedAt: column.instant() }, 'm');

export type UnauditedMigration = RowOf<typeof UNAUDITED>;

/**
 * The entry stands close behind the row: the log is read from there along its times, up to the first
 * that fits. The clock of a server that took over may be behind. What was applied before the first
 * entry that is kept may be in an archive, or come from before the first key.
 */
const FIND_UNAUDITED = statement(
  'audit.find_unaudited_migrations',
  `select ${UNAUDITED.columns} from schema_migrations m
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
export async function findUnauditedMigrations(
  reader: Reader,
  names: readonly string[],
): Promise<UnauditedMigration[]> {
  return (await reader.query(FIND_UNAUDITED, [names])).map(UNAUDITED.parse);
}
