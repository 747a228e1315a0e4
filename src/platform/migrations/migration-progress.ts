import type pg from 'pg';
import type { DatabaseAddress } from '../postgres/database.ts';
import { onMigrationConnection } from './migration-connection.ts';

/** A slower one is named while it runs. */
const SLOW_MILLISECONDS = 2_000;
const PROGRESS_MILLISECONDS = 10_000;

/** Where a migration stands among those that are to be applied. */
export type MigrationStep = { readonly name: string; readonly number: number; readonly of: number };

/** Says of a migration that takes longer how far it is, until the returned function is called. */
export function followMigration(
  address: DatabaseAddress,
  client: pg.Client,
  { name, number, of }: MigrationStep,
  say: (line: string) => void,
): () => void {
  const beginsAt = performance.now();
  const which = of === 1 ? name : `${name} (${number} of ${of})`;
  let isOver = false;
  const report = async () => {
    const done = await readProgress(address, client).catch(() => null);
    const seconds = Math.round((performance.now() - beginsAt) / 1_000);
    if (!isOver) say(`Migration ${which} goes on for ${seconds} s${done === null ? '' : `: ${done}`}`);
  };
  let repeated: NodeJS.Timeout | undefined;
  const slow = setTimeout(() => {
    say(`Migration ${which} takes a while`);
    repeated = setInterval(() => void report(), PROGRESS_MILLISECONDS);
  }, SLOW_MILLISECONDS);
  return () => {
    isOver = true;
    clearTimeout(slow);
    clearInterval(repeated);
  };
}

/** The server says how far it is with an index, and of nothing else that migrations do. */
const READ_BUILD = `
  select p.index_relid::regclass::text as index, p.phase,
    case when p.blocks_total > 0 then floor(100.0 * p.blocks_done / p.blocks_total)::int end as percent
  from pg_stat_progress_create_index p where p.pid = $1`;

async function readProgress(address: DatabaseAddress, client: pg.Client): Promise<string | null> {
  const { processID } = client as pg.Client & { readonly processID: number };
  return onMigrationConnection(address, async (beside) => {
    const { rows } = await beside.query<{ index: string; phase: string; percent: number | null }>(
      READ_BUILD,
      [processID],
    );
    const [build] = rows;
    if (build === undefined) return null;
    return `index ${build.index}, ${build.phase}${build.percent === null ? '' : `, ${build.percent} %`}`;
  });
}
