import type { ChaosBench } from '../chaos-bench.ts';
import type { Strike } from '../kinds/database.ts';
import { pause } from './patience.ts';

type Wanted = {
  readonly table: 'subscriptions' | 'billings' | 'plans';
  readonly merchantId: string;
  /** Null: of any plan. */
  readonly planId: string | null;
  readonly rows: number;
};

const ROWS = {
  subscriptions:
    'select from subscriptions s where s.merchant_id = $1 and ($2::uuid is null or s.plan_id = $2) limit $3 for update',
  billings: `select from billings b where b.merchant_id = $1 and b.state = 'opened' and exists (
      select from subscriptions s where s.merchant_id = b.merchant_id and s.subscription_id = b.subscription_id
        and ($2::uuid is null or s.plan_id = $2)
    ) limit $3 for update`,
  plans:
    'select from plans p where p.merchant_id = $1 and ($2::uuid is null or p.plan_id = $2) limit $3 for update',
} as const;

/**
 * Rows that a session of somebody else holds until they are released, as a person's does who has
 * forgotten to commit.
 */
export async function heldRows(
  bench: ChaosBench,
  { table, merchantId, planId, rows }: Wanted,
): Promise<{ release(): Promise<void> }> {
  const client = await bench.connect();
  await client.query('begin');
  await client.query(ROWS[table], [merchantId, planId, rows]);
  return {
    release: async () => {
      // The server may be gone with the lock.
      await client.query('rollback').catch(() => {});
      await client.end().catch(() => {});
    },
  };
}

const HELD_MILLISECONDS = 1_400;
const NEWEST = 'select merchant_id from subscriptions order by created_at desc limit 1';
const MOST_ROWS = 4;

/** Among the other strikes at sessions: rows and not tables, which nobody else waits for. */
export const ROWS_HELD: Strike = async ({ bench, chance }) => {
  const [newest] = await bench.query(NEWEST);
  const table = chance.pick(['subscriptions', 'billings', 'plans'] as const);
  const merchantId = String(newest?.merchant_id);
  const held = await heldRows(bench, { table, merchantId, planId: null, rows: chance.whole(1, MOST_ROWS) });
  await pause(HELD_MILLISECONDS);
  await held.release();
  return `rows of ${table} held for too long`;
};
