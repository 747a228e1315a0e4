import { until } from '../../test/kit/service.ts';
import type { ChaosBench } from '../chaos-bench.ts';

const WAITING = `select pid, query from pg_stat_activity
  where application_name = 'parcela' and wait_event_type = 'Lock'`;

const BACK_MILLISECONDS = 120_000;

export type HeldTable = {
  /** The processes of PostgreSQL that wait for the table, once there is one; none when nobody comes. */
  waiting(): Promise<number[]>;
  release(): Promise<void>;
};

/**
 * Lets nobody write a table until it is released: a statement that waits there can be struck in its
 * middle.
 */
export async function holdTable(bench: ChaosBench, table: string): Promise<HeldTable> {
  // The server may still be coming up after the strike before.
  const client = await until('a connection', () => bench.connect().catch(() => null), BACK_MILLISECONDS);
  await client.query('begin');
  await client.query(`lock table ${table} in share mode`);
  return {
    waiting: () =>
      until(
        `somebody waits for ${table}`,
        async () => {
          const rows = await bench.query(WAITING);
          return rows.length === 0 ? null : rows.map((row) => row.pid as number);
        },
        3_000,
      ).catch(() => []),
    release: async () => {
      // The server may be gone with the lock.
      await client.query('rollback').catch(() => {});
      await client.end().catch(() => {});
    },
  };
}
